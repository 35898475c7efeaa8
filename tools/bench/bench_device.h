// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The device under measurement and what every benchmark needs of it.
#ifndef HALYARD_TOOLS_BENCH_BENCH_DEVICE_H_
#define HALYARD_TOOLS_BENCH_BENCH_DEVICE_H_

#include <cstdint>
#include <string>

#include "support/program/handles.h"

namespace halyard::tools {

class BenchDevice {
 public:
  /// The device must outlive it. `kernels` is a path, or empty for the kernels that come with the tool.
  BenchDevice(hal_device_t* device, const std::string& kernels);

  hal_device_t* get() const { return device_; }
  /// Bytes of the largest buffer, or 0 if there is no such memory.
  uint64_t LargestBuffer(const hal_buffer_params_t& params) const;

  /// Whether the device takes a format that there are kernels in.
  bool HasKernels() const { return kernels_ != nullptr; }
  const std::string& WhyNoKernels() const { return why_no_kernels_; }
  hal_executable_t* Kernels() const { return kernels_.get(); }
  uint32_t Export(const char* name) const;

  Buffer Allocate(uint64_t length, const hal_buffer_params_t& params = HAL_BUFFER_PARAMS_INIT) const;
  Semaphore MakeSemaphore() const;
  /// A recording, begun: by default one that can be executed many times.
  CommandBuffer BeginRecording(const hal_command_buffer_params_t& params = HAL_INIT(hal_command_buffer_params_t)) const;

 private:
  void LoadKernels(const std::string& path);

  hal_device_t* device_;
  Executable kernels_;
  std::string why_no_kernels_;
};

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_BENCH_BENCH_DEVICE_H_
