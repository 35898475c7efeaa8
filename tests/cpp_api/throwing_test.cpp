// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C++ API with exceptions, on the local device.
#include <gmock/gmock.h>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "halyard/halyard.hpp"

static_assert(HAL_CPP_EXCEPTIONS == 1);

namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

// A reference is moved, and what it was moved from holds none.
template <class Wrapper>
constexpr bool kMovesOnly =
    std::is_nothrow_move_constructible_v<Wrapper>&& std::is_nothrow_move_assignable_v<Wrapper> &&
    !std::is_copy_constructible_v<Wrapper> && !std::is_copy_assignable_v<Wrapper>;
static_assert(kMovesOnly<hal::Registry> && kMovesOnly<hal::Driver> && kMovesOnly<hal::Device>);
static_assert(kMovesOnly<hal::Allocator> && kMovesOnly<hal::Buffer> && kMovesOnly<hal::BufferView>);
static_assert(kMovesOnly<hal::Semaphore> && kMovesOnly<hal::Fence> && kMovesOnly<hal::Event>);
static_assert(kMovesOnly<hal::CommandBuffer> && kMovesOnly<hal::Executable> && kMovesOnly<hal::ExecutableCache>);
static_assert(kMovesOnly<hal::DescriptorSetLayout> && kMovesOnly<hal::PipelineLayout> && kMovesOnly<hal::File>);
static_assert(kMovesOnly<hal::DeviceGroup> && kMovesOnly<hal::Channel>);
static_assert(kMovesOnly<hal::TraceWriter> && kMovesOnly<hal::Mapping<int>>);
// A temporary would be gone before its pointer is used.
static_assert(std::is_convertible_v<hal::Buffer&, hal_buffer_t*>);
static_assert(!std::is_convertible_v<hal::Buffer&&, hal_buffer_t*>);

class ThrowingApiTest : public testing::Test {
 protected:
  hal::Buffer MakeBuffer(uint64_t length) const {
    hal_buffer_params_t params = HAL_BUFFER_PARAMS_STAGING_INIT;
    params.usage |= HAL_BUFFER_USAGE_STORAGE | HAL_BUFFER_USAGE_EXPORT;
    return device_.allocator().Allocate(length, params);
  }
  hal::Executable LoadKernels() const { return hal::Executable::Load(device_, HALYARD_KERNEL_DIR "/cts_basic.halx"); }
  static std::vector<uint32_t> Counting(size_t count, uint32_t first = 0) {
    std::vector<uint32_t> values(count);
    std::iota(values.begin(), values.end(), first);
    return values;
  }

  const hal::Device device_ = hal::Device::Open("local://task?threads=2");
  const hal::Queue queue_ = device_.queues();
  const hal::Semaphore done_ = hal::Semaphore::Create(device_);
};

hal_status_t CodeOf(const std::function<void()>& call) {
  try {
    call();
    return HAL_STATUS_OK;
  } catch (const hal::Error& error) {
    return error.code();
  }
}

TEST_F(ThrowingApiTest, AKernelRunsOverABuffer) {
  const hal::Executable kernels = LoadKernels();
  const hal::Buffer source = MakeBuffer(256);
  const hal::Buffer target = MakeBuffer(256);
  source.Write(Counting(64));
  queue_.Dispatch({}, done_.At(1), kernels, kernels.FindExport("add_constant"),
                  hal::Dispatch(1).Constant(uint32_t{100}).Bind(source).Bind(target));
  done_.Wait(1);
  std::vector<uint32_t> values(64);
  target.Read(values);
  EXPECT_EQ(values, Counting(64, 100));
}

TEST_F(ThrowingApiTest, ARecordingIsExecutedWithATable) {
  const hal::Executable kernels = LoadKernels();
  const uint32_t add_one = kernels.FindExport("add_one");
  hal_command_buffer_params_t params = HAL_INIT(hal_command_buffer_params_t);
  params.binding_capacity = 2;
  const hal::CommandBuffer commands = hal::CommandBuffer::Create(device_, params);
  commands.Begin();
  commands.Copy(hal::Slot(0, 0, 256), hal::Slot(1, 0, 256));
  commands.Barrier();
  commands.BeginDebugGroup("all of it");
  commands.Dispatch(kernels, add_one, hal::Dispatch().Bind(hal::Slot(1, 0, 256)));
  commands.EndDebugGroup();
  commands.End();

  const hal::Buffer source = MakeBuffer(256);
  const hal::Buffer target = MakeBuffer(512);
  source.Write(Counting(64));
  queue_.Fill({}, done_.At(1), target, uint32_t{7});
  queue_.Execute(done_.At(1), done_.At(2), commands, {source, target.Range(0, 256)});
  EXPECT_TRUE(done_.WaitFor(2, hal::kForever));
  const hal::Mapping<uint32_t> mapping = target.Map<uint32_t>(HAL_MAP_ACCESS_READ);
  ASSERT_EQ(mapping.elements().size(), 128u);
  EXPECT_EQ(std::vector<uint32_t>(mapping.begin(), mapping.begin() + 64), Counting(64, 1));
  EXPECT_THAT(mapping.elements().subspan(64), Each(7u));
}

TEST_F(ThrowingApiTest, ObjectsAndOperationsHaveLabels) {
  const hal::Buffer buffer = MakeBuffer(256);
  EXPECT_EQ(buffer.Label(), "");
  buffer.SetLabel("weights");
  EXPECT_EQ(buffer.Label(), "weights");
  uint64_t number = 0;
  {
    const hal::LabelScope label("layer 7");
    queue_.Fill({}, done_.At(1), buffer, uint32_t{7});
    number = hal::LastOperation();
  }
  EXPECT_GT(number, 0u);
  EXPECT_EQ(hal_pop_label(), HAL_STATUS_FAILED_PRECONDITION) << "the scope has popped it";
  done_.Wait(1);
}

TEST_F(ThrowingApiTest, AFailureIsAnExceptionWithTheMessage) {
  try {
    const hal::Device none = hal::Device::Open("locl");
    FAIL();
  } catch (const hal::Error& error) {
    EXPECT_EQ(error.code(), HAL_STATUS_NOT_FOUND);
    EXPECT_EQ(error.status(), HAL_STATUS_NOT_FOUND);
    EXPECT_THAT(error.what(), HasSubstr("NOT_FOUND: "));
    EXPECT_THAT(error.status().message(), HasSubstr("locl"));
  }
}

TEST_F(ThrowingApiTest, AWaitThatRunsOutOfTimeIsNoFailure) {
  using namespace std::chrono_literals;
  EXPECT_FALSE(done_.WaitFor(1, 0s));
  EXPECT_FALSE(done_.WaitFor(1, -5min));
  EXPECT_FALSE(done_.WaitFor(1, 0.25us));
  EXPECT_FALSE(done_.WaitUntil(1, std::chrono::steady_clock::now() - 1h));
  EXPECT_FALSE(hal::WaitFor({done_.At(1)}, HAL_WAIT_ANY, 1ns));
  done_.Signal(1);
  EXPECT_TRUE(done_.WaitFor(1, 0s));
  EXPECT_TRUE(done_.WaitFor(1, std::chrono::hours::max()));
  EXPECT_TRUE(done_.WaitFor(1, std::chrono::duration<double>(1e300)));
  EXPECT_EQ(done_.Query(), 1u);
  done_.Fail(HAL_STATUS_ABORTED, "no more");
  EXPECT_EQ(CodeOf([&] { static_cast<void>(done_.WaitFor(2, 0s)); }), HAL_STATUS_ABORTED);
}

TEST_F(ThrowingApiTest, AFailureIsNeverATimeout) {
  using namespace std::chrono_literals;
  const hal::Fence fence = hal::Fence::Create(1);
  fence.Insert(done_.At(1));
  done_.Fail(HAL_STATUS_DEADLINE_EXCEEDED, "request 17 took too long");
  EXPECT_EQ(CodeOf([&] { static_cast<void>(done_.WaitFor(1, 1s)); }), HAL_STATUS_ABORTED);
  EXPECT_EQ(CodeOf([&] { static_cast<void>(done_.WaitFor(1, 0s)); }), HAL_STATUS_ABORTED);
  EXPECT_EQ(CodeOf([&] { static_cast<void>(fence.WaitFor(0s)); }), HAL_STATUS_ABORTED);
  EXPECT_EQ(CodeOf([&] { static_cast<void>(hal::WaitFor(done_.At(1), HAL_WAIT_ANY, 0s)); }), HAL_STATUS_ABORTED);
  EXPECT_EQ(CodeOf([&] { static_cast<void>(done_.Query()); }), HAL_STATUS_DEADLINE_EXCEEDED);
}

TEST_F(ThrowingApiTest, AnySaysWhichPoint) {
  using namespace std::chrono_literals;
  const hal::Semaphore other = hal::Semaphore::Create(device_);
  size_t index = 0;
  EXPECT_FALSE(hal::WaitAnyFor({done_.At(1), other.At(1)}, 0s, &index));
  other.Signal(1);
  EXPECT_TRUE(hal::WaitAnyFor({done_.At(1), other.At(1)}, 0s, &index));
  EXPECT_EQ(index, 1u);
  hal::WaitAny({other.At(1), done_.At(1)}, &index);
  EXPECT_EQ(index, 0u);
}

TEST_F(ThrowingApiTest, DrainWaitsForCallbacks) {
  using namespace std::chrono_literals;
  int calls = 0;
  const hal::Semaphore go = hal::Semaphore::Create(device_);
  done_.Notify(1, [&calls](const hal::Status&) { ++calls; });
  queue_.Barrier(go.At(1), done_.At(1));
  EXPECT_FALSE(device_.DrainFor(0s));
  go.Signal(1);
  device_.Drain();
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(device_.DrainFor(0s));
}

TEST_F(ThrowingApiTest, AnEmptyBufferIsNoSlot) {
  hal_command_buffer_params_t params = HAL_INIT(hal_command_buffer_params_t);
  params.binding_capacity = 1;
  const hal::CommandBuffer commands = hal::CommandBuffer::Create(device_, params);
  commands.Begin();
  EXPECT_EQ(CodeOf([&] { commands.Fill(hal::Buffer(), uint32_t{7}); }), HAL_STATUS_INVALID_ARGUMENT);
}

TEST_F(ThrowingApiTest, PointsComeInManyForms) {
  const hal::Semaphore other = hal::Semaphore::Create(device_);
  const std::vector<hal_timeline_point_t> both = {done_.At(1), other.At(1)};
  queue_.Barrier({}, both);
  hal::WaitAll(both);
  const hal::Fence fence = hal::Fence::Create(4);
  fence.Insert(done_.At(2));
  fence.Extend({other.At(2)});
  queue_.Barrier({done_.At(1), other.At(1)}, fence.List());
  fence.Wait();
  hal::WaitAny({done_.At(2), other.At(9)});
  EXPECT_EQ(done_.Query() + other.Query(), 4u);
}

TEST_F(ThrowingApiTest, LambdasAreCalledOnceAndFreed) {
  const auto token = std::make_shared<int>(0);
  int calls = 0;
  hal::Status seen(HAL_STATUS_INTERNAL, "not called");
  const hal::Semaphore host = hal::Semaphore::Create(device_);
  host.Notify(1, [&, token](hal::Status status) {
    seen = std::move(status);
    ++calls;
  });
  host.Signal(1);
  EXPECT_TRUE(seen.ok());
  const hal_timepoint_t timepoint = host.Notify(2, [&, token](const hal::Status& status) {
    if (status == HAL_STATUS_CANCELLED) ++calls;
  });
  host.Cancel(timepoint);
  // A callback that is refused is freed as well.
  EXPECT_NE(CodeOf([&] { hal::Semaphore().Notify(1, [token](const hal::Status&) {}); }), HAL_STATUS_OK);
  queue_.HostCall({}, done_.At(1), [&, token] { ++calls; });
  done_.Wait(1);
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(token.use_count(), 1);
}

TEST_F(ThrowingApiTest, AHostCallFailsWhatItSignals) {
  queue_.HostCall({}, done_.At(1), [](const hal::Status& waits) {
    return waits.ok() ? hal::Status(HAL_STATUS_DATA_LOSS, "the frame is torn") : waits;
  });
  try {
    done_.Wait(1);
    FAIL();
  } catch (const hal::Error& error) {
    EXPECT_EQ(error.code(), HAL_STATUS_DATA_LOSS);
    EXPECT_THAT(error.what(), HasSubstr("the frame is torn"));
  }
  const hal::Semaphore next = hal::Semaphore::Create(device_);
  std::atomic<bool> called = false;
  queue_.HostCall(done_.At(1), next.At(1), [&] { called = true; });
  EXPECT_EQ(CodeOf([&] { next.Wait(1); }), HAL_STATUS_DATA_LOSS);
  EXPECT_FALSE(called);
}

TEST_F(ThrowingApiTest, MemoryOfTheProgramComesInAndIsGivenBack) {
  alignas(64) std::array<uint32_t, 64> words = {};
  bool released = false;
  hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
  memory.type = HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER;
  memory.handle = reinterpret_cast<uintptr_t>(words.data());
  memory.length = sizeof(words);
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  params.usage = HAL_BUFFER_USAGE_TRANSFER;
  {
    hal::Buffer buffer = device_.allocator().Import(memory, params, [&] { released = true; });
    const hal::Buffer shared = buffer.Share();
    queue_.Fill({}, done_.At(1), buffer, uint8_t{1});
    done_.Wait(1);
    buffer.reset();
    EXPECT_FALSE(buffer);
    EXPECT_EQ(shared.length(), sizeof(words));
  }
  EXPECT_THAT(words, Each(0x01010101u));
  EXPECT_TRUE(released);
  EXPECT_EQ(CodeOf([&] { static_cast<void>(device_.allocator().Import({}, params, [] {})); }),
            HAL_STATUS_INVALID_ARGUMENT);
}

TEST_F(ThrowingApiTest, FilesViewsAndQueueAllocations) {
  std::vector<uint32_t> source = {1, 2, 3, 4};
  const hal::File file = hal::File::FromMemory(std::as_writable_bytes(std::span(source)), HAL_FILE_ACCESS_READ, [] {});
  EXPECT_EQ(file.length(), 16u);
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_STAGING_INIT;
  const hal::Buffer buffer = queue_.Alloca({}, done_.At(1), 16, params);
  queue_.Read(done_.At(1), done_.At(2), file, 0, buffer);
  done_.Wait(2);
  const int64_t sizes[] = {2, 2};
  {
    const hal::BufferView view = hal::BufferView::Create(buffer, HAL_ELEMENT_TYPE_I32, sizes);
    EXPECT_EQ(view.Format(10), "2x2xi32=[1 2][3 4]");
    EXPECT_EQ(view.ElementOffset(std::array<int64_t, 2>{1, 0}), 8u);
    EXPECT_THAT(view.sizes(), ElementsAre(2, 2));
    EXPECT_EQ(view.SharedBuffer().get(), buffer.get());
  }
  queue_.Dealloca(done_.At(2), done_.At(3), buffer);
  done_.Wait(3);
}

TEST_F(ThrowingApiTest, GroupsOfDevicesAndMemoryOfBoth) {
  const hal::Device other = hal::Device::Open("local://sync");
  const std::array<hal_device_t*, 2> devices = {device_.get(), other.get()};
  const hal::DeviceGroup group = hal::DeviceGroup::Create(devices);
  ASSERT_EQ(group.size(), 2u);
  EXPECT_EQ(group[1], other.get());
  EXPECT_EQ(group.Peer(0, 1)->share, HAL_PEER_SHARE_ALL);
  EXPECT_EQ(group.Peer(0, 2), nullptr);
  EXPECT_EQ(CodeOf([&] { group.EndProfiling(); }), HAL_STATUS_FAILED_PRECONDITION);
  const hal::Buffer mine = MakeBuffer(256);
  const hal::Buffer theirs = mine.ShareWith(other);
  theirs.Write(Counting(64));
  std::vector<uint32_t> values(64);
  mine.Read(values);
  EXPECT_EQ(values, Counting(64));
}

TEST_F(ThrowingApiTest, DriversDevicesAndWhatTheyTell) {
  const hal::Registry registry = hal::Registry::Default();
  std::vector<std::string_view> names;
  for (const hal_driver_info_t& driver : registry.Drivers()) names.push_back(hal::View(driver.name));
  EXPECT_THAT(names, testing::Contains("local"));
  const hal::Driver driver = registry.OpenDriver("local");
  EXPECT_FALSE(driver.Devices().empty());
  const hal::Device device = driver.OpenDevice();
  EXPECT_FALSE(hal::View(device.info().name).empty());
  EXPECT_EQ(device.Peer(device_).relation, HAL_PEER_RELATION_SAME);
  EXPECT_GT(device.Properties().compute_units, 0u);
  EXPECT_FALSE(device.allocator().Heaps().empty());
  EXPECT_EQ(CodeOf([&] { device.QueryFormat("no-such-format"); }), HAL_STATUS_INCOMPATIBLE);
  const hal::Executable kernels = LoadKernels();
  EXPECT_EQ(kernels.ExportProperties(kernels.FindExport("add_one")).resident_workgroups, 1u);
}

TEST_F(ThrowingApiTest, Channels) {
  const std::vector<hal::Channel> channels = hal::Channel::CreateAll({device_, device_});
  const std::vector<hal::Buffer> buffers = [this] {
    std::vector<hal::Buffer> made;
    for (int rank = 0; rank < 2; ++rank) made.push_back(MakeBuffer(64));
    return made;
  }();
  queue_.Fill({}, {{done_, 1}}, buffers[0], uint32_t{3});
  queue_.Fill({{done_, 1}}, {{done_, 2}}, buffers[1], uint32_t{4});
  hal_collective_params_t sum = HAL_COLLECTIVE_PARAMS_INIT;
  sum.element_type = HAL_ELEMENT_TYPE_UI32;
  sum.count = 16;
  for (uint32_t rank = 0; rank < 2; ++rank) {
    sum.source = sum.target = hal_buffer_ref(buffers[rank], 0, HAL_WHOLE_SIZE);
    const uint64_t end = 3 + rank;
    if (rank == 0) {
      queue_.Collective({{done_, 2}}, {{done_, end}}, channels[rank], sum);
      continue;
    }
    const hal::Semaphore other = hal::Semaphore::Create(device_);
    queue_.Collective({{done_, 2}}, {{other, 1}}, channels[rank], sum);
    other.Wait(1);
    done_.Wait(3);
  }
  std::array<uint32_t, 16> words{};
  queue_.Download({{done_, 3}}, {{done_, 4}}, buffers[1], words.data());
  done_.Wait(4);
  EXPECT_THAT(words, Each(7u));

  const hal::Channel half = channels[0].Split(1, 0);
  EXPECT_FALSE(half.WaitFor(std::chrono::nanoseconds(0)));
  const hal::Channel none = channels[1].Split(HAL_CHANNEL_NO_COLOR, 0);
  EXPECT_FALSE(none);
  half.Wait();
  const hal_channel_info_t info = half.Query();
  EXPECT_EQ(info.rank_count, 1u);
  channels[1].Abort(HAL_STATUS_ABORTED, "enough");
  EXPECT_THROW(queue_.Collective({}, {}, channels[0], sum), hal::Error);

  hal_channel_params_t params = HAL_INIT(hal_channel_params_t);
  params.id = hal::Channel::CreateId();
  params.rank_count = 1;
  EXPECT_TRUE(hal::Channel::Create(device_, params).WaitFor(std::chrono::seconds(0)));
}

}  // namespace
