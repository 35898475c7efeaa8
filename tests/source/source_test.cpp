// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sources on the device that HALYARD_SOURCE_DEVICE names, with a simulated compiler (tests/sim/rtc).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "base/file/mapped_file.h"
#include "driver_kit/object/object.h"
#include "halyard/halyard.h"
#include "image/halx/container.h"
#include "support/temporary_files.h"

namespace halyard::testing {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

class SourceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string uri = std::getenv("HALYARD_SOURCE_DEVICE");
    is_hip_ = uri.starts_with("hip");
    ASSERT_EQ(hal_device_create(hal_string_view(uri.c_str()), device_.out()), HAL_STATUS_OK)
        << hal_last_error_message();
    WriteImage();
  }

  /// What the compiler is to make: an image of the conformance suite.
  void WriteImage() {
    MappedFile file;
    Container container;
    ASSERT_EQ(Publish(file.Open(HALYARD_KERNEL_DIR "/cts_basic.halx")), HAL_STATUS_OK);
    ASSERT_EQ(Publish(container.Parse(file.bytes())), HAL_STATUS_OK);
    for (const ContainerVariant& variant : container.contents().variants) {
      if (variant.format != (is_hip_ ? "hsaco" : "ptx") || (is_hip_ && !variant.target.starts_with("gfx942"))) continue;
      std::vector<uint8_t> bytes(variant.image.size());
      std::memcpy(bytes.data(), variant.image.data(), bytes.size());
      image_.Write(bytes);
      return;
    }
    GTEST_SKIP() << "the suite's kernels are not packed for this device";
  }

  hal_status_t Create(const std::string& lines) {
    source_ = lines + "// image: " + image_.path() + "\n";
    hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
    params.format = hal_string_view(is_hip_ ? HAL_EXECUTABLE_FORMAT_HIP_SOURCE : HAL_EXECUTABLE_FORMAT_CUDA_SOURCE);
    params.data = source_.data();
    params.data_size = source_.size();
    params.compile = &compile_;
    compile_.log = [](void* self, hal_string_view_t log) {
      static_cast<SourceTest*>(self)->log_.append(log.data, log.size);
    };
    compile_.log_user_data = this;
    log_.clear();
    return hal_executable_create(device_.get(), &params, executable_.out());
  }

  bool is_hip_ = false;
  TemporaryFile image_;
  Ref<hal_device_t> device_;
  Ref<hal_executable_t> executable_;
  std::string source_;
  std::string log_;
  hal_compile_params_t compile_ = HAL_INIT(hal_compile_params_t);
};

TEST_F(SourceTest, IsCompiledAndRuns) {
  ASSERT_EQ(Create(""), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(log_, "");
  uint32_t ordinal = 0;
  ASSERT_EQ(hal_executable_find_export(executable_.get(), hal_string_view("add_one"), &ordinal), HAL_STATUS_OK)
      << hal_last_error_message();
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_STAGING_INIT;
  params.usage |= HAL_BUFFER_USAGE_STORAGE;
  Ref<hal_buffer_t> buffer;
  ASSERT_EQ(hal_allocator_allocate(hal_device_allocator(device_.get()), &params, 256, buffer.out()), HAL_STATUS_OK);
  std::vector<uint32_t> words(64, 6);
  ASSERT_EQ(hal_buffer_write(buffer.get(), 0, words.data(), 256), HAL_STATUS_OK);
  const hal_buffer_ref_t ref = hal_buffer_ref(buffer.get(), 0, HAL_WHOLE_SIZE);
  hal_dispatch_params_t dispatch = HAL_DISPATCH_PARAMS_INIT;
  dispatch.workgroup_size = hal_dim3(64, 1, 1);
  dispatch.bindings = {&ref, 1};
  Ref<hal_semaphore_t> done;
  ASSERT_EQ(hal_semaphore_create(device_.get(), nullptr, done.out()), HAL_STATUS_OK);
  const hal_timeline_point_t point = hal_timeline_point(done.get(), 1);
  hal_submit_params_t submit = HAL_INIT(hal_submit_params_t);
  submit.signal_list = hal_semaphore_list(&point, 1);
  ASSERT_EQ(hal_device_queue_dispatch(device_.get(), &submit, executable_.get(), ordinal, &dispatch), HAL_STATUS_OK)
      << hal_last_error_message();
  ASSERT_EQ(hal_semaphore_wait(done.get(), 1, HAL_TIMEOUT_INFINITE), HAL_STATUS_OK);
  ASSERT_EQ(hal_buffer_read(buffer.get(), 0, words.data(), 256), HAL_STATUS_OK);
  EXPECT_THAT(words, Each(7u));
}

TEST_F(SourceTest, WarningsOfASuccessAreTold) {
  compile_.name = hal_string_view("tile.cu");
  ASSERT_EQ(Create("#warning the tile is small\n"), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_EQ(log_, "tile.cu(1): warning: the tile is small");
}

TEST_F(SourceTest, ErrorsComeWithTheLog) {
  EXPECT_EQ(Create("int x;\n#error no such tile\n"), HAL_STATUS_ABORTED);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("kernel(2): error: no such tile"));
  EXPECT_THAT(log_, HasSubstr("no such tile"));
}

TEST_F(SourceTest, HeadersAreFoundByName) {
  EXPECT_EQ(Create("#include \"tile.h\"\n"), HAL_STATUS_ABORTED);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("cannot open source file \"tile.h\""));
  const hal_source_header_t headers[] = {{hal_string_view("tile.h"), hal_string_view("#warning seen\n")},
                                         {hal_string_view("other.h"), hal_string_view("")}};
  compile_.headers = headers;
  compile_.header_count = 2;
  EXPECT_EQ(Create("#include \"tile.h\"\n"), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_THAT(log_, HasSubstr("seen"));
}

TEST_F(SourceTest, OptionsReachTheCompiler) {
  const hal_string_view_t options[] = {hal_string_view("-DTILE=16"), hal_string_view("--std=c++17")};
  compile_.options = options;
  compile_.option_count = 2;
  ASSERT_EQ(Create("#pragma options\n"), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_THAT(log_, HasSubstr("-DTILE=16"));
  // NVRTC is not newer than the device: it compiles for the newest architecture that it knows.
  EXPECT_THAT(log_, HasSubstr(is_hip_ ? "--gpu-architecture=gfx" : "--gpu-architecture=compute_80"));
  const hal_string_view_t own[] = {hal_string_view(is_hip_ ? "--offload-arch=gfx1100" : "-arch=compute_70")};
  compile_.options = own;
  compile_.option_count = 1;
  ASSERT_EQ(Create("#pragma options\n"), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_THAT(log_, Not(HasSubstr("--gpu-architecture")));
  const hal_string_view_t wrong[] = {hal_string_view("--such")};
  compile_.options = wrong;
  EXPECT_EQ(Create(""), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("unrecognized option --such"));
}

TEST_F(SourceTest, WhatTheCompilerLacksIsTold) {
  for (const char* const function : {"CreateProgram", "CompileProgram", "GetCode"}) {
    setenv("HALYARD_RTC_SIM_FAIL", function, 1);
    EXPECT_EQ(Create(""), HAL_STATUS_RESOURCE_EXHAUSTED) << function;
    EXPECT_THAT(hal_last_error_message(), HasSubstr("RTC_ERROR_OUT_OF_MEMORY")) << function;
    EXPECT_FALSE(executable_);
  }
  unsetenv("HALYARD_RTC_SIM_FAIL");
  EXPECT_EQ(Create(""), HAL_STATUS_OK) << hal_last_error_message();
}

TEST_F(SourceTest, WrongArgumentsAreNamed) {
  const hal_string_view_t options[] = {hal_string_view("-DX"), {nullptr, 0}};
  compile_.options = options;
  compile_.option_count = 2;
  EXPECT_EQ(Create(""), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("options[1] is empty"));
  compile_ = HAL_INIT(hal_compile_params_t);
  EXPECT_EQ(Create(std::string("int x;\0", 7)), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("zero byte"));
  hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
  params.format = hal_string_view("ptx");
  params.data = "x";
  params.data_size = 1;
  params.compile = &compile_;
  EXPECT_EQ(hal_executable_create(device_.get(), &params, executable_.out()), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("params->compile is for sources"));
}

// By itself, as a library that was found once stays: see CMakeLists.txt.
TEST_F(SourceTest, DISABLED_NoCompiler) {
  EXPECT_EQ(Create(""), HAL_STATUS_UNAVAILABLE);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("/nowhere/compiler.so"));
}

}  // namespace
}  // namespace halyard::testing
