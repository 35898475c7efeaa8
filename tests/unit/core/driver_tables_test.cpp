// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/registry/driver_tables.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>

#include "fake_driver.h"

namespace halyard {
namespace {

using testing::FakeDriverTest;
using testing::FakeInterface;
using testing::MessageHas;
using testing::State;

class DriverTablesTest : public FakeDriverTest {
 protected:
  Status Complete() { return CompleteTables(&fake_.tables, &completed_); }

  FakeInterface fake_{"tables-test"};
  const hal_driver_interface_t* completed_ = nullptr;
};

TEST_F(DriverTablesTest, CopiesWhatIsThere) {
  ASSERT_EQ(Complete(), kOk);
  EXPECT_EQ(completed_->struct_size, sizeof(hal_driver_interface_t));
  EXPECT_EQ(View(completed_->name), "tables-test");
  EXPECT_NE(completed_->driver, &fake_.driver);
  EXPECT_EQ(completed_->driver->create_device, fake_.driver.create_device);
  EXPECT_EQ(completed_->device->create_event, fake_.device.create_event);
  EXPECT_EQ(completed_->buffer->map, fake_.buffer.map);
}

TEST_F(DriverTablesTest, NothingOfTheOriginalIsNeededAfterwards) {
  char name[] = "gone-soon";
  fake_.tables.name = hal_string_view(name);
  ASSERT_EQ(Complete(), kOk);
  std::memset(name, 'x', sizeof(name) - 1);
  fake_.device.create_event = nullptr;
  EXPECT_EQ(View(completed_->name), "gone-soon");
  EXPECT_NE(completed_->device->create_event, nullptr);
}

TEST_F(DriverTablesTest, NoEntryIsLeftEmpty) {
  fake_.driver = {sizeof(fake_.driver), fake_.driver.destroy, nullptr, nullptr, nullptr, nullptr, nullptr};
  fake_.device = {
      sizeof(fake_.device), fake_.device.destroy, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}};
  fake_.allocator = {sizeof(fake_.allocator), {}, {}, {}, {}, {}, {}, {}};
  fake_.buffer = {sizeof(fake_.buffer), fake_.buffer.destroy, {}, {}, {}, {}, {}};
  const auto destroy = fake_.event.destroy;
  const hal_semaphore_vtable_t semaphore = {sizeof(semaphore), destroy, {}, {}, {}, {}, {}, {}, {}};
  const hal_command_buffer_vtable_t command_buffer = {sizeof(command_buffer), destroy, {}, {}, {}};
  const hal_executable_vtable_t executable = {sizeof(executable), destroy, {}, {}, {}, {}, {}, {}};
  fake_.tables.semaphore = &semaphore;
  fake_.tables.command_buffer = &command_buffer;
  fake_.tables.executable = &executable;
  ASSERT_EQ(Complete(), kOk);

  const auto expect_full = [](const void* table, size_t size, const char* what) {
    for (size_t offset = 0; offset < size; offset += sizeof(void*)) {
      uintptr_t word = 0;
      std::memcpy(&word, static_cast<const char*>(table) + offset, sizeof(word));
      EXPECT_NE(word, 0u) << what << ", entry " << offset / sizeof(void*);
    }
  };
  expect_full(completed_->driver, sizeof(hal_driver_vtable_t), "driver");
  expect_full(completed_->device, sizeof(hal_device_vtable_t), "device");
  expect_full(completed_->allocator, sizeof(hal_allocator_vtable_t), "allocator");
  expect_full(completed_->buffer, sizeof(hal_buffer_vtable_t), "buffer");
  expect_full(completed_->semaphore, sizeof(hal_semaphore_vtable_t), "semaphore");
  expect_full(completed_->event, sizeof(hal_event_vtable_t), "event");
  expect_full(completed_->command_buffer, sizeof(hal_command_buffer_vtable_t), "command_buffer");
  expect_full(completed_->executable, sizeof(hal_executable_vtable_t), "executable");
}

TEST_F(DriverTablesTest, ShorterVtableIsCompleted) {
  fake_.device.struct_size = offsetof(hal_device_vtable_t, create_event);
  ASSERT_EQ(Complete(), kOk);
  EXPECT_EQ(completed_->device->struct_size, sizeof(hal_device_vtable_t));
  EXPECT_EQ(completed_->device->create_semaphore, fake_.device.create_semaphore);
  EXPECT_NE(completed_->device->create_event, fake_.device.create_event) << "beyond the end of the driver's vtable";
}

TEST_F(DriverTablesTest, LongerVtableIsCutToWhatIsKnown) {
  struct {
    hal_event_vtable_t known;
    void* unknown[4];
  } newer = {{sizeof(newer), fake_.event.destroy}, {&newer, &newer, &newer, &newer}};
  fake_.tables.event = &newer.known;
  ASSERT_EQ(Complete(), kOk);
  EXPECT_EQ(completed_->event->struct_size, sizeof(hal_event_vtable_t));
}

TEST_F(DriverTablesTest, ShorterInterfaceHasNoLaterVtables) {
  fake_.tables.struct_size = offsetof(hal_driver_interface_t, event);
  ASSERT_EQ(Complete(), kOk);
  EXPECT_NE(completed_->buffer, nullptr);
  EXPECT_EQ(completed_->event, nullptr);
}

TEST_F(DriverTablesTest, AbsentVtableStaysAbsent) {
  ASSERT_EQ(Complete(), kOk);
  EXPECT_EQ(completed_->semaphore, nullptr);
  EXPECT_EQ(completed_->executable, nullptr);
}

TEST_F(DriverTablesTest, SameInterfaceGivesSameTables) {
  ASSERT_EQ(Complete(), kOk);
  const hal_driver_interface_t* const first = completed_;
  ASSERT_EQ(Complete(), kOk);
  EXPECT_EQ(completed_, first);
  fake_.device.create_event = nullptr;
  ASSERT_EQ(Complete(), kOk);
  EXPECT_NE(completed_, first);
}

TEST_F(DriverTablesTest, DestroyCannotBeMissing) {
  fake_.event.destroy = nullptr;
  EXPECT_EQ(Publish(Complete()), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("driver 'tables-test' lacks event.destroy"));
}

TEST_F(DriverTablesTest, AllocatorIsDestroyedByItsDevice) {
  fake_.allocator.destroy = nullptr;
  EXPECT_EQ(Complete(), kOk);
}

TEST_F(DriverTablesTest, CreateDriverCannotBeMissing) {
  fake_.tables.create_driver = nullptr;
  EXPECT_EQ(Publish(Complete()), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("create_driver"));
}

TEST_F(DriverTablesTest, DriverVtableCannotBeMissing) {
  fake_.tables.driver = nullptr;
  EXPECT_EQ(Publish(Complete()), HAL_STATUS_INVALID_ARGUMENT);
}

TEST_F(DriverTablesTest, OtherAbiVersionIsIncompatible) {
  fake_.tables.abi_version = HAL_DRIVER_ABI_VERSION + 1;
  EXPECT_EQ(Publish(Complete()), HAL_STATUS_INCOMPATIBLE);
  EXPECT_TRUE(MessageHas("built for driver ABI 3, this library has 2"));
}

TEST_F(DriverTablesTest, ImpossibleSizesAreRefused) {
  for (const size_t size : {size_t{0}, size_t{8}, sizeof(hal_device_vtable_t) - 1, size_t{1} << 20, SIZE_MAX}) {
    fake_.device.struct_size = size;
    EXPECT_EQ(Publish(Complete()), HAL_STATUS_INVALID_ARGUMENT) << size;
  }
  fake_.device.struct_size = sizeof(hal_device_vtable_t);
  for (const size_t size : {size_t{0}, size_t{8}, SIZE_MAX}) {
    fake_.tables.struct_size = size;
    EXPECT_EQ(Publish(Complete()), HAL_STATUS_INVALID_ARGUMENT) << size;
  }
}

TEST_F(DriverTablesTest, BadNamesAreRefused) {
  for (const char* name : {"", "Upper", "with space", "a/b"}) {
    fake_.tables.name = hal_string_view(name);
    EXPECT_EQ(Publish(Complete()), HAL_STATUS_INVALID_ARGUMENT) << name;
  }
}

TEST_F(DriverTablesTest, MissingEntryAnswersUnimplementedWithNames) {
  fake_.device.create_event = nullptr;
  hal_device_t* const device = OpenDevice(fake_);
  hal_event_t* event = nullptr;
  EXPECT_EQ(hal_event_create(device, &event), HAL_STATUS_UNIMPLEMENTED);
  EXPECT_STREQ(hal_last_error_message(),
               "hal_event_create: driver 'tables-test' does not implement device.create_event");

  EXPECT_EQ(hal_device_drain(device, 0), HAL_STATUS_UNIMPLEMENTED) << "as of plugins that are older than the function";
  EXPECT_STREQ(hal_last_error_message(), "hal_device_drain: driver 'tables-test' does not implement device.drain");

  hal_allocator_statistics_t statistics = HAL_INIT(hal_allocator_statistics_t);
  EXPECT_EQ(hal_allocator_query_statistics(hal_device_allocator(device), &statistics), HAL_STATUS_UNIMPLEMENTED);
  EXPECT_STREQ(hal_last_error_message(),
               "hal_allocator_query_statistics: driver 'tables-test' does not implement allocator.query_statistics");
}

TEST_F(DriverTablesTest, SomeAbsencesMeanThatThereIsNothingToDo) {
  fake_.buffer.unmap = nullptr;
  fake_.buffer.flush = nullptr;
  fake_.buffer.invalidate = nullptr;
  hal_device_t* const device = OpenDevice(fake_);
  EXPECT_EQ(hal_device_query_health(device), HAL_STATUS_OK);
  EXPECT_EQ(hal_allocator_trim(hal_device_allocator(device)), HAL_STATUS_OK);

  hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  params.usage |= HAL_BUFFER_USAGE_MAPPING;
  hal_buffer_t* buffer = nullptr;
  ASSERT_EQ(hal_allocator_allocate(hal_device_allocator(device), &params, 16, &buffer), HAL_STATUS_OK);
  void* pointer = nullptr;
  EXPECT_EQ(hal_buffer_map(buffer, HAL_MAP_ACCESS_WRITE, 0, 16, &pointer), HAL_STATUS_OK);
  EXPECT_EQ(hal_buffer_flush(buffer, 0, 16), HAL_STATUS_OK);
  EXPECT_EQ(hal_buffer_invalidate(buffer, 0, 16), HAL_STATUS_OK);
  EXPECT_EQ(hal_buffer_unmap(buffer), HAL_STATUS_OK);
  hal_buffer_release(buffer);
}

TEST_F(DriverTablesTest, NoExtensionsAndNoFormats) {
  hal_device_t* const device = OpenDevice(fake_);
  const void* table = &table;
  EXPECT_EQ(hal_device_query_interface(device, hal_string_view("halyard.x"), 1, &table), HAL_STATUS_UNIMPLEMENTED);
  EXPECT_TRUE(MessageHas("driver 'tables-test' has no extension 'halyard.x'"));
  EXPECT_EQ(table, nullptr);
  EXPECT_EQ(hal_device_query_format(device, hal_string_view("ptx")), HAL_STATUS_INCOMPATIBLE);
  EXPECT_TRUE(MessageHas("tables-test"));
}

}  // namespace
}  // namespace halyard
