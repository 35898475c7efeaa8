// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What hal_executable_create() takes of memory and time, on each device, whatever it answers.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "halyard/halyard.h"
#include "untrusted/bombs.h"
#include "untrusted/cost.h"

namespace halyard::testing {
namespace {

std::vector<std::string> Devices() {
  std::istringstream text(HALYARD_UNTRUSTED_DEVICES);
  return {std::istream_iterator<std::string>(text), {}};
}

std::string ReadFile(const char* path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  EXPECT_FALSE(bytes.empty()) << path;
  return bytes;
}

class Creating : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    ASSERT_EQ(hal_device_create(hal_string_view(GetParam().c_str()), &device_), HAL_STATUS_OK)
        << hal_last_error_message();
  }
  void TearDown() override { hal_device_release(device_); }

  void Create(const Bomb& bomb) {
    ExpectCheap(bomb.name + " on " + GetParam(), bomb.bytes.size(), [&] {
      hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
      params.format = hal_string_view(bomb.format.c_str());
      params.data = bomb.bytes.data();
      params.data_size = bomb.bytes.size();
      hal_executable_t* executable = nullptr;
      (void)hal_executable_create(device_, &params, &executable);
      hal_executable_release(executable);
    });
  }

  hal_device_t* device_ = nullptr;
};

/// Whether a device's own compiler, which is not measured here, takes seconds for what the library hands on.
bool IsForTheCompiler(const std::string& device, const Bomb& bomb) {
  return device.starts_with("vulkan") &&
         (bomb.name == "spirv: functions that no kernel calls" || bomb.name == "spirv: kernels with all declarations");
}

TEST_P(Creating, Images) {
  for (const Bomb& bomb : ImageBombs()) {
    if (!IsForTheCompiler(GetParam(), bomb)) Create(bomb);
  }
}

TEST_P(Creating, Files) {
  const std::string image = ReadFile(HALYARD_UNTRUSTED_KERNELS);
  for (const Bomb& bomb : FileBombs(image, HAL_EXECUTABLE_FORMAT_HOST_SHARED_OBJECT, "", "untrusted_kernel")) {
    Create(bomb);
  }
  const std::string module = ReadFile(HALYARD_REFLECTION_IMAGES "/glslang12_saxpy.spv");
  for (const Bomb& bomb : FileBombs(module, "spirv", "", "saxpy")) Create(bomb);
  const std::string metal = "#include <metal_stdlib>\nkernel void untrusted_kernel() {}\n";
  for (const Bomb& bomb : FileBombs(metal, "msl", "", "untrusted_kernel")) Create(bomb);
  const std::string ptx = ".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry untrusted_kernel() { ret; }";
  for (const Bomb& bomb : FileBombs(ptx, "ptx", "", "untrusted_kernel")) Create(bomb);
}

INSTANTIATE_TEST_SUITE_P(Devices, Creating, ::testing::ValuesIn(Devices()),
                         [](const auto& test) { return test.param.substr(0, test.param.find(':')); });

}  // namespace
}  // namespace halyard::testing
