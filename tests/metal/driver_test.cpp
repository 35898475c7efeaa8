// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices by id, their parameters, and workgroups at the edge.
#include <cstdlib>

#include "metal_test.h"

namespace halyard::metal {
namespace {

using cts::Buffer;
using cts::Device;
using cts::Dispatch;
using cts::kNoWaits;
using cts::Ref;
using cts::Semaphore;
using testing::AllOf;
using testing::HasSubstr;

hal_status_t Create(const std::string& uri, Device* out_device) {
  return hal_device_create(cts::View(uri), out_device->out());
}
hal_status_t Create(const std::string& uri) {
  Device device;
  return Create(uri, &device);
}

class DriverTest : public MetalTest {};

TEST_F(DriverTest, OpensADeviceByItsRegistryId) {
  const Device second = cts::OpenDevice("metal://1");
  const std::string id = cts::Text(second.info().id);
  EXPECT_NE(id, cts::Text(Open().info().id));
  Device found;
  ASSERT_OK(Create("metal://" + id, &found));
  EXPECT_EQ(cts::Text(found.info().id), id);
  EXPECT_EQ(found.info().ordinal, 1u);
}

TEST_F(DriverTest, HasNoDeviceOfAnotherId) {
  for (const char* id : {"2", "ffffffffffffffff", "-1", "GPU", "0x1"}) {
    EXPECT_STATUS(HAL_STATUS_NOT_FOUND, Create(std::string("metal://") + id));
    EXPECT_THAT(hal_last_error_message(), AllOf(HasSubstr("driver 'metal' has no device"), HasSubstr(id)));
  }
}

struct BadParameter {
  const char* text;
  const char* message;  // what it says in addition to the key
};
void PrintTo(const BadParameter& bad, std::ostream* out) { *out << bad.text; }

class BadParameterTest : public MetalTest, public testing::WithParamInterface<BadParameter> {};

TEST_P(BadParameterTest, IsRefusedByName) {
  const std::string text = GetParam().text;
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Create("metal://0?" + text));
  EXPECT_THAT(hal_last_error_message(),
              AllOf(HasSubstr(text.substr(0, text.find('='))), HasSubstr(GetParam().message)));
}

INSTANTIATE_TEST_SUITE_P(Metal, BadParameterTest,
                         testing::Values(BadParameter{"queues=0", "1"}, BadParameter{"queues=33", "32"},
                                         BadParameter{"queues=two", "two"}, BadParameter{"dispatch=both", "serial"},
                                         BadParameter{"arguments=table", "encoder"},
                                         BadParameter{"residency=heap", "set"}, BadParameter{"transfers=copy", "blit"},
                                         BadParameter{"in_flight=0", "4096"}, BadParameter{"in_flight=4097", "4096"},
                                         BadParameter{"memory=much", "much"}, BadParameter{"pool=-1", "-1"},
                                         BadParameter{"queue=4", "queues"}));

class GoodParameterTest : public MetalTest, public testing::WithParamInterface<const char*> {};

TEST_P(GoodParameterTest, IsTaken) { EXPECT_NO_THROW(Open(GetParam())); }

INSTANTIATE_TEST_SUITE_P(Metal, GoodParameterTest,
                         testing::Values("queues=32", "dispatch=concurrent", "arguments=auto", "residency=auto",
                                         "transfers=auto", "in_flight=1", "in_flight=4096", "memory=1MiB", "pool=0"));

class ParameterTest : public MetalTest {};

TEST_F(ParameterTest, MemoryIsWhatBuffersHaveAltogether) {
  const Device device = Open("memory=1MiB");
  const Buffer most = device.CreateBuffer(1 << 20);
  Buffer more;
  const hal_buffer_params_t params = cts::DeviceLocal();
  EXPECT_STATUS(HAL_STATUS_RESOURCE_EXHAUSTED, hal_allocator_allocate(device.allocator(), &params, 1, more.out()));
}

TEST_F(ParameterTest, QueuesAreThatMany) { EXPECT_EQ(Open("queues=5").info().queue_count, 5u); }

constexpr const char* kCountSource = R"(#include <metal_stdlib>
using namespace metal;
struct Arguments { device atomic_uint* count [[id(0)]]; };
kernel void count_items(constant Arguments& arguments [[buffer(0)]]) {
  atomic_fetch_add_explicit(arguments.count, 1, memory_order_relaxed);
}
)";

/// Counts the work-items that run.
class GridTest : public MetalTest {
 protected:
  GridTest() {
    MetalSource source(kCountSource);
    source.Export("count_items", {hal_parameter_binding(0, HAL_BINDING_ACCESS_READ_WRITE)});
    cts::Check(source.Create(device_, &kernel_), "count_items");
  }

  hal_status_t Run(Dispatch dispatch) {
    const Semaphore done = device_.CreateSemaphore();
    dispatch.Bind(count_);
    const hal_status_t status = device_.QueueDispatch(kNoWaits, {{done, 1}}, kernel_, "count_items", dispatch);
    return status == HAL_STATUS_OK ? done.Wait(1) : status;
  }
  hal_status_t RunRecorded(Dispatch dispatch) {
    const Semaphore done = device_.CreateSemaphore();
    dispatch.Bind(count_);
    const hal_command_buffer_params_t reusable = HAL_INIT(hal_command_buffer_params_t);
    cts::CommandBuffer commands;
    cts::Check(hal_command_buffer_create(device_, &reusable, commands.out()), "command buffer");
    cts::Check(hal_command_buffer_begin(commands), "begin");
    hal_status_t status = commands.Dispatch(kernel_, "count_items", dispatch);
    if (status != HAL_STATUS_OK) return status;
    cts::Check(hal_command_buffer_end(commands), "end");
    status = device_.QueueExecute(kNoWaits, {{done, 1}}, commands);
    return status == HAL_STATUS_OK ? done.Wait(1) : status;
  }
  uint32_t Count() const { return device_.Download<uint32_t>(count_)[0]; }

  const Device device_ = Open();
  const Buffer count_ = device_.CreateBufferOf(std::vector<uint32_t>{0});
  cts::Executable kernel_;
};

TEST_F(GridTest, WithoutWorkgroupsRunsNothing) {
  const std::vector<std::vector<uint32_t>> empty = {{0, 1, 1}, {1, 0, 1}, {1, 1, 0}, {0, 0, 0}};
  for (const std::vector<uint32_t>& count : empty) {
    const Dispatch direct = Dispatch().Workgroups(count[0], count[1], count[2]);
    EXPECT_OK(Run(direct));
    EXPECT_OK(RunRecorded(direct));
    const Buffer counts = device_.CreateBufferOf(count);
    EXPECT_OK(Run(Dispatch().Indirect(counts)));
    EXPECT_OK(RunRecorded(Dispatch().Indirect(counts)));
  }
  EXPECT_EQ(Count(), 0u);
}

TEST_F(GridTest, IndirectCountsAreReadWhenItRuns) {
  const Buffer counts = device_.CreateBufferOf(std::vector<uint32_t>{9, 2, 3, 4, 9});
  EXPECT_OK(Run(Dispatch().WorkgroupSize(5).Indirect(Ref(counts, 4, 12))));
  EXPECT_EQ(Count(), 2u * 3 * 4 * 5);
}

TEST_F(GridTest, AWorkgroupIsAsLargeAsTheDeviceTakes) {
  const uint32_t most = device_.limits().max_workgroup_volume;
  EXPECT_OK(Run(Dispatch().WorkgroupSize(most)));
  EXPECT_EQ(Count(), most);
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, Run(Dispatch().WorkgroupSize(most + 1)));
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, Run(Dispatch().WorkgroupSize(most / 2 + 1, 2)));
  EXPECT_EQ(Count(), most);
}

/// Where each pipeline takes fewer work-items than the device.
class PipelineLimitTest : public GridTest {
 protected:
  void SetUp() override {
    const char* const threads = std::getenv("HALYARD_SIM_METAL_PIPELINE_THREADS");
    if (!threads) GTEST_SKIP() << "the simulated pipelines take as many work-items as the device";
    most_ = static_cast<uint32_t>(std::atoi(threads));
    ASSERT_LT(most_, device_.limits().max_workgroup_volume);
  }
  /// Runs `dispatch` alone and recorded, with a workgroup as large as the pipeline takes, and with larger ones.
  void ExpectLimit(const Dispatch& dispatch) {
    EXPECT_OK(Run(Dispatch(dispatch).WorkgroupSize(most_)));
    EXPECT_OK(RunRecorded(Dispatch(dispatch).WorkgroupSize(most_ / 2, 2)));
    EXPECT_EQ(Count(), 2 * most_);
    EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, Run(Dispatch(dispatch).WorkgroupSize(most_ + 1)));
    ExpectWords(most_ + 1, 1);
    EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, RunRecorded(Dispatch(dispatch).WorkgroupSize(most_ / 2 + 1, 2)));
    ExpectWords(most_ / 2 + 1, 2);
    EXPECT_EQ(Count(), 2 * most_);
  }

 private:
  void ExpectWords(uint32_t x, uint32_t y) const {
    const std::string size = std::to_string(x) + "x" + std::to_string(y) + "x1";
    EXPECT_THAT(hal_last_error_message(), AllOf(HasSubstr("dispatch of 'count_items': a workgroup of " + size),
                                                HasSubstr("at most " + std::to_string(most_) + " work-items")));
  }

  uint32_t most_ = 0;
};

TEST_F(PipelineLimitTest, HoldsForDirectDispatches) { ExpectLimit(Dispatch()); }

TEST_F(PipelineLimitTest, HoldsForIndirectDispatches) {
  const Buffer counts = device_.CreateBufferOf(std::vector<uint32_t>{1, 1, 1});
  ExpectLimit(Dispatch().Indirect(counts));
}

}  // namespace
}  // namespace halyard::metal
