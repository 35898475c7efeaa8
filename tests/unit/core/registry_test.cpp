// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "halyard/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "fake_driver.h"

namespace halyard {
namespace {

using ::testing::ElementsAre;
using testing::FakeDriverTest;
using testing::FakeInterface;
using testing::MessageHas;
using ::testing::Pair;
using testing::State;

class RegistryTest : public FakeDriverTest {
 protected:
  hal_status_t Register(const FakeInterface& fake) { return hal_registry_register_driver(registry_, &fake.tables); }

  hal_status_t CreateDevice(const char* uri, const std::vector<hal_key_value_t>& pairs = {}) {
    hal_device_t* device = reinterpret_cast<hal_device_t*>(this);
    const hal_status_t status =
        hal_registry_create_device(registry_, hal_string_view(uri), pairs.size(), pairs.data(), &device);
    EXPECT_EQ(device != nullptr, status == HAL_STATUS_OK);
    hal_device_release(device);
    return status;
  }

  std::vector<hal_driver_info_t> Drivers() {
    size_t count = 0;
    EXPECT_EQ(hal_registry_list_drivers(registry_, &count, nullptr), HAL_STATUS_OK);
    std::vector<hal_driver_info_t> drivers(count, hal_driver_info_t(HAL_INIT(hal_driver_info_t)));
    EXPECT_EQ(hal_registry_list_drivers(registry_, &count, drivers.data()), HAL_STATUS_OK);
    return drivers;
  }
};

hal_string_view_t Path(const std::string& path) { return {path.data(), path.size()}; }

TEST_F(RegistryTest, ListsWhatIsRegistered) {
  const size_t before = Drivers().size();
  FakeInterface fake("mine");
  ASSERT_EQ(Register(fake), HAL_STATUS_OK);
  const std::vector<hal_driver_info_t> drivers = Drivers();
  ASSERT_EQ(drivers.size(), before + 1);
  EXPECT_EQ(std::string(drivers.back().name.data), "mine") << "names end in a zero byte";
  EXPECT_EQ(std::string(drivers.back().description.data), "a driver for tests");
  EXPECT_FALSE(drivers.back().is_plugin);
}

TEST_F(RegistryTest, TooShortAListSaysHowManyThereAre) {
  FakeInterface one("one");
  FakeInterface two("two");
  ASSERT_EQ(Register(one), HAL_STATUS_OK);
  ASSERT_EQ(Register(two), HAL_STATUS_OK);
  size_t count = 1;
  hal_driver_info_t info = HAL_INIT(hal_driver_info_t);
  EXPECT_EQ(hal_registry_list_drivers(registry_, &count, &info), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(count, Drivers().size());
  EXPECT_EQ(info.name.data, nullptr);
}

TEST_F(RegistryTest, ElementsOfAnOlderCallerAreNarrower) {
  struct OlderInfo {
    size_t struct_size;
    hal_string_view_t name;
  };
  FakeInterface one("one");
  FakeInterface two("two");
  ASSERT_EQ(Register(one), HAL_STATUS_OK);
  ASSERT_EQ(Register(two), HAL_STATUS_OK);
  const std::vector<hal_driver_info_t> expected = Drivers();
  std::vector<OlderInfo> older(expected.size(), OlderInfo{sizeof(OlderInfo), {}});
  size_t count = older.size();
  ASSERT_EQ(hal_registry_list_drivers(registry_, &count, reinterpret_cast<hal_driver_info_t*>(older.data())),
            HAL_STATUS_OK);
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_STREQ(older[i].name.data, expected[i].name.data);
    EXPECT_EQ(older[i].struct_size, sizeof(OlderInfo));
  }
}

TEST_F(RegistryTest, NameIsTakenOnce) {
  FakeInterface fake("mine");
  ASSERT_EQ(Register(fake), HAL_STATUS_OK);
  EXPECT_EQ(Register(fake), HAL_STATUS_ALREADY_EXISTS);
  EXPECT_TRUE(MessageHas("already has a driver 'mine'"));
}

TEST_F(RegistryTest, DriverIsOpenedOnceAndShared) {
  FakeInterface fake("mine");
  ASSERT_EQ(Register(fake), HAL_STATUS_OK);
  hal_driver_t* first = nullptr;
  hal_driver_t* second = nullptr;
  ASSERT_EQ(hal_registry_open_driver(registry_, hal_string_view("mine"), &first), HAL_STATUS_OK);
  ASSERT_EQ(hal_registry_open_driver(registry_, hal_string_view("mine"), &second), HAL_STATUS_OK);
  EXPECT_EQ(first, second);
  EXPECT_EQ(State().drivers_created, 1);
  hal_driver_release(first);
  hal_driver_release(second);
}

TEST_F(RegistryTest, DriverIsOpenedOnceByManyThreads) {
  FakeInterface fake("mine");
  ASSERT_EQ(Register(fake), HAL_STATUS_OK);
  std::vector<std::thread> threads;
  std::vector<hal_driver_t*> drivers(8);
  for (hal_driver_t*& driver : drivers) {
    threads.emplace_back([&] { hal_registry_open_driver(registry_, hal_string_view("mine"), &driver); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(State().drivers_created, 1);
  for (hal_driver_t* driver : drivers) {
    EXPECT_EQ(driver, drivers[0]);
    hal_driver_release(driver);
  }
}

TEST_F(RegistryTest, FailedOpenIsRetried) {
  FakeInterface fake("mine");
  ASSERT_EQ(Register(fake), HAL_STATUS_OK);
  State().next_open = HAL_STATUS_UNAVAILABLE;
  EXPECT_EQ(CreateDevice("mine"), HAL_STATUS_UNAVAILABLE);
  EXPECT_STREQ(hal_last_error_message(), "hal_registry_create_device: driver 'mine': libfake.so is missing");
  State().next_open = HAL_STATUS_OK;
  EXPECT_EQ(CreateDevice("mine"), HAL_STATUS_OK);
}

TEST_F(RegistryTest, DriverThatMakesNothingIsABug) {
  FakeInterface fake("mine");
  ASSERT_EQ(Register(fake), HAL_STATUS_OK);
  State().makes_nothing = true;
  EXPECT_EQ(CreateDevice("mine"), HAL_STATUS_INTERNAL);
  EXPECT_TRUE(MessageHas("made no object"));
}

TEST_F(RegistryTest, DeviceWithoutLimitsIsABug) {
  FakeInterface fake("mine");
  ASSERT_EQ(Register(fake), HAL_STATUS_OK);
  State().has_limits = false;
  EXPECT_EQ(CreateDevice("mine"), HAL_STATUS_INTERNAL);
  EXPECT_TRUE(MessageHas("made a device without limits"));
}

TEST_F(RegistryTest, UnknownDriverNamesThoseThatExist) {
  FakeInterface fake("locomotive");
  ASSERT_EQ(Register(fake), HAL_STATUS_OK);
  EXPECT_EQ(CreateDevice("locomotiv"), HAL_STATUS_NOT_FOUND);
  EXPECT_TRUE(MessageHas("no driver 'locomotiv'; did you mean 'locomotive'? known: "));
  hal_driver_t* driver = nullptr;
  EXPECT_EQ(hal_registry_open_driver(registry_, hal_string_view("x"), &driver), HAL_STATUS_NOT_FOUND);
  EXPECT_EQ(driver, nullptr);
}

TEST_F(RegistryTest, DeviceByUri) {
  FakeInterface fake("mine");
  ASSERT_EQ(Register(fake), HAL_STATUS_OK);
  ASSERT_EQ(CreateDevice("mine://one?a=1&b=2"), HAL_STATUS_OK);
  EXPECT_EQ(State().device_id, "one");
  EXPECT_THAT(State().parameters, ElementsAre(Pair("a", "1"), Pair("b", "2")));
}

TEST_F(RegistryTest, PairsComeAfterThoseOfTheUri) {
  FakeInterface fake("mine");
  ASSERT_EQ(Register(fake), HAL_STATUS_OK);
  ASSERT_EQ(CreateDevice("mine://?a=1", {{hal_string_view("a"), hal_string_view("2")}}), HAL_STATUS_OK);
  EXPECT_EQ(State().device_id, "");
  EXPECT_THAT(State().parameters, ElementsAre(Pair("a", "1"), Pair("a", "2")));
}

TEST_F(RegistryTest, MalformedUriOrPairs) {
  FakeInterface fake("mine");
  ASSERT_EQ(Register(fake), HAL_STATUS_OK);
  EXPECT_EQ(CreateDevice("mine:one"), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(CreateDevice("mine", {{hal_string_view(""), hal_string_view("2")}}), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("pairs[0].key is empty"));
  hal_device_t* device = nullptr;
  EXPECT_EQ(hal_registry_create_device(registry_, hal_string_view("mine"), 1, nullptr, &device),
            HAL_STATUS_INVALID_ARGUMENT);
}

TEST_F(RegistryTest, DriversAndDevicesOutliveTheRegistry) {
  FakeInterface fake("mine");
  hal_registry_t* registry = nullptr;
  ASSERT_EQ(hal_registry_create(&registry), HAL_STATUS_OK);
  ASSERT_EQ(hal_registry_register_driver(registry, &fake.tables), HAL_STATUS_OK);
  hal_device_t* device = nullptr;
  ASSERT_EQ(hal_registry_create_device(registry, hal_string_view("mine"), 0, nullptr, &device), HAL_STATUS_OK);
  hal_registry_release(registry);
  EXPECT_STREQ(hal_device_info(device)->driver.data, "mine");
  hal_event_t* event = nullptr;
  ASSERT_EQ(hal_event_create(device, &event), HAL_STATUS_OK);
  hal_device_release(device);
  EXPECT_EQ(State().live_objects, 3) << "the event keeps the device, which keeps the driver";
  hal_event_release(event);
  EXPECT_EQ(State().live_objects, 0);
}

TEST_F(RegistryTest, ListsDevicesOfADriver) {
  FakeInterface fake("mine");
  ASSERT_EQ(Register(fake), HAL_STATUS_OK);
  hal_driver_t* driver = nullptr;
  ASSERT_EQ(hal_registry_open_driver(registry_, hal_string_view("mine"), &driver), HAL_STATUS_OK);
  size_t count = 0;
  EXPECT_EQ(hal_driver_list_devices(driver, &count, nullptr), HAL_STATUS_OK);
  EXPECT_EQ(count, 2u);
  hal_device_summary_t summaries[2] = {HAL_INIT(hal_device_summary_t), HAL_INIT(hal_device_summary_t)};
  EXPECT_EQ(hal_driver_list_devices(driver, &count, summaries), HAL_STATUS_OK);
  EXPECT_STREQ(summaries[1].id.data, "one");
  count = 1;
  EXPECT_EQ(hal_driver_list_devices(driver, &count, summaries), HAL_STATUS_OUT_OF_RANGE);
  EXPECT_EQ(count, 2u);
  hal_driver_release(driver);
}

TEST_F(RegistryTest, DeviceOfADriver) {
  FakeInterface fake("mine");
  ASSERT_EQ(Register(fake), HAL_STATUS_OK);
  hal_driver_t* driver = nullptr;
  ASSERT_EQ(hal_registry_open_driver(registry_, hal_string_view("mine"), &driver), HAL_STATUS_OK);
  hal_device_t* device = nullptr;
  ASSERT_EQ(hal_driver_create_device(driver, hal_string_view("one"), 0, nullptr, &device), HAL_STATUS_OK);
  EXPECT_EQ(State().device_id, "one");
  EXPECT_EQ(hal_device_allocator(device)->device, device);
  hal_device_release(device);
  hal_driver_release(driver);
}

TEST_F(RegistryTest, AllocatorKeepsItsDevice) {
  FakeInterface fake("mine");
  ASSERT_EQ(Register(fake), HAL_STATUS_OK);
  hal_device_t* device = nullptr;
  ASSERT_EQ(hal_registry_create_device(registry_, hal_string_view("mine"), 0, nullptr, &device), HAL_STATUS_OK);
  hal_allocator_t* const allocator = hal_device_allocator(device);
  hal_allocator_retain(allocator);
  hal_device_release(device);
  EXPECT_EQ(State().live_objects, 2);
  hal_allocator_release(allocator);
  EXPECT_EQ(State().live_objects, 1);
}

TEST_F(RegistryTest, NullArguments) {
  FakeInterface fake("mine");
  hal_device_t* device = nullptr;
  hal_driver_t* driver = nullptr;
  size_t count = 3;
  EXPECT_EQ(hal_registry_create(nullptr), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_registry_register_driver(nullptr, &fake.tables), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_registry_register_driver(registry_, nullptr), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_registry_list_drivers(nullptr, &count, nullptr), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(hal_registry_list_drivers(registry_, nullptr, nullptr), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_registry_open_driver(nullptr, {}, &driver), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_registry_open_driver(registry_, {}, nullptr), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_registry_open_driver(registry_, {}, &driver), HAL_STATUS_NOT_FOUND);
  EXPECT_EQ(hal_registry_create_device(nullptr, {}, 0, nullptr, &device), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_registry_create_device(registry_, {}, 0, nullptr, nullptr), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_device_create({}, &device), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_device_create(hal_string_view("mine"), nullptr), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_driver_list_devices(nullptr, &count, nullptr), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_driver_create_device(nullptr, {}, 0, nullptr, &device), HAL_STATUS_INVALID_ARGUMENT);
  hal_registry_retain(nullptr);
  hal_registry_release(nullptr);
  hal_driver_retain(nullptr);
  hal_driver_release(nullptr);
}

TEST(DefaultRegistryTest, IsOneAndStays) {
  hal_registry_t* const registry = hal_registry_default();
  ASSERT_NE(registry, nullptr);
  hal_registry_release(registry);
  hal_registry_release(registry);
  EXPECT_EQ(hal_registry_default(), registry);
  size_t count = 0;
  EXPECT_EQ(hal_registry_list_drivers(registry, &count, nullptr), HAL_STATUS_OK);
}

TEST_F(RegistryTest, PluginThatIsNotThere) {
  EXPECT_EQ(hal_registry_load_plugin(registry_, hal_string_view("/nowhere/plugin.so")), HAL_STATUS_NOT_FOUND);
  EXPECT_TRUE(MessageHas("/nowhere/plugin.so"));
  EXPECT_EQ(hal_registry_load_plugin(registry_, hal_string_view("no-such-plugin.so")), HAL_STATUS_NOT_FOUND);
  EXPECT_EQ(hal_registry_load_plugin(registry_, {}), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_registry_load_plugin(registry_, {"libc.so.6\0x", 11}), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_TRUE(MessageHas("hal_registry_load_plugin: path holds a zero byte"));
  EXPECT_EQ(hal_registry_load_plugin(nullptr, hal_string_view("x")), HAL_STATUS_INVALID_ARGUMENT);
}

TEST_F(RegistryTest, FileThatIsNoSharedObject) {
  const std::string path = ::testing::TempDir() + "halyard-no-plugin-" + std::to_string(::getpid()) + ".so";
  std::ofstream(path) << "just words";
  EXPECT_EQ(hal_registry_load_plugin(registry_, Path(path)), HAL_STATUS_INCOMPATIBLE);
  EXPECT_TRUE(MessageHas(path.c_str()));
  std::filesystem::remove(path);
}

#if defined(__linux__)
TEST_F(RegistryTest, SharedObjectThatIsNoPlugin) {
  EXPECT_EQ(hal_registry_load_plugin(registry_, hal_string_view("libc.so.6")), HAL_STATUS_INCOMPATIBLE);
  EXPECT_TRUE(MessageHas("does not export hal_plugin_entry"));
}
#endif

}  // namespace
}  // namespace halyard
