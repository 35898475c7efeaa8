// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A fake driver that takes commands, executables and queue operations and remembers what the core handed it.
#ifndef HALYARD_TESTS_UNIT_SUPPORT_FAKE_QUEUE_H_
#define HALYARD_TESTS_UNIT_SUPPORT_FAKE_QUEUE_H_

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "driver_kit/executable/export_table.h"
#include "fake_driver.h"

namespace halyard::testing {

/// A command as a driver got it, with its own copy of the parameters and bindings of a dispatch.
struct SeenCommand {
  hal_command_t command;
  hal_dispatch_params_t params;
  std::vector<hal_buffer_ref_t> bindings;
};

/// A queue operation as a driver got it.
struct SeenOperation {
  hal_queue_operation_t operation;
  SeenCommand command;                  ///< COMMAND
  std::vector<hal_buffer_ref_t> table;  ///< EXECUTE
};

/// What the fake device has seen, and how it is to behave.
struct FakeQueue {
  std::vector<SeenOperation> operations;
  std::vector<SeenCommand> commands;         ///< of all command buffers
  hal_status_t next_submit = HAL_STATUS_OK;  ///< what submit() answers
  hal_status_t next_record = HAL_STATUS_OK;
  hal_status_t next_end = HAL_STATUS_OK;
  std::atomic<int> executables_made{0};
  std::function<hal_status_t()> before_executable;  ///< runs first when an executable is made
  std::vector<std::byte> image;                     ///< of the last executable
  int images_compiled = 0;                          ///< those that were not found in the executable's blob store

  const SeenOperation& Last() const { return operations.back(); }
};
FakeQueue& Queue();

/// A test with a device of that driver. It has two queues and small limits.
class FakeQueueTest : public FakeDriverTest {
 protected:
  FakeQueueTest();
  ~FakeQueueTest() override;

  /// What these make lives as long as the test.
  hal_buffer_t* Buffer(uint64_t length, hal_buffer_usage_t usage = HAL_BUFFER_USAGE_DEFAULT,
                       hal_queue_mask_t queues = HAL_QUEUE_ANY);
  hal_buffer_t* Subspan(hal_buffer_t* buffer, uint64_t offset, uint64_t length);
  hal_buffer_t* QueueAllocation(uint64_t length);
  hal_command_buffer_t* CommandBuffer(hal_command_buffer_flags_t flags = 0, uint32_t binding_capacity = 0);
  /// With exports "scale" (two bindings, 8 bytes of constants, 64 bytes of local memory, workgroups of 8) and "any" (no
  /// parameters, the dispatch says the workgroup size).
  hal_executable_t* Executable();
  hal_event_t* Event();
  hal_semaphore_t* Semaphore();

  hal_device_limits_t& Limits();

  hal_device_t* device_ = nullptr;
  hal_device_t* other_device_ = nullptr;  ///< of the same driver

 private:
  template <class T>
  T* Keep(T* object) {
    objects_.push_back(reinterpret_cast<hal_object_t*>(object));
    return object;
  }

  FakeInterface fake_;
  hal_command_buffer_vtable_t command_buffer_ = {};
  hal_executable_vtable_t executable_ = {};
  std::vector<hal_object_t*> objects_;
};

/// The parameters of an executable with the exports above.
struct TwoExports {
  TwoExports();
  TwoExports(const TwoExports&) = delete;
  TwoExports& operator=(const TwoExports&) = delete;

  hal_parameter_t parameters[3];
  hal_export_info_t exports[2];
  hal_executable_params_t params;
};

}  // namespace halyard::testing

#endif  // HALYARD_TESTS_UNIT_SUPPORT_FAKE_QUEUE_H_
