// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which dispatches of a profiling session are timed, and what that costs in encoders. The suite asks for the records.
#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <vector>

#include "metal_test.h"

namespace halyard::metal {
namespace {

using cts::Buffer;
using cts::Check;
using cts::CommandBuffer;
using cts::Device;
using cts::Dispatch;
using cts::Executable;
using cts::Semaphore;
using testing::SizeIs;

/// metal.counters.none has a device without timestamps at the ends of encoders.
bool HasCounters() { return std::getenv("HALYARD_SIM_METAL_SAMPLE_DISPATCHES") == nullptr; }

/// A profiling session. Its records are those of one operation.
class Session {
 public:
  explicit Session(const Device& device) : device_(device) {
    hal_profiling_sink_t sink = HAL_INIT(hal_profiling_sink_t);
    sink.user_data = this;
    sink.record = [](void* self, const hal_profiling_record_t* record) { static_cast<Session*>(self)->Add(*record); };
    const hal_profiling_flags_t flags = HAL_PROFILING_QUEUE_OPERATIONS | HAL_PROFILING_DISPATCHES;
    Check(hal_device_profiling_begin(device, flags, &sink), "profiling");
  }
  ~Session() { EXPECT_OK(hal_device_profiling_end(device_)); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Waits for the operation's and those of so many dispatches.
  void WaitFor(size_t dispatches) { EXPECT_TRUE(count_.WaitFor(dispatches + 1)); }
  std::vector<hal_profiling_record_t> OfKind(hal_profiling_record_kind_t kind) const {
    const std::lock_guard lock(mutex_);
    std::vector<hal_profiling_record_t> found;
    std::copy_if(records_.begin(), records_.end(), std::back_inserter(found),
                 [&](const hal_profiling_record_t& record) { return record.kind == kind; });
    return found;
  }

 private:
  void Add(const hal_profiling_record_t& record) {
    {
      const std::lock_guard lock(mutex_);
      records_.push_back(record);
    }
    count_.Add();
  }

  const Device& device_;
  mutable std::mutex mutex_;  // protects records_
  std::vector<hal_profiling_record_t> records_;
  cts::Counter count_;
};

class ProfilingTest : public MetalTest {
 protected:
  /// Executes a recording of so many dispatches, and waits for its records.
  void Run(size_t dispatches, Session* session) {
    const CommandBuffer commands = device_.Record([&](const CommandBuffer& recording) {
      for (size_t i = 0; i < dispatches; ++i) Check(recording.Dispatch(kernels_, "noop", Dispatch()), "noop");
    });
    const Semaphore done = device_.CreateSemaphore();
    sim().Reset();
    ASSERT_OK(device_.QueueExecute({}, {{done, 1}}, commands));
    ASSERT_OK(done.Wait(1));
    session->WaitFor(dispatches);
  }
  static uint64_t TimedEncoders() { return sim().Calls("computeCommandEncoderWithDescriptor:"); }
  static uint64_t PlainEncoders() { return sim().Calls("computeCommandEncoderWithDispatchType:"); }
  static uint64_t SampleBuffers() { return sim().Calls("newCounterSampleBufferWithDescriptor:error:"); }

  const Device device_ = Open();
  const Executable kernels_ = device_.LoadKernels("basic");
};

TEST_F(ProfilingTest, EachDispatchHasAnEncoderWithTimesOrNoneHas) {
  Session session(device_);
  Run(3, &session);
  EXPECT_EQ(TimedEncoders(), HasCounters() ? 3u : 0u);
  EXPECT_EQ(PlainEncoders(), HasCounters() ? 0u : 1u);
  EXPECT_EQ(SampleBuffers(), HasCounters() ? 1u : 0u);
  EXPECT_THAT(session.OfKind(HAL_PROFILING_RECORD_KIND_DISPATCH), SizeIs(3));
}

TEST_F(ProfilingTest, ADispatchWithoutTimesHasTheBeginningOfItsOperation) {
  Session session(device_);
  sim().Reset();
  if (HasCounters()) sim().Fail("newCounterSampleBufferWithDescriptor:error:", 1, 1);
  const Semaphore done = device_.CreateSemaphore();
  ASSERT_OK(device_.QueueDispatch({}, {{done, 1}}, kernels_, "noop", Dispatch()));
  ASSERT_OK(done.Wait(1));
  session.WaitFor(1);
  EXPECT_EQ(TimedEncoders(), 0u);
  const auto operations = session.OfKind(HAL_PROFILING_RECORD_KIND_QUEUE_OPERATION);
  const auto dispatches = session.OfKind(HAL_PROFILING_RECORD_KIND_DISPATCH);
  ASSERT_THAT(operations, SizeIs(1));
  ASSERT_THAT(dispatches, SizeIs(1));
  EXPECT_EQ(dispatches[0].start_time, operations[0].start_time);
  EXPECT_EQ(dispatches[0].end_time, operations[0].start_time);
}

// Sample buffers of Metal's have 32 KiB: two times of eight bytes for each dispatch.
TEST_F(ProfilingTest, AnOperationHas2048DispatchesWithTimes) {
  if (!HasCounters()) GTEST_SKIP() << "the simulated device has no counters";
  Session session(device_);
  Run(2'050, &session);
  EXPECT_EQ(TimedEncoders(), 2'048u);
  EXPECT_EQ(PlainEncoders(), 2u);
  EXPECT_THAT(session.OfKind(HAL_PROFILING_RECORD_KIND_DISPATCH), SizeIs(2'050));
}

}  // namespace
}  // namespace halyard::metal
