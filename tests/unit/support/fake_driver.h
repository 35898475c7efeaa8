// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A small driver for tests of the core: its tables can be changed before they are registered, and it tells what the
// core did with it.
#ifndef HALYARD_TESTS_UNIT_SUPPORT_FAKE_DRIVER_H_
#define HALYARD_TESTS_UNIT_SUPPORT_FAKE_DRIVER_H_

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "halyard/driver_api.h"

namespace halyard::testing {

/// What all fake drivers of the running test have seen, and how they are to behave.
struct FakeState {
  int drivers_created = 0;
  int live_objects = 0;
  hal_status_t next_open = HAL_STATUS_OK;  ///< what creating a driver answers
  uint64_t max_semaphore_value = UINT64_MAX - 1;
  uint64_t max_semaphore_distance = UINT64_MAX;
  uint32_t queue_count = 2;
  bool has_limits = true;      ///< whether devices report their limits
  bool makes_nothing = false;  ///< create functions answer OK without an object

  std::string device_id;  ///< of the last device that was asked for
  std::vector<std::pair<std::string, std::string>> parameters;
  hal_buffer_params_t buffer_params = {};  ///< of the last buffer that was asked for
  int maps = 0;
  int unmaps = 0;
  std::vector<std::pair<uint64_t, uint64_t>> flushes;  ///< offset, length
  std::vector<std::pair<uint64_t, uint64_t>> invalidates;
};
FakeState& State();

/// Destroys a fake object through its head.
template <class Class, class Head>
void Destroy(hal_object_t* object) {
  delete static_cast<Class*>(reinterpret_cast<Head*>(object));
}

/// The interface of a fake driver with all its vtables, free to be changed.
struct FakeInterface {
  explicit FakeInterface(const char* name = "fake");
  FakeInterface(const FakeInterface&) = delete;
  FakeInterface& operator=(const FakeInterface&) = delete;

  hal_driver_vtable_t driver;
  hal_device_vtable_t device;
  hal_allocator_vtable_t allocator;
  hal_buffer_vtable_t buffer;
  hal_event_vtable_t event;
  hal_driver_interface_t tables;
};

/// A test with a registry in which nothing is registered but what the build has, and with fresh state.
class FakeDriverTest : public ::testing::Test {
 protected:
  FakeDriverTest();
  ~FakeDriverTest() override;

  /// Registers a driver and opens its default device, which lives as long as the test.
  hal_device_t* OpenDevice(const FakeInterface& fake);

  hal_registry_t* registry_ = nullptr;
  std::vector<hal_device_t*> devices_;
};

/// The last message contains a text.
::testing::AssertionResult MessageHas(const char* text);

}  // namespace halyard::testing

#endif  // HALYARD_TESTS_UNIT_SUPPORT_FAKE_DRIVER_H_
