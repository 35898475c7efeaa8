// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The objects that benchmarks use. Whatever goes wrong ends the program: there is nothing to measure then.
#ifndef HALYARD_BENCHMARKS_OBJECTS_H_
#define HALYARD_BENCHMARKS_OBJECTS_H_

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "halyard/halyard.h"

namespace halyard::bench {

inline void Check(hal_status_t status) {
  if (status == HAL_STATUS_OK) return;
  std::fprintf(stderr, "halyard-microbench: %s: %s\n", hal_status_name(status), hal_last_error_message());
  std::exit(1);
}

/// One reference to an object.
template <class T, void (*kRelease)(T*)>
class Handle {
 public:
  Handle() = default;
  Handle(Handle&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Handle() { kRelease(object_); }
  operator T*() const { return object_; }  // NOLINT(google-explicit-constructor): that is the point
  T** out() { return &object_; }

 private:
  T* object_ = nullptr;
};

using Device = Handle<hal_device_t, hal_device_release>;
using Semaphore = Handle<hal_semaphore_t, hal_semaphore_release>;
using Buffer = Handle<hal_buffer_t, hal_buffer_release>;
using CommandBuffer = Handle<hal_command_buffer_t, hal_command_buffer_release>;
using Executable = Handle<hal_executable_t, hal_executable_release>;

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
