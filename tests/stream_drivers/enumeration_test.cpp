// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a device is named.
#include <algorithm>
#include <array>
#include <cctype>

#include "interop_test.h"

namespace halyard::interop {
namespace {

using testing::HasSubstr;

class EnumerationTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_DONE(vendor::Initialize()); }
  static hal_status_t Open(const std::string& id, Ref<hal_device_t>* out) {
    return hal_device_create(hal_string_view((vendor::kNames.driver + ("://" + id)).c_str()), out->out());
  }
  /// The id that the device has, however it was asked for.
  static std::string IdOf(const std::string& id) {
    Ref<hal_device_t> device;
    EXPECT_OK(Open(id, &device)) << id;
    return device ? hal_device_info(device.get())->id.data : "";
  }
  static std::string PciOf(int ordinal) {
    std::array<char, 64> pci{};
    EXPECT_DONE(vendor::PciAddress(ordinal, pci.data(), static_cast<int>(pci.size())));
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
    EXPECT_THAT(id, testing::MatchesRegex(vendor::kNames.device_id));
    const std::string pci = PciOf(i);
    for (const std::string& name : {id, With(pci, std::tolower), With(pci, std::toupper)}) EXPECT_EQ(IdOf(name), id);
  }
  EXPECT_NE(ids[0], ids[1]);
  EXPECT_EQ(IdOf(""), ids[0]) << "the first one is the default";
}

TEST_F(EnumerationTest, UnknownDevicesAreToldFromThoseThereAre) {
  const std::string first = IdOf("0");
  const std::string second = IdOf("1");
  for (const char* id : {"2", vendor::kNames.no_device, "0000:ff:1f.0", "-1", "0x0"}) {
    Ref<hal_device_t> device;
    EXPECT_EQ(Open(id, &device), HAL_STATUS_NOT_FOUND) << id;
    EXPECT_THAT(hal_last_error_message(), testing::AllOf(HasSubstr(id), HasSubstr(first), HasSubstr(second)));
  }
  Ref<hal_device_t> device;
  EXPECT_EQ(Open("2", &device), HAL_STATUS_NOT_FOUND);
  EXPECT_THAT(hal_last_error_message(), HasSubstr(std::string("driver '") + vendor::kNames.driver +
                                                  "' has no device 2: it has 2, counted from 0; known: "));
}

}  // namespace
}  // namespace halyard::interop
