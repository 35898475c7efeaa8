// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// halyard-replay: records commands once and executes the command buffer with sixteen pairs of buffers.
///
/// For readers who know Vulkan: there are no descriptor pools or sets to allocate, update and keep until the device is
/// done. A command names a buffer, or a *slot*; hal_device_queue_execute() takes a table with a range for each slot,
/// and has read it when it returns. The same recording may be executing any number of times at once.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/halyard_handles.h"

namespace examples {
namespace {

constexpr size_t kPairs = 16;
constexpr uint32_t kNumbers = 4096;
constexpr uint64_t kBytes = kNumbers * sizeof(float);
constexpr float kFactor = 10;

enum Slot : uint32_t { kInput, kOutput, kSlotCount };

void RecordScale(hal_command_buffer_t* commands, hal_executable_t* executable, hal_buffer_ref_t values) {
  hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
  const uint32_t workgroup_size = hal_executable_export_info(executable, 0)->workgroup_size.x;
  params.workgroup_count = hal_dim3(kNumbers / workgroup_size, 1, 1);
  params.constants = &kFactor;
  params.constants_size = sizeof(kFactor);
  params.bindings = hal_buffer_ref_list(&values, 1);
  Check(hal_command_buffer_dispatch(commands, executable, 0, &params), "record a dispatch");
}

/// output = factor * input, for whatever the table says that input and output are.
CommandBuffer Record(hal_device_t* device, hal_executable_t* executable) {
  hal_command_buffer_params_t params = HAL_COMMAND_BUFFER_PARAMS_INIT;  // reusable, as ONE_SHOT is not set
  params.binding_capacity = kSlotCount;
  auto recording = Create<CommandBuffer>("create a command buffer", hal_command_buffer_create, device, &params);
  hal_command_buffer_t* const commands = recording.get();
  const hal_buffer_ref_t output = hal_slot_ref(kOutput, 0, kBytes);

  Check(hal_command_buffer_begin(commands), "begin recording");
  Check(hal_command_buffer_copy(commands, hal_slot_ref(kInput, 0, kBytes), output), "record a copy");
  Check(hal_command_buffer_barrier(commands, HAL_STAGE_TRANSFER, HAL_STAGE_DISPATCH), "record a barrier");
  RecordScale(commands, executable, output);
  Check(hal_command_buffer_end(commands), "end recording");
  return recording;
}

/// Two buffers, and the timeline that says when the second is ready.
struct Pair {
  Buffer input;
  Buffer output;
  Semaphore done;
};

Pair MakePair(hal_device_t* device, float value) {
  Pair pair = {AllocateBuffer(device, kBytes), AllocateBuffer(device, kBytes),
               Create<Semaphore>("create a semaphore", hal_semaphore_create, device, uint64_t{0})};
  const std::vector<float> values(kNumbers, value);
  Check(hal_buffer_write(pair.input.get(), 0, values.data(), kBytes), "write the input");
  return pair;
}

void Replay(hal_device_t* device, hal_command_buffer_t* commands, const Pair& pair) {
  hal_buffer_ref_t table[kSlotCount];
  table[kInput] = hal_buffer_ref(pair.input.get(), 0, HAL_WHOLE_SIZE);
  table[kOutput] = hal_buffer_ref(pair.output.get(), 0, HAL_WHOLE_SIZE);
  const hal_timeline_point_t done = hal_timeline_point(pair.done.get(), 1);
  // Nothing orders one replay against another, so they may run side by side.
  Check(hal_device_queue_execute(device, HAL_QUEUE_ANY, hal_semaphore_list_empty(), hal_semaphore_list(&done, 1),
                                 commands, hal_buffer_ref_list(table, kSlotCount)),
        "execute the command buffer");
}

void CheckOutput(const Pair& pair, float expected) {
  std::vector<float> values(kNumbers);
  Check(hal_buffer_read(pair.output.get(), 0, values.data(), kBytes), "read the output");
  for (const float value : values) {
    if (value != expected) throw std::runtime_error("a number has the wrong value");
  }
}

void Run(const std::string& uri) {
  const auto device = Create<Device>("open the device", hal_device_create, View(uri));
  const Executable executable = LoadExecutable(device.get(), KERNELS);
  const CommandBuffer recording = Record(device.get(), executable.get());

  std::vector<Pair> pairs;
  for (size_t i = 0; i < kPairs; ++i) pairs.push_back(MakePair(device.get(), static_cast<float>(i)));
  std::vector<hal_timeline_point_t> all_done;
  for (const Pair& pair : pairs) {
    Replay(device.get(), recording.get(), pair);
    all_done.push_back(hal_timeline_point(pair.done.get(), 1));
  }
  Check(hal_semaphore_list_wait(hal_semaphore_list(all_done.data(), all_done.size()), HAL_WAIT_MODE_ALL,
                                HAL_TIMEOUT_INFINITE),
        "finish the replays");
  for (size_t i = 0; i < kPairs; ++i) CheckOutput(pairs[i], kFactor * static_cast<float>(i));
  std::printf("one recording, %zu pairs of buffers: all right\n", kPairs);
}

}  // namespace
}  // namespace examples

// halyard-replay [URI]
int main(int argc, char** argv) {
  try {
    examples::Run(argc > 1 ? argv[1] : "local");
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "halyard-replay: %s\n", error.what());
    return 1;
  }
}
