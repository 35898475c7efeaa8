// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a device is named.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>

#include "interop_test.h"

namespace halyard::interop {
namespace {

using testing::HasSubstr;

class EnumerationTest : public testing::Test {
 protected:
  void SetUp() override {
    setenv("HALYARD_CUDA_LIBRARY", HALYARD_SIM_LIBRARY, 1);
    ASSERT_CU(sim::CudaApi::Get().cuInit(0));
  }
  static hal_status_t Open(const std::string& id, Ref<hal_device_t>* out) {
    return hal_device_create(hal_string_view(("cuda://" + id).c_str()), out->out());
  }
  /// The id that the device has, however it was asked for.
  static std::string IdOf(const std::string& id) {
    Ref<hal_device_t> device;
    EXPECT_OK(Open(id, &device)) << id;
    return device ? hal_device_info(device.get())->id.data : "";
  }
  static std::string PciOf(int ordinal) {
    std::array<char, 64> pci{};
    EXPECT_CU(sim::CudaApi::Get().cuDeviceGetPCIBusId(pci.data(), static_cast<int>(pci.size()), ordinal));
    return pci.data();
  }
  static std::string With(std::string text, int (*convert)(int)) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [&](unsigned char c) { return static_cast<char>(convert(c)); });
    return text;
  }
};

TEST_F(EnumerationTest, OrdinalUuidAndAddressNameTheSameDevice) {
  std::array<std::string, 2> ids;
  for (int i = 0; i < 2; ++i) {
    std::string& id = ids[static_cast<size_t>(i)];
    id = IdOf(std::to_string(i));
    EXPECT_THAT(id, testing::MatchesRegex("GPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"));
    const std::string pci = PciOf(i);
    for (const std::string& name : {id, With(pci, std::tolower), With(pci, std::toupper)}) EXPECT_EQ(IdOf(name), id);
  }
  EXPECT_NE(ids[0], ids[1]);
  EXPECT_EQ(IdOf(""), ids[0]) << "the first one is the default";
}

TEST_F(EnumerationTest, UnknownDevicesAreToldFromThoseThereAre) {
  const std::string first = IdOf("0");
  const std::string second = IdOf("1");
  for (const char* id : {"2", "GPU-00000000-0000-0000-0000-000000000000", "0000:ff:1f.0", "-1", "0x0"}) {
    Ref<hal_device_t> device;
    EXPECT_EQ(Open(id, &device), HAL_STATUS_NOT_FOUND) << id;
    EXPECT_THAT(hal_last_error_message(), testing::AllOf(HasSubstr(id), HasSubstr(first), HasSubstr(second)));
  }
  Ref<hal_device_t> device;
  EXPECT_EQ(Open("2", &device), HAL_STATUS_NOT_FOUND);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("driver 'cuda' has no device 2: it has 2, counted from 0; known: "));
}

// A driver of CUDA tells its version when it is loaded, once in a process.
TEST(DriverVersionTest, TooOldADriverIsToldWhatIsNeeded) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // starts the program again
  const auto open = [] {
    setenv("HALYARD_CUDA_LIBRARY", HALYARD_SIM_LIBRARY, 1);
    setenv("HALYARD_SIM_DRIVER_VERSION", "11080", 1);
    Ref<hal_device_t> device;
    const hal_status_t status = hal_device_create(hal_string_view("cuda://0"), device.out());
    std::fprintf(stderr, "%s\n", hal_last_error_message());
    std::exit(status == HAL_STATUS_UNAVAILABLE ? 0 : 1);
  };
  EXPECT_EXIT(open(), testing::ExitedWithCode(0), "is a driver for CUDA 11\\.8; 12\\.0 or newer is needed");
}

}  // namespace
}  // namespace halyard::interop
