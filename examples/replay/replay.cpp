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

#include "halyard/halyard.hpp"

namespace examples {
namespace {

constexpr size_t kPairs = 16;
constexpr uint32_t kNumbers = 4096;
constexpr uint64_t kBytes = kNumbers * sizeof(float);
constexpr float kFactor = 10;

enum Slot : uint32_t { kInput, kOutput, kSlotCount };

/// output = factor * input, for whatever the table says that input and output are.
hal::CommandBuffer Record(const hal::Device& device, const hal::Executable& executable) {
  hal_command_buffer_params_t params = HAL_INIT(hal_command_buffer_params_t);  // reusable, as ONE_SHOT is not set
  params.binding_capacity = kSlotCount;
  hal::CommandBuffer commands = hal::CommandBuffer::Create(device, params);
  const hal::Ref output = hal::Slot(kOutput, 0, kBytes);
  const uint32_t workgroup_size = executable.ExportInfo(0)->workgroup_size.x;

  commands.Begin();
  commands.Copy(hal::Slot(kInput, 0, kBytes), output);
  commands.Barrier();
  commands.Dispatch(executable, 0, hal::Dispatch(kNumbers / workgroup_size).Constant(kFactor).Bind(output));
  commands.End();
  return commands;
}

/// Two buffers, and the timeline that says when the second is ready.
struct Pair {
  hal::Buffer input;
  hal::Buffer output;
  hal::Semaphore done;
};

Pair MakePair(const hal::Device& device, float value) {
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_STAGING_INIT;  // memory that the host can write and read
  params.usage |= HAL_BUFFER_USAGE_STORAGE;                     // and kernels, too
  const hal::Allocator allocator = device.allocator();
  Pair pair = {allocator.Allocate(kBytes, params), allocator.Allocate(kBytes, params), hal::Semaphore::Create(device)};
  pair.input.Write(std::vector<float>(kNumbers, value));
  return pair;
}

void Replay(const hal::Device& device, const hal::CommandBuffer& commands, const Pair& pair) {
  // Nothing orders one replay against another, so they may run side by side. The table has a range for each slot.
  device.queues().Execute({}, pair.done.At(1), commands, {pair.input, pair.output});
}

void CheckOutput(const Pair& pair, float expected) {
  std::vector<float> values(kNumbers);
  pair.output.Read(values);
  for (const float value : values) {
    if (value != expected) throw std::runtime_error("a number has the wrong value");
  }
}

void Run(const std::string& uri) {
  const hal::Device device = hal::Device::Open(uri);
  const hal::Executable executable = hal::Executable::Load(device, KERNELS);
  const hal::CommandBuffer recording = Record(device, executable);

  std::vector<Pair> pairs;
  for (size_t i = 0; i < kPairs; ++i) pairs.push_back(MakePair(device, static_cast<float>(i)));
  std::vector<hal_timeline_point_t> all_done;
  for (const Pair& pair : pairs) {
    Replay(device, recording, pair);
    all_done.push_back(pair.done.At(1));
  }
  hal::WaitAll(all_done);
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
