// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables of a shared object of the host as buffers of the local device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "driver_kit/object/object.h"
#include "halyard/halyard.h"

#ifdef HALYARD_TEST_IMAGE

namespace halyard {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class LocalGlobalsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(hal_device_create(hal_string_view("local://sync"), device_.out()), HAL_STATUS_OK);
    Load(&executable_);
  }
  void Load(Ref<hal_executable_t>* out_executable) {
    hal_export_info_t info = HAL_EXPORT_INFO_INIT;
    info.name = hal_string_view("Answer");
    hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
    params.format = hal_string_view(HAL_EXECUTABLE_FORMAT_HOST_SHARED_OBJECT);
    params.path = hal_string_view(HALYARD_TEST_IMAGE);
    params.exports = &info;
    params.export_count = 1;
    ASSERT_EQ(hal_executable_create(device_.get(), &params, out_executable->out()), HAL_STATUS_OK)
        << hal_last_error_message();
  }
  static hal_status_t Find(const Ref<hal_executable_t>& executable, const char* name, Ref<hal_buffer_t>* out_buffer) {
    return hal_executable_find_global(executable.get(), 0, hal_string_view(name), out_buffer->out());
  }
  static std::array<uint32_t, 4> NumbersOf(const Ref<hal_buffer_t>& buffer) {
    std::array<uint32_t, 4> numbers = {};
    EXPECT_EQ(hal_buffer_length(buffer.get()), sizeof(numbers));
    EXPECT_EQ(hal_buffer_read(buffer.get(), 0, numbers.data(), sizeof(numbers)), HAL_STATUS_OK);
    return numbers;
  }

  Ref<hal_device_t> device_;
  Ref<hal_executable_t> executable_;
};

TEST_F(LocalGlobalsTest, AreReadAndWritten) {
  Ref<hal_buffer_t> numbers;
  ASSERT_EQ(Find(executable_, "Numbers", &numbers), HAL_STATUS_OK) << hal_last_error_message();
  EXPECT_THAT(NumbersOf(numbers), ElementsAre(1, 2, 3, 4));
  const uint32_t seven = 7;
  ASSERT_EQ(hal_buffer_write(numbers.get(), 4, &seven, sizeof(seven)), HAL_STATUS_OK);
  Ref<hal_buffer_t> again;
  ASSERT_EQ(Find(executable_, "Numbers", &again), HAL_STATUS_OK);
  EXPECT_THAT(NumbersOf(again), ElementsAre(1, 7, 3, 4));
}

TEST_F(LocalGlobalsTest, AreEachExecutablesOwn) {
  Ref<hal_executable_t> other;
  Load(&other);
  Ref<hal_buffer_t> numbers;
  Ref<hal_buffer_t> others;
  ASSERT_EQ(Find(executable_, "Numbers", &numbers), HAL_STATUS_OK);
  ASSERT_EQ(Find(other, "Numbers", &others), HAL_STATUS_OK);
  const uint32_t seven = 7;
  ASSERT_EQ(hal_buffer_write(numbers.get(), 0, &seven, sizeof(seven)), HAL_STATUS_OK);
  EXPECT_THAT(NumbersOf(others), ElementsAre(1, 2, 3, 4));
}

TEST_F(LocalGlobalsTest, KeepTheExecutableAlive) {
  Ref<hal_buffer_t> numbers;
  ASSERT_EQ(Find(executable_, "Numbers", &numbers), HAL_STATUS_OK);
  executable_ = {};
  device_ = {};
  EXPECT_THAT(NumbersOf(numbers), ElementsAre(1, 2, 3, 4));
}

TEST_F(LocalGlobalsTest, OtherSymbolsAreRefused) {
  Ref<hal_buffer_t> buffer;
  EXPECT_EQ(Find(executable_, "Answer", &buffer), HAL_STATUS_NOT_FOUND);
  EXPECT_THAT(hal_last_error_message(),
              HasSubstr("hal_executable_find_global: the shared object exports no variable 'Answer'"));
  EXPECT_EQ(Find(executable_, "ConstantNumber", &buffer), HAL_STATUS_INCOMPATIBLE);
  EXPECT_FALSE(buffer);
}

}  // namespace
}  // namespace halyard

#endif  // HALYARD_TEST_IMAGE
