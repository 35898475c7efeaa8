// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// What examples that call the C API add to the handles of halyard.hpp: messages that say what the program was doing,
/// and one timeline.
#ifndef HALYARD_EXAMPLES_SUPPORT_HALYARD_HANDLES_H_
#define HALYARD_EXAMPLES_SUPPORT_HALYARD_HANDLES_H_

#include <cstdint>
#include <stdexcept>
#include <string>

#include "halyard/halyard.hpp"

namespace examples {

/// Throws if a call failed. `doing` completes the sentence "cannot …".
inline void Check(hal_status_t status, const char* doing) {
  if (status == HAL_STATUS_OK) return;
  throw std::runtime_error(std::string("cannot ") + doing + ": " + hal_last_error_message() + " (" +
                           hal_status_name(status) + ")");
}

using hal::Buffer;
using hal::CommandBuffer;
using hal::Device;
using hal::Driver;
using hal::Executable;
using hal::Semaphore;
using hal::TraceWriter;
using hal::View;

/// Calls a function of the API whose last parameter returns a new object.
template <typename Handle, typename Function, typename... Arguments>
Handle Create(const char* doing, Function function, Arguments... arguments) {
  typename Handle::Native* object = nullptr;
  Check(function(arguments..., &object), doing);
  return Handle(object);
}

/// Loads an executable file; the device takes the variant that suits it.
inline Executable LoadExecutable(hal_device_t* device, const std::string& path) {
  hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
  params.path = View(path);
  return Create<Executable>("load the kernels", hal_executable_create, device, &params);
}

/// Allocates a buffer that kernels use and the host reads and writes.
inline Buffer AllocateBuffer(hal_device_t* device, uint64_t bytes) {
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_STAGING_INIT;
  params.usage |= HAL_BUFFER_USAGE_STORAGE;
  return Create<Buffer>("allocate a buffer", hal_allocator_allocate, hal_device_allocator(device), &params, bytes);
}

/// One chain of queue operations: each waits until the one before it is done.
///
/// The chain is a timeline semaphore that counts finished operations. Nothing here blocks until Wait(), so
/// the whole chain can be submitted before its first link has run.
class Timeline {
 public:
  explicit Timeline(hal_device_t* device)
      : semaphore_(Create<Semaphore>("create a semaphore", hal_semaphore_create, device, nullptr)) {}

  /// Submits `operation(waits, signals)`, a call of one of the hal_device_queue_… functions, as the next
  /// link.
  template <typename Operation>
  void Submit(const char* doing, Operation operation) {
    const hal_timeline_point_t before = {semaphore_.get(), submitted_};
    const hal_timeline_point_t after = {semaphore_.get(), submitted_ + 1};
    Check(operation(hal_semaphore_list(&before, 1), hal_semaphore_list(&after, 1)), doing);
    ++submitted_;
  }

  /// Blocks until everything submitted so far is done. If an operation failed, this is where it shows.
  void Wait() const {
    Check(hal_semaphore_wait(semaphore_.get(), submitted_, HAL_TIMEOUT_INFINITE), "finish the work submitted");
  }

 private:
  Semaphore semaphore_;
  uint64_t submitted_ = 0;
};

}  // namespace examples

#endif  // HALYARD_EXAMPLES_SUPPORT_HALYARD_HANDLES_H_
