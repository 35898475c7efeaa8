// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPIR-V that the device must not see: each module is refused with words, before any call of Vulkan.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "cts/kernel_library.h"
#include "simulation.h"
#include "vulkan_test.h"

namespace halyard::vulkan {
namespace {

using cts::Device;
using cts::Executable;
using cts::KernelSource;
using testing::HasSubstr;

using Words = std::vector<uint32_t>;

class ImageTest : public testing::Test {
 protected:
  void TearDown() override {
    EXPECT_EQ(simulation_.Reports(), 0u);
    unsetenv(kHidden);
  }

  void Load(const char* set) {
    source_ = std::make_unique<KernelSource>(device_, set);
    const std::vector<unsigned char> image = source_->ReadImage();
    words_.resize(image.size() / sizeof(uint32_t));
    std::memcpy(words_.data(), image.data(), image.size());
    exports_.assign(source_->params().exports, source_->params().exports + source_->params().export_count);
  }
  hal_status_t Create(const Words& words, size_t size, Executable* out) const {
    hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
    params.format = cts::View("spirv");
    params.data = words.data();
    params.data_size = size;
    params.exports = exports_.data();
    params.export_count = exports_.size();
    return hal_executable_create(device_, &params, out->out());
  }
  void ExpectRefusal(hal_status_t status, const char* text, const Words& words, size_t size) const {
    Executable executable;
    simulation_.Reset();
    EXPECT_STATUS(status, Create(words, size, &executable)) << text;
    EXPECT_THAT(hal_last_error_message(), HasSubstr(text));
    EXPECT_EQ(simulation_.Calls("vkCreateShaderModule"), 0u) << text;
  }
  void ExpectRefusal(hal_status_t status, const char* text, const Words& words) const {
    ExpectRefusal(status, text, words, words.size() * sizeof(uint32_t));
  }
  void ExpectRefusal(hal_status_t status, const char* text) const { ExpectRefusal(status, text, words_); }
  /// Behind the first capability.
  void Insert(const Words& instruction) { words_.insert(words_.begin() + 7, instruction.begin(), instruction.end()); }
  void InsertExtension(const std::string& name) {
    Words extension(1 + name.size() / sizeof(uint32_t) + 1);
    extension[0] = 10 | static_cast<uint32_t>(extension.size()) << 16;  // OpExtension
    std::memcpy(&extension[1], name.data(), name.size());
    Insert(extension);
  }
  void ExpectLoads() const {
    Executable executable;
    EXPECT_OK(Create(words_, words_.size() * sizeof(uint32_t), &executable));
  }

  static constexpr const char* kHidden = "HALYARD_SIM_VULKAN_HIDE";
  Device device_ = OpenAnew();
  const Simulation simulation_;
  std::unique_ptr<KernelSource> source_;
  Words words_;
  std::vector<hal_export_info_t> exports_;
};

TEST_F(ImageTest, WhatIsWholeIsTheControl) {
  Load("basic");
  Executable executable;
  ASSERT_OK(Create(words_, words_.size() * sizeof(uint32_t), &executable));
  EXPECT_GT(simulation_.Calls("vkCreateShaderModule"), 0u);
}

TEST_F(ImageTest, CutShort) {
  Load("basic");
  const size_t size = words_.size() * sizeof(uint32_t);
  for (const size_t left : {size - 4, size / 8 * 4, size_t{24}, size_t{16}, size_t{4}}) {
    ExpectRefusal(HAL_STATUS_DATA_LOSS, "", words_, left);
  }
  ExpectRefusal(HAL_STATUS_DATA_LOSS, "bytes", words_, size - 1);
}

TEST_F(ImageTest, OfTheWrongByteOrder) {
  Load("basic");
  for (uint32_t& word : words_) word = __builtin_bswap32(word);
  ExpectRefusal(HAL_STATUS_DATA_LOSS, "byte order");
}

TEST_F(ImageTest, OfAnotherVersionOrBound) {
  Load("basic");
  Words changed = words_;
  changed[1] = 0x00020000;
  ExpectRefusal(HAL_STATUS_INCOMPATIBLE, "version", changed);
  changed = words_;
  changed[3] = 2;
  ExpectRefusal(HAL_STATUS_DATA_LOSS, "bound", changed);
}

TEST_F(ImageTest, WithACapabilityThatTheDeviceLacks) {
  setenv(kHidden, "shaderFloat64", 1);
  device_ = OpenAnew();
  Load("dispatch_f64");
  ExpectRefusal(HAL_STATUS_INCOMPATIBLE, "the module declares the capability Float64: the device has no shaderFloat64");
}

TEST_F(ImageTest, WithACapabilityThatNeedsAnExtension) {
  Load("basic");
  Insert({17 | 2u << 16, 5055});  // OpCapability ShaderClockKHR
  ExpectRefusal(HAL_STATUS_INCOMPATIBLE, "which the driver does not enable");
}

TEST_F(ImageTest, WithAnExtensionThatTheDeviceLacks) {
  Load("basic");
  InsertExtension("SPV_KHR_shader_clock");
  ExpectRefusal(HAL_STATUS_INCOMPATIBLE,
                "the module declares the extension SPV_KHR_shader_clock, which the driver does not enable");
}

TEST_F(ImageTest, WithExtensionsThatVulkanBringsAlong) {
  for (const char* name : {"SPV_KHR_16bit_storage", "SPV_KHR_storage_buffer_storage_class"}) {
    Load("basic");
    InsertExtension(name);
    ExpectLoads();
  }
}

// Slang and DXC declare these for what they note about names, types and sums, which no driver needs.
TEST_F(ImageTest, WithExtensionsThatDecorate) {
  for (const char* name : {"SPV_GOOGLE_decorate_string", "SPV_GOOGLE_hlsl_functionality1", "SPV_GOOGLE_user_type",
                           "SPV_KHR_no_integer_wrap_decoration"}) {
    Load("basic");
    InsertExtension(name);
    ExpectLoads();
  }
}

TEST_F(ImageTest, WithoutAnEntryPointOfThatName) {
  Load("basic");
  exports_ = {exports_[1]};
  exports_[0].name = cts::View("add_two");
  ExpectRefusal(HAL_STATUS_NOT_FOUND, "add_two");
}

TEST_F(ImageTest, WithMoreConstantsThanTheExport) {
  Load("basic");
  exports_ = {exports_[2]};
  exports_[0].constants_size = 0;
  exports_[0].parameter_count = 0;
  exports_[0].parameters = nullptr;
  ExpectRefusal(HAL_STATUS_INCOMPATIBLE, "the kernel has 4 bytes of push constants, the export 0 of constants");
}

TEST_F(ImageTest, WithMoreBindingsThanTheExport) {
  Load("basic");
  exports_ = {exports_[1]};
  exports_[0].parameter_count = 0;
  exports_[0].parameters = nullptr;
  ExpectRefusal(HAL_STATUS_INCOMPATIBLE, "the kernel has a buffer at set 0, binding 0, and the export none");
}

}  // namespace
}  // namespace halyard::vulkan
