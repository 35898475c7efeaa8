// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Drivers by name, devices by URI. The driver under test is whatever --device names.
#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cts/cts.h"
#include "cts/runner/patience.h"
#include "support/temporary_files.h"

namespace halyard::cts {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class RegistryTest : public DeviceTest {
 protected:
  static std::string DriverName() { return Text(device().info().driver); }
  static std::string DeviceId() { return Text(device().info().id); }
  static std::string Uri(const std::string& rest) { return DriverName() + "://" + rest; }

  static std::vector<hal_driver_info_t> ListDrivers(hal_registry_t* registry) {
    size_t count = 0;
    Check(hal_registry_list_drivers(registry, &count, nullptr), "hal_registry_list_drivers");
    std::vector<hal_driver_info_t> drivers(count, HAL_INIT(hal_driver_info_t));
    Check(hal_registry_list_drivers(registry, &count, drivers.data()), "hal_registry_list_drivers");
    drivers.resize(count);
    return drivers;
  }
  static Driver OpenDriver(hal_registry_t* registry, const std::string& name = DriverName()) {
    Driver driver;
    Check(hal_registry_open_driver(registry, View(name), driver.out()), "hal_registry_open_driver");
    return driver;
  }
  static std::vector<hal_device_summary_t> ListDevices(const Driver& driver) {
    size_t count = 0;
    Check(hal_driver_list_devices(driver, &count, nullptr), "hal_driver_list_devices");
    std::vector<hal_device_summary_t> devices(count, HAL_INIT(hal_device_summary_t));
    Check(hal_driver_list_devices(driver, &count, devices.data()), "hal_driver_list_devices");
    devices.resize(count);
    return devices;
  }
  static hal_status_t Create(std::string_view uri, Device* device) {
    return hal_registry_create_device(SuiteRegistry(), View(uri), 0, nullptr, device->out());
  }
  /// Expects that a device does what devices do.
  static void ExpectWorks(const Device& device) {
    const Semaphore done = device.CreateSemaphore();
    EXPECT_OK(device.QueueBarrier(kNoWaits, {{done, 1}}));
    EXPECT_OK(done.Wait(1));
    EXPECT_OK(hal_device_query_health(device));
  }
};

TEST_F(RegistryTest, VersionIsThatOfTheHeaders) {
  EXPECT_EQ(hal_version() >> 16, static_cast<uint32_t>(HAL_VERSION_MAJOR));
}

TEST_F(RegistryTest, DefaultIsOneObject) {
  ASSERT_NE(hal_registry_default(), nullptr);
  EXPECT_EQ(hal_registry_default(), hal_registry_default());
}

TEST_F(RegistryTest, DefaultMayBeRetainedAndReleased) {
  hal_registry_retain(hal_registry_default());
  hal_registry_release(hal_registry_default());
  EXPECT_NE(hal_registry_default(), nullptr);
  EXPECT_FALSE(ListDrivers(hal_registry_default()).empty());
}

TEST_F(RegistryTest, ListsTheDriverUnderTest) {
  const std::vector<hal_driver_info_t> drivers = ListDrivers(SuiteRegistry());
  const bool found = std::any_of(drivers.begin(), drivers.end(),
                                 [](const hal_driver_info_t& driver) { return Text(driver.name) == DriverName(); });
  EXPECT_TRUE(found);
}

TEST_F(RegistryTest, DriverNamesAreUniqueAndPlain) {
  std::set<std::string> names;
  for (const hal_driver_info_t& driver : ListDrivers(SuiteRegistry())) {
    const std::string name = Text(driver.name);
    EXPECT_TRUE(names.insert(name).second) << name << " twice";
    EXPECT_FALSE(name.empty());
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_"), std::string::npos) << name;
    EXPECT_GT(driver.description.size, 0u) << name;
    EXPECT_EQ(driver.name.data[driver.name.size], '\0') << "returned strings end in a zero byte";
  }
}

TEST_F(RegistryTest, ListsNeedRoom) {
  size_t count = 0;
  ASSERT_OK(hal_registry_list_drivers(SuiteRegistry(), &count, nullptr));
  ASSERT_GE(count, 1u);
  const size_t all = count;
  std::vector<hal_driver_info_t> drivers(all, HAL_INIT(hal_driver_info_t));
  count = 0;
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, hal_registry_list_drivers(SuiteRegistry(), &count, drivers.data()));
  EXPECT_EQ(count, all);
  drivers.resize(all + 3, HAL_INIT(hal_driver_info_t));
  count = all + 3;
  EXPECT_OK(hal_registry_list_drivers(SuiteRegistry(), &count, drivers.data()));
  EXPECT_EQ(count, all);
}

TEST_F(RegistryTest, EveryDriverOpensOrSaysWhyNot) {
  for (const hal_driver_info_t& info : ListDrivers(SuiteRegistry())) {
    Driver driver;
    const hal_status_t status = hal_registry_open_driver(SuiteRegistry(), info.name, driver.out());
    if (status == HAL_STATUS_OK) continue;
    EXPECT_STATUS(HAL_STATUS_UNAVAILABLE, status) << Text(info.name);
    EXPECT_STRNE(hal_last_error_message(), "");
  }
}

TEST_F(RegistryTest, DriverIsOpenedOnceForARegistry) {
  const Driver first = OpenDriver(SuiteRegistry());
  const Driver second = OpenDriver(SuiteRegistry());
  EXPECT_EQ(first.get(), second.get());
}

TEST_F(RegistryTest, UnknownDriverNamesThoseThatExist) {
  Driver driver;
  EXPECT_STATUS(HAL_STATUS_NOT_FOUND,
                hal_registry_open_driver(SuiteRegistry(), hal_string_view("abacus"), driver.out()));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("abacus"));
  EXPECT_THAT(hal_last_error_message(), HasSubstr(DriverName()));
  Device device;
  EXPECT_STATUS(HAL_STATUS_NOT_FOUND, Create("abacus://", &device));
  EXPECT_THAT(hal_last_error_message(), HasSubstr(DriverName()));
  EXPECT_EQ(device.get(), nullptr);
}

TEST_F(RegistryTest, DeviceSummariesAreComplete) {
  const Driver driver = OpenDriver(SuiteRegistry());
  const std::vector<hal_device_summary_t> devices = ListDevices(driver);
  ASSERT_FALSE(devices.empty());
  std::set<std::string> ids;
  for (const hal_device_summary_t& summary : devices) {
    EXPECT_TRUE(ids.insert(Text(summary.id)).second) << Text(summary.id) << " twice";
    EXPECT_GT(summary.id.size, 0u);
    EXPECT_GT(summary.name.size, 0u);
  }
  EXPECT_TRUE(ids.count(DeviceId())) << "the device under test is among them";
}

TEST_F(RegistryTest, DeviceListNeedsRoom) {
  const Driver driver = OpenDriver(SuiteRegistry());
  const size_t all = ListDevices(driver).size();
  size_t count = all - 1;
  std::vector<hal_device_summary_t> devices(all, HAL_INIT(hal_device_summary_t));
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, hal_driver_list_devices(driver, &count, devices.data()));
  EXPECT_EQ(count, all);
}

TEST_F(RegistryTest, DeviceInfoIsComplete) {
  const hal_device_info_t& info = device().info();
  EXPECT_GE(info.struct_size, sizeof(hal_device_info_t));
  EXPECT_GT(info.name.size, 0u);
  EXPECT_GE(info.queue_count, 1u);
  EXPECT_LE(info.queue_count, 64u);
  EXPECT_GE(info.limits->struct_size, sizeof(hal_device_limits_t));
  EXPECT_GE(info.limits->max_workgroup_count.x, 1u);
  EXPECT_GE(info.limits->max_workgroup_size.x, 1u);
  EXPECT_GE(info.limits->max_workgroup_volume, 1u);
  EXPECT_GE(info.limits->max_bindings, 8u);
  EXPECT_GE(info.limits->max_constants_size, 64u);
  EXPECT_GE(info.limits->max_descriptor_sets, 1u);
}

TEST_F(RegistryTest, EveryDeviceOpensByIdAndByOrdinal) {
  const Driver driver = OpenDriver(SuiteRegistry());
  const std::vector<hal_device_summary_t> devices = ListDevices(driver);
  for (uint32_t ordinal = 0; ordinal < devices.size(); ++ordinal) {
    for (const std::string& id : {Text(devices[ordinal].id), std::to_string(ordinal)}) {
      Device device;
      ASSERT_OK(Create(Uri(id), &device)) << Uri(id);
      EXPECT_EQ(Text(device.info().id), Text(devices[ordinal].id));
      EXPECT_EQ(Text(device.info().name), Text(devices[ordinal].name));
      EXPECT_EQ(Text(device.info().driver), DriverName());
      EXPECT_EQ(device.info().ordinal, ordinal);
      ExpectWorks(device);
      ASSERT_OK(hal_driver_create_device(driver, View(id), 0, nullptr, device.out())) << id;
      EXPECT_EQ(device.info().ordinal, ordinal);
    }
  }
}

TEST_F(RegistryTest, FirstDeviceIsTheDefault) {
  const Driver driver = OpenDriver(SuiteRegistry());
  const std::string first = Text(ListDevices(driver).front().id);
  Device device;
  ASSERT_OK(Create(DriverName(), &device));
  EXPECT_EQ(Text(device.info().id), first);
  ASSERT_OK(Create(Uri(""), &device));
  EXPECT_EQ(Text(device.info().id), first);
  ASSERT_OK(hal_driver_create_device(driver, hal_string_view(""), 0, nullptr, device.out()));
  EXPECT_EQ(Text(device.info().id), first);
}

TEST_F(RegistryTest, UnknownDeviceNamesThoseThatExist) {
  const Driver driver = OpenDriver(SuiteRegistry());
  const std::string beyond = std::to_string(ListDevices(driver).size());
  for (const std::string& id : {std::string("no-such-device"), beyond, std::string("99999999999999999999")}) {
    Device device;
    EXPECT_STATUS(HAL_STATUS_NOT_FOUND, Create(Uri(id), &device)) << id;
    EXPECT_THAT(hal_last_error_message(), HasSubstr(DeviceId()));
    EXPECT_STATUS(HAL_STATUS_NOT_FOUND, hal_driver_create_device(driver, View(id), 0, nullptr, device.out()));
    EXPECT_EQ(device.get(), nullptr);
  }
}

TEST_F(RegistryTest, UnknownParameterIsRefusedByName) {
  Device device;
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Create(Uri(DeviceId() + "?thraeds=4"), &device));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("thraeds"));
  const hal_key_value_t pair = {hal_string_view("colour"), hal_string_view("blue")};
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT,
                hal_registry_create_device(SuiteRegistry(), View(Uri(DeviceId())), 1, &pair, device.out()));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("colour"));
  const Driver driver = OpenDriver(SuiteRegistry());
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT,
                hal_driver_create_device(driver, View(DeviceId()), 1, &pair, device.out()));
  EXPECT_EQ(device.get(), nullptr);
}

TEST_F(RegistryTest, UriIsTakenByItsLength) {
  const std::string uri = Uri(DeviceId());
  const std::string longer = uri + "-and-more";
  Device device;
  EXPECT_OK(Create(std::string_view(longer).substr(0, uri.size()), &device));
}

TEST_F(RegistryTest, ShortFormOpensThroughTheDefaultRegistry) {
  Device device;
  if (options().plugins.empty()) {
    ASSERT_OK(hal_device_create(View(Uri(DeviceId())), device.out()));
    ExpectWorks(device);
  }
  EXPECT_STATUS(HAL_STATUS_NOT_FOUND, hal_device_create(hal_string_view("abacus"), device.out()));
}

/// A URI that is wrong whatever drivers there are; DRIVER stands for the name of the one under test.
struct BadUri {
  const char* name;
  const char* uri;
};
void PrintTo(const BadUri& uri, std::ostream* out) { *out << uri.uri; }

class RegistryUriTest : public DeviceTestWith<BadUri> {};

TEST_P(RegistryUriTest, IsRefused) {
  std::string uri = GetParam().uri;
  const size_t place = uri.find("DRIVER");
  if (place != std::string::npos) uri.replace(place, 6, Text(device().info().driver));
  Device opened;
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT,
                hal_registry_create_device(SuiteRegistry(), View(uri), 0, nullptr, opened.out()));
  EXPECT_STRNE(hal_last_error_message(), "");
  EXPECT_EQ(opened.get(), nullptr);
}

INSTANTIATE_TEST_SUITE_P(
    Malformed, RegistryUriTest,
    testing::Values(BadUri{"Empty", ""}, BadUri{"OnlyTheSeparator", "://"}, BadUri{"NoDriver", "://0"},
                    BadUri{"OnlyAColon", ":"}, BadUri{"OnlyParameters", "?key=value"}, BadUri{"Blank", " "},
                    BadUri{"NoSlashes", "DRIVER:"}, BadUri{"OneSlash", "DRIVER:/0"}, BadUri{"NoColon", "DRIVER//0"},
                    BadUri{"BlankInFront", " DRIVER"}, BadUri{"BlankBehind", "DRIVER "},
                    BadUri{"CapitalLetters", "Some-Driver"}, BadUri{"BlankInName", "some driver"},
                    BadUri{"ParameterWithoutValue", "DRIVER://?key"}, BadUri{"ParameterWithoutKey", "DRIVER://?=4"},
                    BadUri{"EmptyParameter", "DRIVER://?&"}, BadUri{"UnknownParameter", "DRIVER://?no-such-key=1"},
                    BadUri{"UnknownParameterWithoutId", "DRIVER?no-such-key=1"},
                    BadUri{"BadPercentCode", "DRIVER://?key=%zz"}, BadUri{"CutPercentCode", "DRIVER://%4"}),
    ByName);

TEST_F(RegistryTest, DevicesCanBeOpenedAgainAndAgain) {
  for (size_t i = 0; i < kOpeningsInTurn; ++i) ExpectWorks(OpenDevice(options().device));
}

TEST_F(RegistryTest, DevicesCanBeOpenedFromManyThreads) {
  OnThreads(kOpeningThreads, [](size_t) {
    for (size_t i = 0; i < kOpeningsOfAThread; ++i) ExpectWorks(OpenDevice(options().device));
  });
}

TEST_F(RegistryTest, OwnRegistriesAreIndependent) {
  const Registry first = CreateRegistry();
  const Registry second = CreateRegistry();
  EXPECT_NE(first.get(), second.get());
  EXPECT_EQ(ListDrivers(first).size(), ListDrivers(second).size());
  const Driver driver = OpenDriver(first);
  EXPECT_NE(driver.get(), OpenDriver(second).get());
}

TEST_F(RegistryTest, DeviceOutlivesRegistryAndDriver) {
  Device device;
  {
    const Registry registry = CreateRegistry();
    const Driver driver = OpenDriver(registry);
    ASSERT_OK(hal_driver_create_device(driver, View(DeviceId()), 0, nullptr, device.out()));
  }
  ExpectWorks(device);
  EXPECT_EQ(Text(device.info().id), DeviceId());
}

TEST_F(RegistryTest, PluginThatIsMissing) {
  const Registry registry = CreateRegistry();
  EXPECT_STATUS(HAL_STATUS_NOT_FOUND, hal_registry_load_plugin(registry, hal_string_view("/no/such/plugin.so")));
  EXPECT_THAT(hal_last_error_message(), HasSubstr("/no/such/plugin.so"));
}

TEST_F(RegistryTest, PluginThatIsNoLibrary) {
  const TemporaryFile file(std::vector<uint8_t>(1000, 'x'));
  const Registry registry = CreateRegistry();
  const size_t before = ListDrivers(registry).size();
  EXPECT_STATUS(HAL_STATUS_INCOMPATIBLE, hal_registry_load_plugin(registry, View(file.path())));
  EXPECT_THAT(hal_last_error_message(), HasSubstr(file.path()));
  EXPECT_THAT(ListDrivers(registry), SizeIs(before));
}

TEST_F(RegistryTest, PluginLoadedTwice) {
  const Registry registry = CreateRegistry();
  for (const std::string& plugin : options().plugins) {
    EXPECT_STATUS(HAL_STATUS_ALREADY_EXISTS, hal_registry_load_plugin(registry, View(plugin)));
  }
}

TEST_F(RegistryTest, UnknownInterfaceIsUnimplemented) {
  const void* table = nullptr;
  EXPECT_STATUS(HAL_STATUS_UNIMPLEMENTED,
                hal_device_query_interface(device(), hal_string_view("halyard.no-such-extension"), 1, &table));
  EXPECT_EQ(table, nullptr);
}

TEST_F(RegistryTest, UnknownFormatNamesThoseThatAreTaken) {
  EXPECT_STATUS(HAL_STATUS_INCOMPATIBLE, hal_device_query_format(device(), hal_string_view("punch-cards")));
  const std::string message = hal_last_error_message();
  EXPECT_THAT(message, HasSubstr("punch-cards"));
  EXPECT_THAT(message, HasSubstr(KernelSource(device(), "basic").format()));
}

}  // namespace
}  // namespace halyard::cts
