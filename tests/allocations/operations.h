// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One of each queue operation, with everything that it needs.
#ifndef HALYARD_TESTS_ALLOCATIONS_OPERATIONS_H_
#define HALYARD_TESTS_ALLOCATIONS_OPERATIONS_H_

#include <array>
#include <string>
#include <vector>

#include "cts/handles.h"

namespace halyard::allocations {

using DeviceHandle = cts::Handle<hal_device_t, hal_device_retain, hal_device_release>;
using SemaphoreHandle = cts::Handle<hal_semaphore_t, hal_semaphore_retain, hal_semaphore_release>;
using ExecutableHandle = cts::Handle<hal_executable_t, hal_executable_retain, hal_executable_release>;
using CommandBufferHandle = cts::Handle<hal_command_buffer_t, hal_command_buffer_retain, hal_command_buffer_release>;

/// What operations work with on one device.
struct Workplace {
  explicit Workplace(const std::string& uri);

  DeviceHandle device;
  SemaphoreHandle wait;
  SemaphoreHandle done;
  cts::Buffer source;
  cts::Buffer target;
  ExecutableHandle executable;
  ExecutableHandle c_function;   // without one where functions cannot be called
  CommandBufferHandle commands;  // reusable, with a binding table of two slots
  std::vector<char> file_memory;
  cts::File file;
  mutable std::vector<char> downloaded;
};

/// Submits an operation that waits for and signals the given points.
using SubmitFn = hal_status_t (*)(const Workplace& place, hal_semaphore_list_t waits, hal_semaphore_list_t signals);

struct Operation {
  const char* name;
  SubmitFn submit;
  uint64_t values = 1;  ///< values of the timeline that it signals
};

extern const std::vector<Operation> kOperations;

}  // namespace halyard::allocations

#endif  // HALYARD_TESTS_ALLOCATIONS_OPERATIONS_H_
