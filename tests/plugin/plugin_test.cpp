// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Drivers that are loaded from shared libraries, one of them built for shorter tables than the library's.
#include <gmock/gmock.h>

#include <string>
#include <thread>
#include <vector>

#include "halyard/cpp/submit.hpp"
#include "halyard/driver_api.h"

namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string Path(const std::string& name) { return HALYARD_PLUGIN_DIR "/" + name + ".so"; }

hal_string_view_t View(const std::string& text) { return {text.data(), text.size()}; }

std::string Words() { return hal_last_error_message(); }

class PluginTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(hal_registry_create(&registry_), HAL_STATUS_OK); }
  void TearDown() override { hal_registry_release(registry_); }

  hal_status_t Load(const std::string& path) { return hal_registry_load_plugin(registry_, View(path)); }

  std::vector<hal_driver_info_t> Drivers() {
    size_t count = 0;
    EXPECT_EQ(hal_registry_list_drivers(registry_, &count, nullptr), HAL_STATUS_OK);
    std::vector<hal_driver_info_t> drivers(count, hal_driver_info_t HAL_INIT(hal_driver_info_t));
    EXPECT_EQ(hal_registry_list_drivers(registry_, &count, drivers.data()), HAL_STATUS_OK);
    return drivers;
  }

  hal_registry_t* registry_ = nullptr;
};

using PluginLoadTest = PluginTest;

TEST_F(PluginLoadTest, AddsADriverToTheRegistry) {
  ASSERT_EQ(Load(Path("tiny_plugin")), HAL_STATUS_OK) << Words();
  const hal_driver_info_t driver = Drivers().back();
  EXPECT_EQ(std::string(driver.name.data, driver.name.size), "tiny");
  EXPECT_EQ(std::string(driver.description.data, driver.description.size), "a plugin for tests");
  EXPECT_TRUE(driver.is_plugin);
}

TEST_F(PluginLoadTest, RefusesANameThatIsTaken) {
  ASSERT_EQ(Load(Path("tiny_plugin")), HAL_STATUS_OK);
  EXPECT_EQ(Load(Path("tiny_plugin")), HAL_STATUS_ALREADY_EXISTS);
  EXPECT_THAT(Words(), HasSubstr("tiny"));
}

TEST_F(PluginLoadTest, RefusesTheNameOfABuiltInDriver) {
  const size_t before = Drivers().size();
  bool has_null = false;
  for (const hal_driver_info_t& driver : Drivers())
    has_null |= std::string(driver.name.data, driver.name.size) == "null";
  if (!has_null) GTEST_SKIP() << "built without the null driver";
  EXPECT_EQ(Load(Path("tiny_plugin_named_null")), HAL_STATUS_ALREADY_EXISTS);
  EXPECT_THAT(Words(), HasSubstr("'null'"));
  EXPECT_EQ(Drivers().size(), before);
}

TEST_F(PluginLoadTest, RefusesANameThatNoUriCouldSpell) {
  EXPECT_EQ(Load(Path("tiny_plugin_misnamed")), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_THAT(Words(), HasSubstr("Tiny Driver"));
}

TEST_F(PluginLoadTest, RefusesAnotherAbiVersion) {
  EXPECT_EQ(Load(Path("tiny_plugin_of_tomorrow")), HAL_STATUS_INCOMPATIBLE);
  EXPECT_THAT(Words(), AllOf(HasSubstr("99"), HasSubstr(std::to_string(HAL_DRIVER_ABI_VERSION))));
}

TEST_F(PluginLoadTest, PassesOnWhyAPluginRefuses) {
  EXPECT_EQ(Load(Path("tiny_plugin_that_refuses")), HAL_STATUS_INCOMPATIBLE);
  EXPECT_THAT(Words(), HasSubstr("not to my taste"));
}

TEST_F(PluginLoadTest, RefusesALibraryWithoutTheEntryFunction) {
  EXPECT_EQ(Load(Path("tiny_plugin_without_entry")), HAL_STATUS_INCOMPATIBLE);
  EXPECT_THAT(Words(), AllOf(HasSubstr("tiny_plugin_without_entry"), HasSubstr(HAL_PLUGIN_ENTRY_NAME)));
}

TEST_F(PluginLoadTest, RefusesAFileThatIsNoSharedObject) {
  EXPECT_EQ(Load(HALYARD_SOURCE_FILE), HAL_STATUS_INCOMPATIBLE);
  EXPECT_THAT(Words(), HasSubstr("tiny_plugin.c"));
}

TEST_F(PluginLoadTest, RefusesAFileThatDoesNotExist) {
  EXPECT_EQ(Load(Path("no_such_plugin")), HAL_STATUS_NOT_FOUND);
  EXPECT_THAT(Words(), HasSubstr("no_such_plugin"));
}

TEST_F(PluginLoadTest, RefusesEmptyArguments) {
  EXPECT_EQ(Load(""), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(hal_registry_load_plugin(nullptr, View(Path("tiny_plugin"))), HAL_STATUS_INVALID_ARGUMENT);
}

TEST_F(PluginLoadTest, SurvivesRefusalsAndLoadsAfterwards) {
  EXPECT_NE(Load(HALYARD_SOURCE_FILE), HAL_STATUS_OK);
  EXPECT_NE(Load(Path("tiny_plugin_of_tomorrow")), HAL_STATUS_OK);
  EXPECT_EQ(Load(Path("tiny_plugin")), HAL_STATUS_OK) << Words();
}

/// A device of the plugin.
class PluginDeviceTest : public PluginTest {
 protected:
  void SetUp() override {
    PluginTest::SetUp();
    ASSERT_EQ(Load(Path("tiny_plugin")), HAL_STATUS_OK) << Words();
    ASSERT_EQ(hal_registry_create_device(registry_, hal_string_view("tiny://only"), 0, nullptr, &device_),
              HAL_STATUS_OK)
        << Words();
    ASSERT_EQ(hal_semaphore_create(device_, nullptr, &before_), HAL_STATUS_OK) << Words();
    ASSERT_EQ(hal_semaphore_create(device_, nullptr, &after_), HAL_STATUS_OK) << Words();
  }
  void TearDown() override {
    hal_semaphore_release(after_);
    hal_semaphore_release(before_);
    hal_device_release(device_);
    PluginTest::TearDown();
  }

  hal_status_t Barrier(hal_semaphore_t* wait, hal_semaphore_t* signal) {
    const hal_timeline_point_t waits = hal_timeline_point(wait, 1);
    const hal_timeline_point_t signals = hal_timeline_point(signal, 1);
    return hal_device_queue_barrier(device_, hal::SubmitParams({&waits, 1}, {&signals, 1}));
  }

  hal_device_t* device_ = nullptr;
  hal_semaphore_t* before_ = nullptr;
  hal_semaphore_t* after_ = nullptr;
};

// It was built before there were such commands.
TEST_F(PluginDeviceTest, IsGivenNoCommandsThatItDoesNotKnow) {
  const hal_timeline_point_t signals = hal_timeline_point(after_, 1);
  const hal_strided_copy_params_t params = HAL_STRIDED_COPY_PARAMS_INIT;
  EXPECT_EQ(
      hal_device_queue_copy_strided(device_, hal::SubmitParams(hal_semaphore_list_empty(), {&signals, 1}), &params),
      HAL_STATUS_UNIMPLEMENTED);
  EXPECT_THAT(Words(), AllOf(HasSubstr("hal_device_queue_copy_strided"), HasSubstr("'tiny' runs no strided copies")));
  EXPECT_EQ(hal_semaphore_signal(after_, 1), HAL_STATUS_OK) << Words();
}

TEST_F(PluginDeviceTest, SaysWhatItIs) {
  const hal_device_info_t* const info = hal_device_info(device_);
  ASSERT_NE(info, nullptr);
  EXPECT_EQ(std::string(info->name.data, info->name.size), "a tiny device");
}

TEST_F(PluginDeviceTest, OutlivesItsRegistry) {
  hal_registry_release(registry_);
  registry_ = nullptr;
  EXPECT_EQ(Barrier(before_, after_), HAL_STATUS_OK);
  EXPECT_EQ(hal_semaphore_signal(before_, 1), HAL_STATUS_OK);
  EXPECT_EQ(hal_semaphore_wait(after_, 1, HAL_TIMEOUT_INFINITE), HAL_STATUS_OK);
}

TEST_F(PluginDeviceTest, BarrierSignalsAfterItsWaits) {
  ASSERT_EQ(Barrier(before_, after_), HAL_STATUS_OK);
  EXPECT_EQ(hal_semaphore_wait(after_, 1, 0), HAL_STATUS_DEADLINE_EXCEEDED);
  std::thread signaller([&] { hal_semaphore_signal(before_, 1); });
  EXPECT_EQ(hal_semaphore_wait(after_, 1, HAL_TIMEOUT_INFINITE), HAL_STATUS_OK);
  signaller.join();
}

TEST_F(PluginDeviceTest, FailureTravelsAlongABarrier) {
  ASSERT_EQ(Barrier(before_, after_), HAL_STATUS_OK);
  ASSERT_EQ(hal_semaphore_fail(before_, HAL_STATUS_DATA_LOSS, hal_string_view("the tape tore")), HAL_STATUS_OK);
  EXPECT_EQ(hal_semaphore_wait(after_, 1, HAL_TIMEOUT_INFINITE), HAL_STATUS_DATA_LOSS);
  EXPECT_THAT(Words(), HasSubstr("the tape tore"));
}

TEST_F(PluginDeviceTest, WaitsForAndSignalsSemaphoresOfAnotherDriver) {
  hal_device_t* other = nullptr;
  if (hal_registry_create_device(registry_, hal_string_view("local://task"), 0, nullptr, &other) != HAL_STATUS_OK) {
    GTEST_SKIP() << Words();
  }
  hal_semaphore_t* theirs_before = nullptr;
  hal_semaphore_t* theirs_after = nullptr;
  ASSERT_EQ(hal_semaphore_create(other, nullptr, &theirs_before), HAL_STATUS_OK);
  ASSERT_EQ(hal_semaphore_create(other, nullptr, &theirs_after), HAL_STATUS_OK);
  ASSERT_EQ(Barrier(theirs_before, theirs_after), HAL_STATUS_OK);
  const hal_timeline_point_t signal = hal_timeline_point(theirs_before, 1);
  ASSERT_EQ(hal_device_queue_barrier(other, hal::SubmitParams({nullptr, 0}, {&signal, 1})), HAL_STATUS_OK);
  EXPECT_EQ(hal_semaphore_wait(theirs_after, 1, HAL_TIMEOUT_INFINITE), HAL_STATUS_OK);
  hal_semaphore_release(theirs_after);
  hal_semaphore_release(theirs_before);
  hal_device_release(other);
}

struct HostCall {
  int calls = 0;
  hal_status_t seen = HAL_STATUS_INTERNAL;
  hal_status_t answer = HAL_STATUS_OK;

  static hal_status_t Run(void* user_data, hal_status_t status) {
    auto* const call = static_cast<HostCall*>(user_data);
    ++call->calls;
    call->seen = status;
    if (call->answer != HAL_STATUS_OK) hal_set_error_message(hal_string_view("the callback had enough"));
    return call->answer;
  }
};

TEST_F(PluginDeviceTest, HostCallRunsOnceAfterItsWaits) {
  HostCall call;
  const hal_timeline_point_t wait = hal_timeline_point(before_, 1);
  const hal_timeline_point_t signal = hal_timeline_point(after_, 1);
  ASSERT_EQ(hal_device_queue_host_call(device_, hal::SubmitParams({&wait, 1}, {&signal, 1}), HostCall::Run, &call),
            HAL_STATUS_OK);
  EXPECT_EQ(call.calls, 0);
  ASSERT_EQ(hal_semaphore_signal(before_, 1), HAL_STATUS_OK);
  EXPECT_EQ(hal_semaphore_wait(after_, 1, HAL_TIMEOUT_INFINITE), HAL_STATUS_OK);
  EXPECT_EQ(call.calls, 1);
  EXPECT_EQ(call.seen, HAL_STATUS_OK);
}

TEST_F(PluginDeviceTest, FailureOfAHostCallFailsItsSignals) {
  HostCall call;
  call.answer = HAL_STATUS_ABORTED;
  const hal_timeline_point_t signal = hal_timeline_point(after_, 1);
  ASSERT_EQ(hal_device_queue_host_call(device_, hal::SubmitParams({nullptr, 0}, {&signal, 1}), HostCall::Run, &call),
            HAL_STATUS_OK);
  EXPECT_EQ(hal_semaphore_wait(after_, 1, HAL_TIMEOUT_INFINITE), HAL_STATUS_ABORTED);
  EXPECT_THAT(Words(), HasSubstr("the callback had enough"));
}

// What the plugin's tables lack.

TEST_F(PluginDeviceTest, EntriesBeyondItsTableAreUnimplementedByName) {
  const hal_profiling_sink_t sink = {sizeof(sink), nullptr, [](void*, const hal_profiling_record_t*) {}};
  EXPECT_EQ(hal_device_profiling_begin(device_, HAL_PROFILING_DISPATCHES, &sink), HAL_STATUS_UNIMPLEMENTED);
  EXPECT_THAT(Words(), AllOf(HasSubstr("'tiny'"), HasSubstr("profiling_begin")));
  EXPECT_EQ(hal_device_profiling_end(device_), HAL_STATUS_UNIMPLEMENTED);
  EXPECT_THAT(Words(), AllOf(HasSubstr("'tiny'"), HasSubstr("profiling_end")));
}

TEST_F(PluginDeviceTest, EmptyEntriesAreUnimplementedByName) {
  hal_event_t* event = nullptr;
  EXPECT_EQ(hal_event_create(device_, &event), HAL_STATUS_UNIMPLEMENTED);
  EXPECT_THAT(Words(), AllOf(HasSubstr("'tiny'"), HasSubstr("create_event")));
  EXPECT_EQ(event, nullptr);

  const hal_command_buffer_params_t params = HAL_INIT(hal_command_buffer_params_t);
  hal_command_buffer_t* commands = nullptr;
  EXPECT_EQ(hal_command_buffer_create(device_, &params, &commands), HAL_STATUS_UNIMPLEMENTED);
  EXPECT_THAT(Words(), AllOf(HasSubstr("'tiny'"), HasSubstr("create_command_buffer")));
  EXPECT_EQ(commands, nullptr);
}

TEST_F(PluginDeviceTest, AllocatorWithoutEntriesIsUnimplementedByName) {
  hal_allocator_t* const allocator = hal_device_allocator(device_);
  const hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  hal_buffer_t* buffer = nullptr;
  EXPECT_EQ(hal_allocator_allocate(allocator, &params, 64, &buffer), HAL_STATUS_UNIMPLEMENTED);
  EXPECT_THAT(Words(), AllOf(HasSubstr("'tiny'"), HasSubstr("allocator.allocate")));
  EXPECT_EQ(buffer, nullptr);
  hal_allocator_statistics_t statistics = HAL_INIT(hal_allocator_statistics_t);
  EXPECT_EQ(hal_allocator_query_statistics(allocator, &statistics), HAL_STATUS_UNIMPLEMENTED);
  EXPECT_THAT(Words(), HasSubstr("allocator.query_statistics"));
  EXPECT_EQ(hal_allocator_trim(allocator), HAL_STATUS_OK) << "nothing is cached where nothing can be";
}

TEST_F(PluginDeviceTest, AbsentEntriesThatHaveAnAnswerGetIt) {
  EXPECT_EQ(hal_device_query_health(device_), HAL_STATUS_OK);
  EXPECT_EQ(hal_device_query_format(device_, hal_string_view("ptx")), HAL_STATUS_INCOMPATIBLE);
  const void* table = this;
  EXPECT_EQ(hal_device_query_interface(device_, hal_string_view("halyard.anything"), 1, &table),
            HAL_STATUS_UNIMPLEMENTED);
  EXPECT_THAT(Words(), AllOf(HasSubstr("'tiny'"), HasSubstr("halyard.anything")));
  EXPECT_EQ(table, nullptr);
}

TEST_F(PluginDeviceTest, OperationsThatItDoesNotKnowAreRefusedInItsWords) {
  const hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  const hal_timeline_point_t signal = hal_timeline_point(after_, 1);
  hal_buffer_t* buffer = nullptr;
  EXPECT_EQ(hal_device_queue_alloca(device_, hal::SubmitParams({nullptr, 0}, {&signal, 1}), &params, 64, &buffer),
            HAL_STATUS_UNIMPLEMENTED);
  EXPECT_THAT(Words(), HasSubstr("barriers and host calls only"));
  EXPECT_EQ(buffer, nullptr);
  uint64_t value = 1;
  EXPECT_EQ(hal_semaphore_query(after_, &value), HAL_STATUS_OK) << "nothing was submitted";
  EXPECT_EQ(value, 0u);
}

}  // namespace
