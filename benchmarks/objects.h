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
  Check(hal_semaphore_create(device, 0, semaphore.out()));
  return semaphore;
}

inline Buffer MakeBuffer(hal_device_t* device, uint64_t length) {
  const hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  Buffer buffer;
  Check(hal_allocator_allocate(hal_device_allocator(device), &params, length, buffer.out()));
  return buffer;
}

inline void Wait(hal_semaphore_t* semaphore, uint64_t value) {
  Check(hal_semaphore_wait(semaphore, value, HAL_TIMEOUT_INFINITE));
}

}  // namespace halyard::bench

#endif  // HALYARD_BENCHMARKS_OBJECTS_H_
