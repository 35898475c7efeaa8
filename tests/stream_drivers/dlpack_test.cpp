// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of the device as tensors of DLPack, in both directions. The application here is the other array library: it
// works on tensors in streams of its own.
#include <chrono>
#include <cstring>
#include <future>
#include <utility>
#include <vector>

#include "core/dlpack/dlpack_abi.h"
#include "halyard/cpp/submit.hpp"
#include "interop_test.h"

namespace halyard::interop {
namespace {

using testing::HasSubstr;

constexpr size_t kWords = 16;
constexpr size_t kBytes = kWords * sizeof(uint32_t);

bool IsCuda() { return std::strcmp(vendor::kNames.extension, "halyard.cuda.interop") == 0; }
int32_t OwnType() { return IsCuda() ? dlpack::kCuda : dlpack::kRocm; }

/// A tensor of the application: a dense vector of words.
struct OwnTensor : DLManagedTensorVersioned {
  OwnTensor(void* data, int32_t type, int32_t ordinal) : DLManagedTensorVersioned{} {
    version = {1, 0};
    deleter = [](DLManagedTensorVersioned* self) {
      auto& own = *static_cast<OwnTensor*>(self);
      if (++own.deleted == 1) own.was_deleted.set_value();
    };
    tensor = {data, {type, ordinal}, 1, {dlpack::kUInt, 32, 1}, &size, nullptr, 0};
  }
  OwnTensor(const OwnTensor&) = delete;
  OwnTensor& operator=(const OwnTensor&) = delete;

  int64_t size = kWords;
  int deleted = 0;
  std::promise<void> was_deleted;  // a thread of the device may do it, a little after the last release
};

class InteropDlpackTest : public InteropTest {
 protected:
  void TearDown() override {
    timeline_ = {};
    for (const auto& [ordinal, memory] : device_memory_) {
      const vendor::Current current(ordinal);
      EXPECT_DONE(vendor::FreeOnDevice(memory));
    }
    if (pinned_) {
      const vendor::Current current(0);
      EXPECT_DONE(vendor::FreePinned(pinned_));
    }
    InteropTest::TearDown();
  }

  void* DeviceMemory(int ordinal) {
    void* memory = nullptr;
    const vendor::Current current(ordinal);
    EXPECT_DONE(vendor::AllocateOnDevice(&memory, kBytes));
    return device_memory_.emplace_back(ordinal, memory).second;
  }
  void* PinnedMemory() {
    const vendor::Current current(0);
    EXPECT_DONE(vendor::AllocatePinned(&pinned_, kBytes));
    return pinned_;
  }

  static Ref<hal_buffer_view_t> MakeView(const Ref<hal_device_t>& device, hal_memory_type_t type) {
    hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
    params.memory_type = type;
    params.usage = HAL_BUFFER_USAGE_TRANSFER | HAL_BUFFER_USAGE_STORAGE | HAL_BUFFER_USAGE_EXPORT;
    Ref<hal_buffer_t> buffer;
    EXPECT_OK(hal_allocator_allocate(hal_device_allocator(device.get()), &params, kBytes, buffer.out()));
    const int64_t size = kWords;
    Ref<hal_buffer_view_t> view;
    EXPECT_OK(hal_buffer_view_create(buffer.get(), HAL_ELEMENT_TYPE_UI32, 1, &size, view.out()));
    return view;
  }
  hal_status_t Import(DLManagedTensorVersioned* tensor, hal_memory_type_t type, Ref<hal_buffer_view_t>* out) const {
    hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
    params.memory_type = type;
    params.usage = HAL_BUFFER_USAGE_TRANSFER | HAL_BUFFER_USAGE_STORAGE;
    return hal_buffer_view_from_dlpack(hal_device_allocator(device_.get()), &params, tensor, out->out());
  }

  /// The point behind the work so far, and the one that the next work signals.
  Points Now() const { return value_ == 0 ? Points{} : Points{{timeline_.get(), value_}}; }
  Points Next() {
    if (!timeline_) timeline_ = MakeSemaphore();
    return {{timeline_.get(), ++value_}};
  }

  void Upload(hal_buffer_view_t* view, const std::vector<uint32_t>& words) {
    const Points waits = Now();
    const Points signals = Next();
    ASSERT_OK(hal_device_queue_update(device_.get(), hal::SubmitParams(List(waits), List(signals), 1), words.data(),
                                      Whole(view)));
  }
  std::vector<uint32_t> Download(hal_buffer_view_t* view) {
    std::vector<uint32_t> words(kWords);
    const Points waits = Now();
    const Points signals = Next();
    EXPECT_OK(hal_device_queue_download(device_.get(), hal::SubmitParams(List(waits), List(signals), 1), Whole(view),
                                        words.data()));
    EXPECT_OK(Wait(timeline_, value_));
    return words;
  }

  /// Puts a number behind the others in a tensor, on a stream of the application, between Halyard's work.
  void AppendOnStream(void* data, uint32_t value) {
    if (!stream_) stream_ = MakeStream();
    if (value_ > 0) ASSERT_OK(interop().wait_on_stream(device_.get(), stream_, List(Now())));
    AppendTo(data, stream_, value);
    ASSERT_OK(interop().signal_from_stream(device_.get(), stream_, List(Next())));
  }

 private:
  static hal_buffer_ref_t Whole(hal_buffer_view_t* view) {
    return hal_buffer_ref(hal_buffer_view_buffer(view), 0, kBytes);
  }

  Ref<hal_semaphore_t> timeline_;
  uint64_t value_ = 0;
  Stream stream_ = nullptr;
  std::vector<std::pair<int, void*>> device_memory_;
  void* pinned_ = nullptr;
};

/// A log of the test's kernel: how many numbers, then these.
std::vector<uint32_t> LogOf(std::vector<uint32_t> numbers) {
  numbers.insert(numbers.begin(), static_cast<uint32_t>(numbers.size()));
  numbers.resize(kWords);
  return numbers;
}

TEST_P(InteropDlpackTest, AViewOfDeviceMemoryIsWorkedOnByTheApplication) {
  Ref<hal_buffer_view_t> view = MakeView(device_, HAL_MEMORY_TYPE_DEVICE_LOCAL);
  Upload(view.get(), LogOf({7}));
  DLManagedTensorVersioned* made = nullptr;
  ASSERT_OK(hal_buffer_view_to_dlpack(view.get(), &made));
  const dlpack::Tensor& tensor = made->tensor;
  EXPECT_EQ(tensor.device.type, OwnType());
  EXPECT_EQ(tensor.device.id, 0);
  EXPECT_EQ(tensor.rank, 1);
  EXPECT_EQ(tensor.shape[0], int64_t{kWords});
  EXPECT_EQ(tensor.byte_offset, 0u);
  AppendOnStream(tensor.data, 8);
  EXPECT_EQ(Download(view.get()), LogOf({7, 8}));
  view = {};  // the tensor keeps the memory
  AppendOnStream(tensor.data, 9);
  Ref<hal_buffer_view_t> back;
  ASSERT_OK(Import(made, HAL_MEMORY_TYPE_DEVICE_LOCAL, &back));
  EXPECT_EQ(Download(back.get()), LogOf({7, 8, 9}));
}

TEST_P(InteropDlpackTest, ATensorOfTheDeviceIsWorkedOnByHalyard) {
  OwnTensor own(DeviceMemory(0), OwnType(), 0);
  Ref<hal_buffer_view_t> view;
  ASSERT_OK(Import(&own, HAL_MEMORY_TYPE_DEVICE_LOCAL, &view));
  Upload(view.get(), LogOf({}));
  AppendOnStream(own.tensor.data, 5);
  const Points waits = Now();
  const Points signals = Next();
  log_buffer_ = Ref<hal_buffer_t>::Retaining(hal_buffer_view_buffer(view.get()));
  ASSERT_OK(QueueAppend(waits, signals, 6));
  log_buffer_ = {};
  EXPECT_EQ(Download(view.get()), LogOf({5, 6}));
  EXPECT_EQ(own.deleted, 0);
  view = {};
  ASSERT_EQ(own.was_deleted.get_future().wait_for(std::chrono::seconds(10)), std::future_status::ready);
  EXPECT_EQ(own.deleted, 1);
}

TEST_P(InteropDlpackTest, PinnedMemoryIsTheHosts) {
  OwnTensor own(PinnedMemory(), IsCuda() ? dlpack::kCudaHost : dlpack::kRocmHost, 0);
  Ref<hal_buffer_view_t> view;
  ASSERT_OK(Import(&own, HAL_MEMORY_TYPE_HOST_VISIBLE, &view));
  Upload(view.get(), LogOf({1, 2, 3}));
  EXPECT_EQ(Download(view.get()), LogOf({1, 2, 3}));
  EXPECT_EQ(std::memcmp(own.tensor.data, LogOf({1, 2, 3}).data(), kBytes), 0);
}

TEST_P(InteropDlpackTest, MemoryThatTheHostReachesBecomesATensorOfTheHost) {
  const Ref<hal_buffer_view_t> view = MakeView(device_, HAL_MEMORY_TYPE_HOST_VISIBLE);
  Upload(view.get(), LogOf({4, 2}));
  const std::vector<uint32_t> words = Download(view.get());
  DLManagedTensorVersioned* made = nullptr;
  ASSERT_OK(hal_buffer_view_to_dlpack(view.get(), &made));
  EXPECT_EQ(made->tensor.device.type, dlpack::kCpu);
  EXPECT_EQ(std::memcmp(made->tensor.data, words.data(), kBytes), 0);
  made->deleter(made);
}

TEST_P(InteropDlpackTest, TensorsTellTheNumberOfTheirDevice) {
  const Ref<hal_device_t> second = OpenDevice(1);
  const Ref<hal_buffer_view_t> view = MakeView(second, HAL_MEMORY_TYPE_DEVICE_LOCAL);
  DLManagedTensorVersioned* made = nullptr;
  ASSERT_OK(hal_buffer_view_to_dlpack(view.get(), &made));
  EXPECT_EQ(made->tensor.device.type, OwnType());
  EXPECT_EQ(made->tensor.device.id, 1);
  Ref<hal_buffer_view_t> back;
  EXPECT_EQ(Import(made, HAL_MEMORY_TYPE_DEVICE_LOCAL, &back), HAL_STATUS_INCOMPATIBLE);
  EXPECT_THAT(hal_last_error_message(), HasSubstr("number 1; this device takes the host's, and its own"));
  made->deleter(made);
}

TEST_P(InteropDlpackTest, TensorsOfOtherDevicesStayTheApplications) {
  void* const memory = DeviceMemory(0);
  const int32_t others = IsCuda() ? dlpack::kRocm : dlpack::kCuda;
  std::vector<std::pair<int32_t, int32_t>> refused = {{OwnType(), 1}, {OwnType(), -1}, {others, 0}, {99, 0}, {0, 0}};
  if (!IsCuda()) refused.emplace_back(dlpack::kCudaManaged, 0);
  for (const auto& [type, ordinal] : refused) {
    OwnTensor own(memory, type, ordinal);
    Ref<hal_buffer_view_t> view;
    EXPECT_EQ(Import(&own, HAL_MEMORY_TYPE_DEVICE_LOCAL, &view), HAL_STATUS_INCOMPATIBLE) << type << " " << ordinal;
    EXPECT_THAT(hal_last_error_message(), HasSubstr("device type " + std::to_string(type)));
    EXPECT_FALSE(view);
    EXPECT_EQ(own.deleted, 0);
  }
}

// Wherever they say that they are: they have no address.
TEST_P(InteropDlpackTest, EmptyTensorsComeAndGo) {
  for (const int32_t type : {OwnType(), int32_t{dlpack::kCpu}}) {
    OwnTensor own(nullptr, type, 0);
    own.size = 0;
    hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
    params.memory_type = HAL_MEMORY_TYPE_NONE;
    params.usage = HAL_BUFFER_USAGE_TRANSFER | HAL_BUFFER_USAGE_STORAGE | HAL_BUFFER_USAGE_EXPORT;
    Ref<hal_buffer_view_t> view;
    ASSERT_OK(hal_buffer_view_from_dlpack(hal_device_allocator(device_.get()), &params, &own, view.out()));
    DLManagedTensorVersioned* made = nullptr;
    ASSERT_OK(hal_buffer_view_to_dlpack(view.get(), &made));
    EXPECT_EQ(made->tensor.device.type, type);
    EXPECT_EQ(made->tensor.data, nullptr);
    EXPECT_EQ(made->tensor.shape[0], 0);
    made->deleter(made);
    view = {};
    own.was_deleted.get_future().wait();
  }
}

INSTANTIATE_TEST_SUITE_P(Completion, InteropDlpackTest, testing::Values("fast", "portable"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace halyard::interop
