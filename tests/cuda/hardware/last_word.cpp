// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda/hardware/last_word.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "cuda/hardware/cuda_test.h"
#include "halyard/cpp/submit.hpp"

namespace halyard::cuda {
namespace {

constexpr uint32_t kQueued = 0x10000;  // the first word of the constants of each
constexpr uint32_t kRecorded = 0x20000;

// Rising numbers.
std::vector<uint32_t> Constants(const LastWordKernel& kernel, uint32_t first) {
  std::vector<uint32_t> words(kernel.constants / sizeof(uint32_t));
  std::iota(words.begin(), words.end(), first);
  return words;
}

hal_dispatch_params_t DispatchParams(const std::vector<uint32_t>& constants, const hal_buffer_ref_t& binding) {
  hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
  params.constants = constants.data();
  params.constants_size = static_cast<uint32_t>(constants.size() * sizeof(uint32_t));
  params.bindings = hal_buffer_ref_list(&binding, 1);
  return params;
}

std::vector<hal_parameter_t> Parameters(const LastWordKernel& kernel) {
  const uint32_t size = kernel.apart ? uint32_t{sizeof(uint32_t)} : kernel.constants;
  std::vector<hal_parameter_t> parameters;
  for (uint32_t at = 0; at < kernel.constants; at += size) parameters.push_back(hal_parameter_constant(at, size));
  parameters.insert(kernel.binding_first ? parameters.begin() : parameters.end(),
                    hal_parameter_binding(0, HAL_BINDING_ACCESS_WRITE));
  return parameters;
}

uint32_t OrdinalOf(const Ref<hal_executable_t>& executable, const LastWordKernel& kernel) {
  uint32_t ordinal = 0;
  Check(hal_executable_find_export(executable.get(), hal_string_view(kernel.name), &ordinal));
  return ordinal;
}

Ref<hal_command_buffer_t> Record(hal_device_t* device, const Ref<hal_executable_t>& executable,
                                 const LastWordKernel& kernel) {
  const std::vector<uint32_t> constants = Constants(kernel, kRecorded);
  const hal_buffer_ref_t slot = hal_slot_ref(0, 0, HAL_WHOLE_SIZE);
  const hal_dispatch_params_t dispatch = DispatchParams(constants, slot);
  hal_command_buffer_params_t params = HAL_INIT(hal_command_buffer_params_t);
  params.binding_capacity = 1;
  Ref<hal_command_buffer_t> commands;
  Check(hal_command_buffer_create(device, &params, commands.out()));
  Check(hal_command_buffer_begin(commands.get()));
  Check(hal_command_buffer_dispatch(commands.get(), executable.get(), OrdinalOf(executable, kernel), &dispatch));
  Check(hal_command_buffer_end(commands.get()));
  return commands;
}

}  // namespace

hal_status_t LoadLastWord(hal_device_t* device, std::string_view image, const char* format,
                          const LastWordKernel& kernel, Ref<hal_executable_t>* out_executable) {
  const std::vector<hal_parameter_t> parameters = Parameters(kernel);
  hal_export_info_t info = HAL_EXPORT_INFO_INIT;
  info.name = hal_string_view(kernel.name);
  info.workgroup_size = hal_dim3(1, 1, 1);
  info.constants_size = kernel.constants;
  info.binding_count = 1;
  info.parameters = parameters.data();
  info.parameter_count = static_cast<uint32_t>(parameters.size());
  hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
  params.format = hal_string_view(format);
  params.data = image.data();
  params.data_size = image.size();
  params.exports = &info;
  params.export_count = 1;
  return hal_executable_create(device, &params, out_executable->out());
}

std::vector<uint32_t> RunLastWord(hal_device_t* device, const Ref<hal_executable_t>& executable,
                                  const LastWordKernel& kernel) {
  hal_buffer_params_t memory = HAL_BUFFER_PARAMS_INIT;
  memory.memory_type = HAL_MEMORY_TYPE_HOST_VISIBLE;
  memory.usage = HAL_BUFFER_USAGE_ALL;
  std::array<Ref<hal_buffer_t>, 3> targets;
  std::array<hal_buffer_ref_t, 3> refs{};
  for (size_t i = 0; i < targets.size(); ++i) {
    Check(hal_allocator_allocate(hal_device_allocator(device), &memory, sizeof(uint32_t), targets[i].out()));
    refs[i] = hal_buffer_ref(targets[i].get(), 0, HAL_WHOLE_SIZE);
  }
  Ref<hal_semaphore_t> timeline;
  Check(hal_semaphore_create(device, nullptr, timeline.out()));
  std::array<hal_timeline_point_t, 3> points{};
  for (size_t i = 0; i < points.size(); ++i) points[i] = hal_timeline_point(timeline.get(), i + 1);
  const auto at = [&](size_t i) { return hal_semaphore_list(&points[i], 1); };

  const Ref<hal_command_buffer_t> commands = Record(device, executable, kernel);
  {
    const std::vector<uint32_t> constants = Constants(kernel, kQueued);
    const hal_dispatch_params_t dispatch = DispatchParams(constants, refs[0]);
    Check(hal_device_queue_dispatch(device, hal::SubmitParams(hal_semaphore_list_empty(), at(0), 1), executable.get(),
                                    OrdinalOf(executable, kernel), &dispatch));
  }
  for (size_t i = 1; i < refs.size(); ++i) {
    Check(hal_device_queue_execute(device, hal::SubmitParams(at(i - 1), at(i), 1), commands.get(),
                                   hal_buffer_ref_list(&refs[i], 1)));
  }
  Check(hal_semaphore_wait(timeline.get(), points.size(), kTenSeconds));
  std::vector<uint32_t> words(targets.size());
  for (size_t i = 0; i < words.size(); ++i) {
    Check(hal_buffer_read(targets[i].get(), 0, &words[i], sizeof(uint32_t)));
  }
  return words;
}

std::vector<uint32_t> ExpectedLastWords(const LastWordKernel& kernel) {
  const uint32_t last = kernel.constants / uint32_t{sizeof(uint32_t)} - 1;
  return {kQueued + last, kRecorded + last, kRecorded + last};
}

}  // namespace halyard::cuda
