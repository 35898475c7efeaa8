// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `null://` promises: it takes everything, leaves memory alone, and keeps the order of semaphores.
#include <gmock/gmock.h>

#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "container_samples.h"
#include "driver_kit/object/object.h"
#include "halyard/cpp/submit.hpp"
#include "halyard/halyard.h"

namespace halyard {
namespace {

using ::testing::Each;
using testing::FileBytes;
using ::testing::HasSubstr;
using testing::SampleContents;
using testing::SampleFile;

class NullDriverTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (hal_device_create(hal_string_view("null://"), device_.out()) == HAL_STATUS_NOT_FOUND) {
      GTEST_SKIP() << hal_last_error_message();
    }
    ASSERT_TRUE(device_) << hal_last_error_message();
    ASSERT_EQ(hal_semaphore_create(device(), nullptr, wait_.out()), HAL_STATUS_OK);
    ASSERT_EQ(hal_semaphore_create(device(), nullptr, done_.out()), HAL_STATUS_OK);
    wait_point_ = {wait_.get(), 1};
    done_point_ = {done_.get(), 1};
  }

  hal_device_t* device() const { return device_.get(); }
  hal_semaphore_list_t Wait() const { return {&wait_point_, 1}; }
  hal_semaphore_list_t Done() const { return {&done_point_, 1}; }
  hal_status_t Outcome() const { return hal_semaphore_wait(done_.get(), 1, 0); }
  hal_status_t Go() const { return hal_semaphore_signal(wait_.get(), 1); }

  Ref<hal_buffer_t> MakeBuffer(uint64_t length) const {
    hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
    params.usage = HAL_BUFFER_USAGE_ALL;
    Ref<hal_buffer_t> buffer;
    EXPECT_EQ(hal_allocator_allocate(hal_device_allocator(device()), &params, length, buffer.out()), HAL_STATUS_OK);
    return buffer;
  }

  Ref<hal_device_t> device_;
  Ref<hal_semaphore_t> wait_;
  Ref<hal_semaphore_t> done_;
  hal_timeline_point_t wait_point_{};
  hal_timeline_point_t done_point_{};
};

TEST_F(NullDriverTest, OperationsHonourSemaphoresAndLeaveMemoryAlone) {
  const Ref<hal_buffer_t> buffer = MakeBuffer(64);
  const std::vector<uint8_t> before(64, 0x11);
  ASSERT_EQ(hal_buffer_write(buffer.get(), 0, before.data(), 64), HAL_STATUS_OK);
  const uint32_t pattern = 0xFFFFFFFF;
  ASSERT_EQ(hal_device_queue_fill(device(), hal::SubmitParams(Wait(), Done()), hal_buffer_ref(buffer.get(), 0, 64),
                                  &pattern, sizeof(pattern)),
            HAL_STATUS_OK);
  EXPECT_EQ(Outcome(), HAL_STATUS_DEADLINE_EXCEEDED);
  ASSERT_EQ(Go(), HAL_STATUS_OK);
  EXPECT_EQ(Outcome(), HAL_STATUS_OK);
  std::vector<uint8_t> after(64);
  ASSERT_EQ(hal_buffer_read(buffer.get(), 0, after.data(), 64), HAL_STATUS_OK);
  EXPECT_THAT(after, Each(0x11));
}

TEST_F(NullDriverTest, CallsTheHostAndPassesItsFailureOn) {
  int calls = 0;
  const auto callback = [](void* user_data, hal_status_t) {
    ++*static_cast<int*>(user_data);
    hal_set_error_message(hal_string_view("not today"));
    return HAL_STATUS_ABORTED;
  };
  ASSERT_EQ(hal_device_queue_host_call(device(), hal::SubmitParams(Wait(), Done()), callback, &calls), HAL_STATUS_OK);
  EXPECT_EQ(calls, 0);
  ASSERT_EQ(Go(), HAL_STATUS_OK);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(Outcome(), HAL_STATUS_ABORTED);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("not today"));
}

TEST_F(NullDriverTest, LogsAFailureThatNoSignalCarries) {
  std::string log;
  hal_set_log_callback(
      [](void* text, hal_log_level_t, hal_string_view_t message) {
        static_cast<std::string*>(text)->append(message.data, message.size);
      },
      &log, HAL_LOG_LEVEL_WARNING);
  ASSERT_EQ(hal_semaphore_fail(wait_.get(), HAL_STATUS_DATA_LOSS, hal_string_view("spilt")), HAL_STATUS_OK);
  EXPECT_EQ(hal_device_queue_barrier(device(), hal::SubmitParams(Wait(), hal_semaphore_list_empty())), HAL_STATUS_OK);
  EXPECT_EQ(log, "operation 1 of null://0 (barrier, signals nothing) failed: DATA_LOSS: spilt");
  log.clear();
  EXPECT_EQ(hal_object_set_label(device(), hal_string_view("dry run")), HAL_STATUS_OK);
  EXPECT_EQ(hal_push_label(hal_string_view("layer 7")), HAL_STATUS_OK);
  EXPECT_EQ(hal_device_queue_barrier(device(), hal::SubmitParams(Wait(), hal_semaphore_list_empty())), HAL_STATUS_OK);
  EXPECT_EQ(hal_pop_label(), HAL_STATUS_OK);
  hal_set_log_callback(nullptr, nullptr, HAL_LOG_LEVEL_WARNING);
  EXPECT_EQ(log, "operation 2 of null://0 'dry run' (barrier 'layer 7', signals nothing) failed: DATA_LOSS: spilt");
}

TEST_F(NullDriverTest, QueueAllocationsHaveMemoryBetweenTheirTurns) {
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  params.usage = HAL_BUFFER_USAGE_ALL;
  Ref<hal_buffer_t> buffer;
  ASSERT_EQ(hal_device_queue_alloca(device(), hal::SubmitParams(Wait(), Done()), &params, 32, buffer.out()),
            HAL_STATUS_OK);
  void* pointer = nullptr;
  EXPECT_EQ(hal_buffer_map(buffer.get(), HAL_MAP_ACCESS_READ, 0, 32, &pointer), HAL_STATUS_FAILED_PRECONDITION);
  ASSERT_EQ(Go(), HAL_STATUS_OK);
  ASSERT_EQ(hal_buffer_map(buffer.get(), HAL_MAP_ACCESS_READ, 0, 32, &pointer), HAL_STATUS_OK);
  EXPECT_EQ(hal_buffer_unmap(buffer.get()), HAL_STATUS_OK);
  ASSERT_EQ(hal_device_queue_dealloca(device(), hal::SubmitParams({nullptr, 0}, {nullptr, 0}), buffer.get()),
            HAL_STATUS_OK);
  EXPECT_EQ(hal_buffer_map(buffer.get(), HAL_MAP_ACCESS_READ, 0, 32, &pointer), HAL_STATUS_FAILED_PRECONDITION);
  hal_allocator_statistics_t statistics = HAL_INIT(hal_allocator_statistics_t);
  ASSERT_EQ(hal_allocator_query_statistics(hal_device_allocator(device()), &statistics), HAL_STATUS_OK);
  EXPECT_EQ(statistics.bytes_in_use, 0u);
}

TEST_F(NullDriverTest, TakesAnyImageWithTheExportsOfTheCaller) {
  const hal_parameter_t parameters[] = {hal_parameter_binding(0, HAL_BINDING_ACCESS_WRITE)};
  hal_export_info_t exported = HAL_EXPORT_INFO_INIT;
  exported.name = hal_string_view("main");
  exported.parameters = parameters;
  exported.parameter_count = 1;
  hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
  params.format = hal_string_view("null");
  params.data = "any bytes";
  params.data_size = 9;
  params.exports = &exported;
  params.export_count = 1;
  Ref<hal_executable_t> executable;
  ASSERT_EQ(hal_executable_create(device(), &params, executable.out()), HAL_STATUS_OK) << hal_last_error_message();
  uint32_t ordinal = 9;
  EXPECT_EQ(hal_executable_find_export(executable.get(), hal_string_view("main"), &ordinal), HAL_STATUS_OK);
  EXPECT_EQ(ordinal, 0u);

  const Ref<hal_buffer_t> buffer = MakeBuffer(64);
  const hal_buffer_ref_t binding = hal_buffer_ref(buffer.get(), 0, 64);
  hal_dispatch_params_t dispatch = HAL_DISPATCH_PARAMS_INIT;
  dispatch.workgroup_count = hal_dim3(1000, 1000, 1000);
  dispatch.bindings = hal_buffer_ref_list(&binding, 1);
  hal_command_buffer_params_t recording = HAL_INIT(hal_command_buffer_params_t);
  Ref<hal_command_buffer_t> commands;
  ASSERT_EQ(hal_command_buffer_create(device(), &recording, commands.out()), HAL_STATUS_OK);
  ASSERT_EQ(hal_command_buffer_begin(commands.get()), HAL_STATUS_OK);
  ASSERT_EQ(hal_command_buffer_dispatch(commands.get(), executable.get(), 0, &dispatch), HAL_STATUS_OK)
      << hal_last_error_message();
  ASSERT_EQ(hal_command_buffer_end(commands.get()), HAL_STATUS_OK);
  ASSERT_EQ(hal_device_queue_execute(device(), hal::SubmitParams({nullptr, 0}, Done()), commands.get(), {nullptr, 0}),
            HAL_STATUS_OK);
  EXPECT_EQ(Outcome(), HAL_STATUS_OK);
}

// For dry runs and for measuring the host's share: nothing is run, so images of all devices will do.
TEST_F(NullDriverTest, TakesImagesOfEveryFormatAndDispatchesThem) {
  const hal_parameter_t parameters[] = {hal_parameter_binding(3, HAL_BINDING_ACCESS_READ_WRITE),
                                        hal_parameter_constant(4, 8)};
  hal_export_info_t exported = HAL_EXPORT_INFO_INIT;
  exported.name = hal_string_view("main");
  exported.parameters = parameters;
  exported.parameter_count = 2;
  exported.constants_size = 12;
  exported.workgroup_size = hal_dim3(64, 1, 1);
  const Ref<hal_buffer_t> buffer = MakeBuffer(64);
  const hal_buffer_ref_t binding = hal_buffer_ref(buffer.get(), 4, 60);
  const std::array<char, 12> constants{};
  hal_dispatch_params_t dispatch = HAL_DISPATCH_PARAMS_INIT;
  dispatch.constants = constants.data();
  dispatch.constants_size = constants.size();
  dispatch.bindings = hal_buffer_ref_list(&binding, 1);
  for (const char* format : {"ptx", "cubin", "fatbin", "hsaco", "spirv", "msl", "metallib", "elf", "my-format"}) {
    hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
    params.format = hal_string_view(format);
    params.data = "any bytes";
    params.data_size = 9;
    params.exports = &exported;
    params.export_count = 1;
    Ref<hal_executable_t> executable;
    ASSERT_EQ(hal_executable_create(device(), &params, executable.out()), HAL_STATUS_OK)
        << format << ": " << hal_last_error_message();
    EXPECT_EQ(hal_device_query_format(device(), params.format), HAL_STATUS_OK) << format;
    ASSERT_EQ(hal_device_queue_dispatch(device(), hal::SubmitParams({nullptr, 0}, {nullptr, 0}), executable.get(), 0,
                                        &dispatch),
              HAL_STATUS_OK)
        << format << ": " << hal_last_error_message();
  }
}

// A driver that tells nothing of its kernels leaves what the core knows of them.
TEST_F(NullDriverTest, TellsOfAKernelWhatItsExportSays) {
  hal_export_info_t exported = HAL_EXPORT_INFO_INIT;
  exported.name = hal_string_view("main");
  exported.workgroup_size = hal_dim3(8, 4, 1);
  exported.flags = HAL_EXPORT_EXACT_WORKGROUP_SIZE;
  exported.local_memory_size = 96;
  exported.dynamic_local_memory_size = 32;
  exported.subgroup_size = 16;
  exported.register_count = 40;
  hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
  params.format = hal_string_view("null");
  params.data = "any bytes";
  params.data_size = 9;
  params.exports = &exported;
  params.export_count = 1;
  Ref<hal_executable_t> executable;
  ASSERT_EQ(hal_executable_create(device(), &params, executable.out()), HAL_STATUS_OK) << hal_last_error_message();

  hal_export_properties_t told = HAL_INIT(hal_export_properties_t);
  const auto query = [&](hal_dim3_t size) {
    return hal_executable_query_export_properties(executable.get(), 0, size, 0, &told);
  };
  ASSERT_EQ(query(hal_dim3(0, 0, 0)), HAL_STATUS_OK) << hal_last_error_message();
  const hal_device_limits_t& limits = *hal_device_info(device())->limits;
  EXPECT_EQ(told.register_count, 40u);
  EXPECT_EQ(told.private_memory_size, 0u);
  EXPECT_EQ(told.local_memory_size, 96u);
  EXPECT_EQ(told.max_workgroup_volume, limits.max_workgroup_volume);
  EXPECT_EQ(told.preferred_multiple, 16u);
  EXPECT_EQ(told.resident_workgroups, 0u);
  EXPECT_EQ(told.max_dynamic_local_memory, limits.max_local_memory - 128u);
  EXPECT_EQ(query(hal_dim3(8, 4, 1)), HAL_STATUS_OK);
  EXPECT_EQ(query(hal_dim3(4, 8, 1)), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("was compiled for (8, 4, 1) alone"));
}

TEST_F(NullDriverTest, TakesAnyVariantOfAnExecutableFile) {
  const ContainerContents contents = SampleContents();
  const FileBytes file = SampleFile(contents);
  hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
  params.data = file.data();
  params.data_size = file.size();
  Ref<hal_executable_t> executable;
  ASSERT_EQ(hal_executable_create(device(), &params, executable.out()), HAL_STATUS_OK) << hal_last_error_message();
  ASSERT_EQ(hal_executable_export_count(executable.get()), contents.exports.size());
  for (uint32_t i = 0; i < contents.exports.size(); ++i) {
    const hal_export_info_t* const info = hal_executable_export_info(executable.get(), i);
    ASSERT_NE(info, nullptr);
    EXPECT_EQ(std::string_view(info->name.data, info->name.size), contents.exports[i].name);
  }
}

TEST_F(NullDriverTest, ImportsAndExportsPointers) {
  std::array<char, 64> memory{};
  hal_external_memory_t external = HAL_INIT(hal_external_memory_t);
  external.type = HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER;
  external.handle = reinterpret_cast<uintptr_t>(memory.data());
  external.length = memory.size();
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  params.usage = HAL_BUFFER_USAGE_ALL;
  int released = 0;
  const auto release = [](void* count) { ++*static_cast<int*>(count); };
  Ref<hal_buffer_t> buffer;
  ASSERT_EQ(hal_allocator_import(hal_device_allocator(device()), &params, &external, release, &released, buffer.out()),
            HAL_STATUS_OK);
  hal_external_memory_t exported = HAL_INIT(hal_external_memory_t);
  ASSERT_EQ(hal_buffer_export(buffer.get(), HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER, &exported), HAL_STATUS_OK);
  EXPECT_EQ(exported.handle, external.handle);
  buffer = {};
  EXPECT_EQ(released, 1);
}

TEST_F(NullDriverTest, ReportsItsOperationsToProfiling) {
  std::vector<std::string> names;
  const hal_profiling_sink_t sink = {sizeof(sink), &names, [](void* user_data, const hal_profiling_record_t* record) {
                                       static_cast<std::vector<std::string>*>(user_data)->emplace_back(
                                           record->name.data, record->name.size);
                                     }};
  ASSERT_EQ(hal_device_profiling_begin(device(), HAL_PROFILING_QUEUE_OPERATIONS, &sink), HAL_STATUS_OK);
  ASSERT_EQ(hal_device_queue_barrier(device(), hal::SubmitParams({nullptr, 0}, Done())), HAL_STATUS_OK);
  ASSERT_EQ(hal_device_profiling_end(device()), HAL_STATUS_OK);
  EXPECT_THAT(names, ::testing::ElementsAre("barrier"));
}

TEST_F(NullDriverTest, KnowsItsParameters) {
  Ref<hal_device_t> other;
  ASSERT_EQ(hal_device_create(hal_string_view("null://0?queues=3"), other.out()), HAL_STATUS_OK);
  EXPECT_EQ(hal_device_info(other.get())->queue_count, 3u);
  EXPECT_EQ(hal_device_create(hal_string_view("null://?quueues=3"), other.out()), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("queues"));
  EXPECT_EQ(hal_device_create(hal_string_view("null://1"), other.out()), HAL_STATUS_NOT_FOUND);
}

}  // namespace
}  // namespace halyard
