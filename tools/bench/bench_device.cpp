// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench_device.h"

#include <algorithm>
#include <array>
#include <utility>

#include "support/kernels/image_format.h"
#include "support/kernels/kernel_files.h"
#include "support/program/devices.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

constexpr const char* kBundledKernels = "bench_kernels.halx";

const std::array kSaxpyParameters = {hal_parameter_constant(0, 4), hal_parameter_binding(0, HAL_BINDING_ACCESS_READ),
                                     hal_parameter_binding(1, HAL_BINDING_ACCESS_READ_WRITE)};

std::array<hal_export_info_t, 2> Exports() {
  std::array<hal_export_info_t, 2> exports = {HAL_EXPORT_INFO_INIT, HAL_EXPORT_INFO_INIT};
  exports[0].name = hal_string_view("empty");
  exports[1].name = hal_string_view("saxpy");
  exports[1].workgroup_size = {256, 1, 1};
  exports[1].constants_size = 4;
  exports[1].parameters = kSaxpyParameters.data();
  exports[1].parameter_count = static_cast<uint32_t>(kSaxpyParameters.size());
  return exports;
}

}  // namespace

BenchDevice::BenchDevice(hal_device_t* device, const std::string& kernels) : device_(device) {
  try {
    LoadKernels(kernels.empty() ? KernelFile(kBundledKernels) : kernels);
  } catch (const Failure& failure) {
    if (!kernels.empty()) throw;
    why_no_kernels_ = failure.what();
  }
}

void BenchDevice::LoadKernels(const std::string& path) {
  const std::string format = DetectFileFormat(path).format;
  const std::array<hal_export_info_t, 2> exports = Exports();
  hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
  params.format = View(format);
  params.path = View(path);
  if (format != kContainerFormat) {
    params.exports = exports.data();
    params.export_count = exports.size();
  }
  kernels_ = Create<Executable>(ExitCode::kInput, "load '" + path + "'", hal_executable_create, device_, &params);
}

uint64_t BenchDevice::LargestBuffer(const hal_buffer_params_t& params) const {
  hal_allocator_t* const allocator = hal_device_allocator(device_);
  const auto heaps = ReadList<hal_memory_heap_t>(
      "list the memory heaps", HAL_INIT(hal_memory_heap_t),
      [&](size_t* count, hal_memory_heap_t* list) { return hal_allocator_query_heaps(allocator, count, list); });
  uint64_t largest = 0;
  for (const hal_memory_heap_t& heap : heaps) {
    const bool fits = (params.memory_type & ~heap.memory_type) == 0 && (params.usage & ~heap.usage) == 0;
    if (fits) largest = std::max(largest, heap.max_allocation_size);
  }
  return largest;
}

uint32_t BenchDevice::Export(const char* name) const {
  uint32_t ordinal = 0;
  Check(hal_executable_find_export(Kernels(), hal_string_view(name), &ordinal), ExitCode::kInput, "find a kernel");
  return ordinal;
}

Buffer BenchDevice::Allocate(uint64_t length, const hal_buffer_params_t& params) const {
  return Create<Buffer>(ExitCode::kDevice, "allocate " + BytesText(length), hal_allocator_allocate,
                        hal_device_allocator(device_), &params, length);
}

Semaphore BenchDevice::MakeSemaphore() const {
  return Create<Semaphore>(ExitCode::kDevice, "create a semaphore", hal_semaphore_create, device_, nullptr);
}

CommandBuffer BenchDevice::BeginRecording(const hal_command_buffer_params_t& params) const {
  auto commands =
      Create<CommandBuffer>(ExitCode::kDevice, "create a command buffer", hal_command_buffer_create, device_, &params);
  Check(hal_command_buffer_begin(commands.get()), ExitCode::kRun, "begin a command buffer");
  return commands;
}

}  // namespace halyard::tools
