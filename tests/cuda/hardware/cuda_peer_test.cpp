// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies between two real GPUs: what arrives, and what it costs against cuMemcpyPeerAsync.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "cuda/hardware/cuda_test.h"

namespace halyard::cuda {
namespace {

class CudaPeerTest : public CudaDeviceTest {
 protected:
  void SetUp() override {
    CudaDeviceTest::SetUp();
    if (IsSkipped()) return;
    const std::string other = ordinal() == 0 ? "cuda://1" : "cuda://0";
    if (Open(other, &other_) != HAL_STATUS_OK) GTEST_SKIP() << "no second device: " << hal_last_error_message();
    hal_peer_properties_t peer = HAL_INIT(hal_peer_properties_t);
    ASSERT_EQ(hal_device_query_peer(device_.get(), other_.get(), &peer), HAL_STATUS_OK) << hal_last_error_message();
    std::printf("relation %d, route %d, link %d, atomics %d, rank %d\n", peer.relation, peer.copy_route, peer.link,
                peer.native_atomics, peer.performance_rank);
    done_ = MakeSemaphore();
  }
  static Ref<hal_buffer_t> Allocate(const Ref<hal_device_t>& device, uint64_t length) {
    hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
    params.usage = HAL_BUFFER_USAGE_TRANSFER_SOURCE | HAL_BUFFER_USAGE_TRANSFER_TARGET | HAL_BUFFER_USAGE_EXPORT;
    Ref<hal_buffer_t> buffer;
    Check(hal_allocator_allocate(hal_device_allocator(device.get()), &params, length, buffer.out()));
    return buffer;
  }
  static CUdeviceptr AddressOf(const Ref<hal_buffer_t>& buffer) {
    hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
    Check(hal_buffer_export(buffer.get(), HAL_EXTERNAL_MEMORY_TYPE_DEVICE_POINTER, &memory));
    return memory.handle;
  }
  /// Submits to `device`, and waits.
  template <class Submit>
  void Await(const Submit& submit) {
    const hal_timeline_point_t end = {done_.get(), ++value_};
    const hal_submit_params_t params = hal_submit_params(hal_semaphore_list_empty(), hal_semaphore_list(&end, 1));
    Check(submit(&params));
    Check(hal_semaphore_wait(done_.get(), value_, kTenSeconds));
  }
  void Copy(hal_device_t* by, const hal_buffer_ref_t& source, const hal_buffer_ref_t& target) {
    Await([&](const hal_submit_params_t* params) { return hal_device_queue_copy(by, params, source, target); });
  }

  Ref<hal_device_t> other_;
  Ref<hal_semaphore_t> done_;
  uint64_t value_ = 0;
};

TEST_F(CudaPeerTest, CopiesTheRangeAndNoMore) {
  for (const uint64_t length : {uint64_t{1}, uint64_t{4097}, uint64_t{1} << 20, (uint64_t{1} << 30) - 13}) {
    const uint64_t whole = length + 64;
    std::vector<uint8_t> bytes(whole);
    for (uint64_t i = 0; i < whole; ++i) bytes[i] = static_cast<uint8_t>(i * 2654435761u >> 13);
    for (const bool out : {true, false}) {
      const Ref<hal_device_t>& from = out ? device_ : other_;
      const Ref<hal_device_t>& to = out ? other_ : device_;
      const Ref<hal_buffer_t> source = Allocate(from, whole);
      const Ref<hal_buffer_t> target = Allocate(to, whole);
      const uint32_t zero = 0;
      Await([&](const auto* params) {
        return hal_device_queue_upload(from.get(), params, bytes.data(), hal_buffer_ref(source.get(), 0, whole));
      });
      Await([&](const auto* params) {
        return hal_device_queue_fill(to.get(), params, hal_buffer_ref(target.get(), 0, whole), &zero, 1);
      });
      Copy(out ? device_.get() : other_.get(), hal_buffer_ref(source.get(), 3, length),
           hal_buffer_ref(target.get(), 7, length));
      std::vector<uint8_t> found(whole);
      Await([&](const auto* params) {
        return hal_device_queue_download(to.get(), params, hal_buffer_ref(target.get(), 0, whole), found.data());
      });
      EXPECT_TRUE(std::equal(found.begin() + 7, found.begin() + 7 + static_cast<ptrdiff_t>(length), bytes.begin() + 3))
          << length << " bytes";
      EXPECT_EQ(std::count(found.begin(), found.begin() + 7, 0), 7);
      EXPECT_EQ(std::count(found.begin() + 7 + static_cast<ptrdiff_t>(length), found.end(), 0), 57);
    }
  }
}

/// The median of `runs` runs, in microseconds.
template <class Run>
double Median(int runs, const Run& run) {
  std::vector<double> times;
  for (int i = 0; i < runs; ++i) {
    const auto start = std::chrono::steady_clock::now();
    run();
    times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
  }
  std::ranges::sort(times);
  return times[times.size() / 2];
}

/// The calls of CUDA that a line is compared with, on a stream of each device.
class RawCalls {
 public:
  RawCalls(const Ref<hal_device_t>& here, const Ref<hal_device_t>& there) : scope_(here), cuda_(scope_.cuda()) {
    ordinal_ = static_cast<int>(hal_device_info(there.get())->ordinal);
    EXPECT_EQ(cuda_.cuCtxGetCurrent(&contexts[0]), CUDA_SUCCESS);
    EXPECT_EQ(cuda_.cuDevicePrimaryCtxRetain(&contexts[1], ordinal_), CUDA_SUCCESS);
    for (size_t i = 0; i < 2; ++i) {
      On(i, [&] {
        EXPECT_EQ(cuda_.cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
        EXPECT_EQ(cuda_.cuEventCreate(&events[i], CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
      });
    }
  }
  ~RawCalls() {
    for (size_t i = 0; i < 2; ++i) {
      On(i, [&] {
        EXPECT_EQ(cuda_.cuEventDestroy_v2(events[i]), CUDA_SUCCESS);
        EXPECT_EQ(cuda_.cuStreamDestroy_v2(streams[i]), CUDA_SUCCESS);
      });
    }
    EXPECT_EQ(cuda_.cuDevicePrimaryCtxRelease_v2(ordinal_), CUDA_SUCCESS);
  }
  RawCalls(const RawCalls&) = delete;
  RawCalls& operator=(const RawCalls&) = delete;

  /// Calls with the context of a device: 0 here, 1 there.
  template <class Body>
  void On(size_t device, const Body& body) const {
    ASSERT_EQ(cuda_.cuCtxPushCurrent_v2(contexts[device]), CUDA_SUCCESS);
    body();
    CUcontext left = nullptr;
    ASSERT_EQ(cuda_.cuCtxPopCurrent_v2(&left), CUDA_SUCCESS);
  }
  void Synchronize(size_t device) const {
    On(device, [&] { ASSERT_EQ(cuda_.cuStreamSynchronize(streams[device]), CUDA_SUCCESS); });
  }
  /// From a device to the other one, on the stream of the first.
  void Copy(size_t from, CUdeviceptr source, CUdeviceptr target, uint64_t length) const {
    On(from, [&] {
      ASSERT_EQ(cuda_.cuMemcpyPeerAsync(target, contexts[1 - from], source, contexts[from], length, streams[from]),
                CUDA_SUCCESS);
    });
  }
  void Fill(size_t device, CUdeviceptr target) const {
    On(device, [&] { ASSERT_EQ(cuda_.cuMemsetD32Async(target, 1, 64, streams[device]), CUDA_SUCCESS); });
  }
  const CudaLibrary& cuda() const { return cuda_; }

  std::array<CUcontext, 2> contexts{};
  std::array<CUstream, 2> streams{};
  std::array<CUevent, 2> events{};

 private:
  const ContextScope scope_;
  const CudaLibrary& cuda_;
  int ordinal_ = 0;
};

/// Prints how long both take. A machine that is shared is no judge, so nothing depends on it.
template <class Raw, class Halyard>
void Compare(const char* what, uint64_t bytes, int runs, const Raw& raw, const Halyard& halyard) {
  raw();
  halyard();
  const double cost = Median(runs, raw);
  const double ours = Median(runs, halyard);
  std::printf("%-28s %12llu bytes: raw %10.1f us, halyard %10.1f us, %7.1f GB/s, ratio %.3f\n", what,
              static_cast<unsigned long long>(bytes), cost, ours, static_cast<double>(bytes) / ours / 1000,
              ours / cost);
}

TEST_F(CudaPeerTest, CostsWhatCudaCosts) {
  constexpr uint64_t kMost = uint64_t{1} << 30;
  const Ref<hal_buffer_t> here[] = {Allocate(device_, kMost), Allocate(device_, kMost)};
  const Ref<hal_buffer_t> there[] = {Allocate(other_, kMost), Allocate(other_, kMost)};
  Copy(device_.get(), hal_buffer_ref(here[0].get(), 0, 4096), hal_buffer_ref(there[0].get(), 0, 4096));
  const CUdeviceptr mine[] = {AddressOf(here[0]), AddressOf(here[1])};
  const CUdeviceptr theirs[] = {AddressOf(there[0]), AddressOf(there[1])};
  const RawCalls raw(device_, other_);
  for (const uint64_t length : {uint64_t{4096}, uint64_t{1} << 20, uint64_t{256} << 20, kMost}) {
    Compare(
        "one direction", length, length > (uint64_t{1} << 21) ? 15 : 301,
        [&] {
          raw.Copy(0, mine[0], theirs[0], length);
          raw.Synchronize(0);
        },
        [&] {
          Copy(device_.get(), hal_buffer_ref(here[0].get(), 0, length), hal_buffer_ref(there[0].get(), 0, length));
        });
  }
  const Ref<hal_semaphore_t> back = MakeSemaphore();
  uint64_t value = 0;
  Compare(
      "both directions, each", kMost, 15,
      [&] {
        raw.Copy(0, mine[0], theirs[0], kMost);
        raw.Copy(1, theirs[1], mine[1], kMost);
        for (const size_t device : {0, 1}) raw.Synchronize(device);
      },
      [&] {
        const hal_timeline_point_t end = {back.get(), ++value};
        const hal_submit_params_t params = hal_submit_params(hal_semaphore_list_empty(), hal_semaphore_list(&end, 1));
        Check(hal_device_queue_copy(other_.get(), &params, hal_buffer_ref(there[1].get(), 0, kMost),
                                    hal_buffer_ref(here[1].get(), 0, kMost)));
        Copy(device_.get(), hal_buffer_ref(here[0].get(), 0, kMost), hal_buffer_ref(there[0].get(), 0, kMost));
        Check(hal_semaphore_wait(back.get(), value, kTenSeconds));
      });
}

TEST_F(CudaPeerTest, AnEdgeCostsWhatCudaCosts) {
  const Ref<hal_buffer_t> here = Allocate(device_, 256);
  const Ref<hal_buffer_t> there = Allocate(other_, 256);
  Ref<hal_semaphore_t> last;  // of the device that signals it
  Check(hal_semaphore_create(other_.get(), nullptr, last.out()));
  uint64_t last_value = 0;
  const RawCalls raw(device_, other_);
  const uint32_t pattern = 1;
  const CUdeviceptr first = AddressOf(here);
  const CUdeviceptr second = AddressOf(there);
  Compare(
      "edge between two devices", 256, 1001,
      [&] {
        raw.Fill(0, first);
        raw.On(0, [&] { ASSERT_EQ(raw.cuda().cuEventRecord(raw.events[0], raw.streams[0]), CUDA_SUCCESS); });
        raw.On(1, [&] { ASSERT_EQ(raw.cuda().cuStreamWaitEvent(raw.streams[1], raw.events[0], 0), CUDA_SUCCESS); });
        raw.Fill(1, second);
        raw.Synchronize(1);
      },
      [&] {
        const hal_timeline_point_t begun = {done_.get(), ++value_};
        const hal_timeline_point_t end = {last.get(), ++last_value};
        const auto fill = [&](hal_device_t* device, hal_buffer_t* buffer, const hal_semaphore_list_t& waits,
                              const hal_semaphore_list_t& signals) {
          const hal_submit_params_t params = hal_submit_params(waits, signals);
          Check(hal_device_queue_fill(device, &params, hal_buffer_ref(buffer, 0, 256), &pattern, sizeof(pattern)));
        };
        fill(device_.get(), here.get(), hal_semaphore_list_empty(), hal_semaphore_list(&begun, 1));
        fill(other_.get(), there.get(), hal_semaphore_list(&begun, 1), hal_semaphore_list(&end, 1));
        Check(hal_semaphore_wait(last.get(), last_value, kTenSeconds));
      });
}

// Between CUDA and Vulkan on another GPU no driver copies by itself. The links are as fast as the slower of the two
// copies between pinned memory and a device.
TEST_F(CudaPeerTest, GoesThroughTheHostAsFastAsTheLinks) {
  constexpr uint64_t kMost = uint64_t{1} << 30;
  Ref<hal_device_t> vulkan;
  if (Open(ordinal() == 0 ? "vulkan://1" : "vulkan://0", &vulkan) != HAL_STATUS_OK) GTEST_SKIP() << "no Vulkan";
  const Ref<hal_buffer_t> here = Allocate(device_, kMost);
  const Ref<hal_buffer_t> there = Allocate(vulkan, kMost);
  const RawCalls raw(device_, other_);
  void* pinned = nullptr;
  raw.On(0, [&] { ASSERT_EQ(raw.cuda().cuMemHostAlloc(&pinned, kMost, CU_MEMHOSTALLOC_PORTABLE), CUDA_SUCCESS); });
  const CUdeviceptr address = AddressOf(here);
  const auto down = [&] {
    raw.On(0,
           [&] { ASSERT_EQ(raw.cuda().cuMemcpyDtoHAsync_v2(pinned, address, kMost, raw.streams[0]), CUDA_SUCCESS); });
    raw.Synchronize(0);
  };
  const auto up = [&] {
    raw.On(0,
           [&] { ASSERT_EQ(raw.cuda().cuMemcpyHtoDAsync_v2(address, pinned, kMost, raw.streams[0]), CUDA_SUCCESS); });
    raw.Synchronize(0);
  };
  Compare("to Vulkan, against DtoH", kMost, 5, down,
          [&] { Copy(device_.get(), hal_buffer_ref(here.get(), 0, kMost), hal_buffer_ref(there.get(), 0, kMost)); });
  Compare("from Vulkan, against HtoD", kMost, 5, up,
          [&] { Copy(device_.get(), hal_buffer_ref(there.get(), 0, kMost), hal_buffer_ref(here.get(), 0, kMost)); });
  raw.On(0, [&] { EXPECT_EQ(raw.cuda().cuMemFreeHost(pinned), CUDA_SUCCESS); });
}

}  // namespace
}  // namespace halyard::cuda
