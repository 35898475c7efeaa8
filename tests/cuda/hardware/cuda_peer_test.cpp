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

// Prints; a machine that is shared is no judge.
TEST_F(CudaPeerTest, CostsWhatCudaCosts) {
  constexpr uint64_t kMost = uint64_t{1} << 30;
  const Ref<hal_buffer_t> here = Allocate(device_, kMost);
  const Ref<hal_buffer_t> there = Allocate(other_, kMost);
  Copy(device_.get(), hal_buffer_ref(here.get(), 0, 4096), hal_buffer_ref(there.get(), 0, 4096));
  const ContextScope scope(device_);
  const CudaLibrary& cuda = scope.cuda();
  CUcontext mine = nullptr;
  CUcontext theirs = nullptr;
  ASSERT_EQ(cuda.cuCtxGetCurrent(&mine), CUDA_SUCCESS);
  ASSERT_EQ(cuda.cuDevicePrimaryCtxRetain(&theirs, static_cast<int>(hal_device_info(other_.get())->ordinal)),
            CUDA_SUCCESS);
  CUstream stream = nullptr;
  ASSERT_EQ(cuda.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  const CUdeviceptr source = AddressOf(here);
  const CUdeviceptr target = AddressOf(there);
  std::printf("%12s %12s %12s %12s %8s\n", "bytes", "raw us", "halyard us", "GB/s", "ratio");
  for (const uint64_t length : {uint64_t{4096}, uint64_t{1} << 20, uint64_t{256} << 20, kMost}) {
    const int runs = length > (uint64_t{1} << 21) ? 15 : 301;
    const auto raw = [&] {
      ASSERT_EQ(cuda.cuMemcpyPeerAsync(target, theirs, source, mine, length, stream), CUDA_SUCCESS);
      ASSERT_EQ(cuda.cuStreamSynchronize(stream), CUDA_SUCCESS);
    };
    const auto halyard = [&] {
      Copy(device_.get(), hal_buffer_ref(here.get(), 0, length), hal_buffer_ref(there.get(), 0, length));
    };
    raw();
    halyard();
    const double cost = Median(runs, raw);
    const double ours = Median(runs, halyard);
    std::printf("%12llu %12.1f %12.1f %12.1f %8.3f\n", static_cast<unsigned long long>(length), cost, ours,
                static_cast<double>(length) / ours / 1000, ours / cost);
  }
  EXPECT_EQ(cuda.cuStreamDestroy_v2(stream), CUDA_SUCCESS);
  EXPECT_EQ(cuda.cuDevicePrimaryCtxRelease_v2(static_cast<int>(hal_device_info(other_.get())->ordinal)), CUDA_SUCCESS);
}

}  // namespace
}  // namespace halyard::cuda
