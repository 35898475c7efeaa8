// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The objects that benchmarks use. Whatever goes wrong ends the program: there is nothing to measure then.
#ifndef HALYARD_BENCHMARKS_OBJECTS_H_
#define HALYARD_BENCHMARKS_OBJECTS_H_

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "halyard/halyard.hpp"

namespace halyard::bench {

inline void Check(hal_status_t status) {
  if (status == HAL_STATUS_OK) return;
  std::fprintf(stderr, "halyard-microbench: %s: %s\n", hal_status_name(status), hal_last_error_message());
  std::exit(1);
}

using hal::Buffer;
using hal::CommandBuffer;
using hal::Device;
using hal::Executable;
using hal::Semaphore;

inline Device OpenDevice(const char* uri) {
  Device device;
  Check(hal_device_create(hal_string_view(uri), device.out()));
  return device;
}

inline Semaphore MakeSemaphore(hal_device_t* device) {
  Semaphore semaphore;
  Check(hal_semaphore_create(device, nullptr, semaphore.out()));
  return semaphore;
}

inline Buffer MakeBuffer(hal_device_t* device, uint64_t length) {
  const hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  Buffer buffer;
  Check(hal_allocator_allocate(hal_device_allocator(device), &params, length, buffer.out()));
  return buffer;
}

/// The function of a shared object that is called as the export is.
inline Executable LoadExport(hal_device_t* device, const char* path, const hal_export_info_t& exported) {
  hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
  params.format = hal_string_view(HAL_EXECUTABLE_FORMAT_HOST_SHARED_OBJECT);
  params.path = hal_string_view(path);
  params.exports = &exported;
  params.export_count = 1;
  Executable executable;
  Check(hal_executable_create(device, &params, executable.out()));
  return executable;
}

/// A kernel without bindings and constants that does nothing.
inline Executable LoadEmptyKernel(hal_device_t* device) {
  hal_export_info_t kernel = HAL_EXPORT_INFO_INIT;
  kernel.name = hal_string_view("empty");
  return LoadExport(device, MICROBENCH_KERNELS, kernel);
}

inline void Wait(hal_semaphore_t* semaphore, uint64_t value) {
  Check(hal_semaphore_wait(semaphore, value, HAL_TIMEOUT_INFINITE));
}

}  // namespace halyard::bench

#endif  // HALYARD_BENCHMARKS_OBJECTS_H_
