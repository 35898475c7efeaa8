// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables of a module as buffers. The kernel "look_up" gives the last word of "sim_table".
#include <vector>

#include "halyard/cpp/submit.hpp"
#include "interop_test.h"
#include "test_kernel.h"

namespace halyard::interop {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class GlobalsTest : public InteropTest {
 protected:
  void SetUp() override {
    InteropTest::SetUp();
    hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
    params.memory_type = HAL_MEMORY_TYPE_HOST_VISIBLE;
    params.usage = HAL_BUFFER_USAGE_ALL;
    ASSERT_OK(hal_allocator_allocate(hal_device_allocator(device_.get()), &params, 16, copy_.out()));
    done_ = MakeSemaphore();
    Load(&executable_);
  }
  void TearDown() override {
    executable_ = {};
    copy_ = {};
    done_ = {};
    InteropTest::TearDown();
  }

  void Load(Ref<hal_executable_t>* out_executable) const {
    const TestKernel kernel("look_up", {hal_parameter_binding(0, HAL_BINDING_ACCESS_WRITE)});
    ASSERT_OK(hal_executable_create(device_.get(), &kernel.params(), out_executable->out()));
  }
  static hal_status_t Find(const Ref<hal_executable_t>& executable, Ref<hal_buffer_t>* out_buffer,
                           const char* name = "sim_table") {
    return hal_executable_find_global(executable.get(), 0, hal_string_view(name), out_buffer->out());
  }
  Points Next() { return {{done_.get(), ++value_}}; }
  void WaitForAll() { ASSERT_OK(Wait(done_, value_)); }

  std::vector<uint32_t> WordsOf(const Ref<hal_buffer_t>& variable) {
    std::vector<uint32_t> words(4);
    const Points signals = Next();
    EXPECT_OK(hal_device_queue_copy(device_.get(), hal::SubmitParams(List({}), List(signals), 1),
                                    hal_buffer_ref(variable.get(), 0, 16), hal_buffer_ref(copy_.get(), 0, 16)));
    WaitForAll();
    EXPECT_OK(hal_buffer_read(copy_.get(), 0, words.data(), 16));
    return words;
  }
  void Write(const Ref<hal_buffer_t>& variable, uint32_t index, uint32_t value) {
    const Points signals = Next();
    EXPECT_OK(hal_device_queue_update(device_.get(), hal::SubmitParams(List({}), List(signals), 1), &value,
                                      hal_buffer_ref(variable.get(), 4 * index, 4)));
    WaitForAll();
  }
  uint32_t LookUp(const Ref<hal_executable_t>& executable) {
    const hal_buffer_ref_t out = hal_buffer_ref(copy_.get(), 0, 16);
    hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
    params.bindings = hal_buffer_ref_list(&out, 1);
    const Points signals = Next();
    EXPECT_OK(hal_device_queue_dispatch(device_.get(), hal::SubmitParams(List({}), List(signals), 1), executable.get(),
                                        0, &params));
    WaitForAll();
    uint32_t word = 0;
    EXPECT_OK(hal_buffer_read(copy_.get(), 0, &word, sizeof(word)));
    return word;
  }

  Ref<hal_executable_t> executable_;
  Ref<hal_buffer_t> copy_;
  Ref<hal_semaphore_t> done_;
  uint64_t value_ = 0;
};

TEST_P(GlobalsTest, KernelsSeeWhatIsWritten) {
  Ref<hal_buffer_t> table;
  ASSERT_OK(Find(executable_, &table));
  EXPECT_EQ(hal_buffer_length(table.get()), 16u);
  EXPECT_THAT(WordsOf(table), ElementsAre(1, 2, 3, 4));
  Write(table, 3, 77);
  EXPECT_EQ(LookUp(executable_), 77u);
  Ref<hal_buffer_t> again;
  ASSERT_OK(Find(executable_, &again));
  EXPECT_THAT(WordsOf(again), ElementsAre(1, 2, 3, 77));
}

TEST_P(GlobalsTest, EachExecutableHasItsOwn) {
  Ref<hal_executable_t> other;
  Load(&other);
  Ref<hal_buffer_t> table;
  ASSERT_OK(Find(executable_, &table));
  Write(table, 3, 78);
  EXPECT_EQ(LookUp(executable_), 78u);
  EXPECT_EQ(LookUp(other), 4u);
}

TEST_P(GlobalsTest, TheBufferKeepsTheExecutableAlive) {
  Ref<hal_buffer_t> table;
  ASSERT_OK(Find(executable_, &table));
  executable_ = {};
  EXPECT_THAT(WordsOf(table), ElementsAre(1, 2, 3, 4));
}

TEST_P(GlobalsTest, WhatIsNoVariableIsNotFound) {
  for (const char* name : {"nothing", "look_up", ""}) {
    Ref<hal_buffer_t> table;
    EXPECT_EQ(Find(executable_, &table, name), HAL_STATUS_NOT_FOUND) << name;
    EXPECT_FALSE(table);
    EXPECT_THAT(hal_last_error_message(), HasSubstr("hal_executable_find_global: the image has no variable '"));
  }
}

INSTANTIATE_TEST_SUITE_P(Completion, GlobalsTest, testing::Values("fast", "portable"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace halyard::interop
