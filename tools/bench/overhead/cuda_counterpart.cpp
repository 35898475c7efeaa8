// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <optional>
#include <string>

#include "counterpart.h"
#include "cuda_calls.h"
#include "support/input_file.h"
#include "support/kernels/kernel_files.h"

namespace halyard::tools {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kLongestWait = std::chrono::seconds(10);
constexpr size_t kWriterDistance = 64;  // bytes: a cache line each

// The state of one writer, in a cache line of its own.
struct alignas(kWriterDistance) Writer {
  uint64_t value = 0;
  cuda::CUevent event = nullptr;  // records nothing but that it was reached
};

class CudaCounterpart final : public Counterpart {
 public:
  explicit CudaCounterpart(hal_device_t* device);
  ~CudaCounterpart() override;

  void Enter() override { Must(HALYARD_CUDA(*cuda_, cuCtxPushCurrent_v2, (context_))); }
  void Leave() override {
    cuda::CUcontext context = nullptr;
    static_cast<void>(cuda_->cuCtxPopCurrent_v2(&context));
  }

  void LaunchMany(int count) override {
    for (int i = 0; i < count; ++i) LaunchInto(streams_[0]);
  }
  void LaunchAndWait(int count) override {
    LaunchMany(count);
    Wait(streams_[0]);
  }
  void Submit(size_t stream, size_t writer, int count) override;
  void Prepare(int count) override { prepared_ = count; }
  void SubmitPrepared(size_t writer) override { Submit(0, writer, prepared_); }
  void SubmitEdge(size_t writer) override;
  void SubmitAndSleep() override;
  void ExpectWrite(size_t writer) override { ++writers_[writer].value; }
  void LaunchWithWrite(size_t writer) override {
    LaunchInto(streams_[0]);
    Write(streams_[0], writer);
  }
  void Spin(size_t writer) const override;
  void AllocateAndFree(uint64_t length, int count) override;
  void MakeSignals(int count) override;
  void Upload(const void* data, uint64_t length) override;
  void Download(void* data, uint64_t length) override;
  void Drain() override {
    for (cuda::CUstream stream : streams_) Wait(stream);
  }
  std::unique_ptr<CounterpartGraph> MakeGraph(const RecordedWork& work) override {
    return MakeCudaGraph(*cuda_, module_, work);
  }
  std::unique_ptr<CounterpartGraph> MakeTransfer(const RecordedTransfer& transfer) override {
    return MakeCudaTransfer(*cuda_, transfer);
  }
  double KernelTime(const RecordedWork& work) override { return CudaKernelTime(*cuda_, module_, work); }

 private:
  void LoadModule();
  void MakeCounters();
  void MakePool(cuda::CUdevice device);

  void LaunchInto(cuda::CUstream stream) const {
    Must(HALYARD_CUDA(*cuda_, cuLaunchKernel, (empty_, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr)));
  }
  void Record(cuda::CUevent event, cuda::CUstream stream) const {
    Must(HALYARD_CUDA(*cuda_, cuEventRecord, (event, stream)));
  }
  void Wait(cuda::CUstream stream) const { Must(HALYARD_CUDA(*cuda_, cuStreamSynchronize, (stream))); }
  // The writer's value as it is.
  void Write(cuda::CUstream stream, size_t writer) const {
    const cuda::CUdeviceptr address = counters_address_ + writer * kWriterDistance;
    Must(HALYARD_CUDA(*cuda_, cuStreamWriteValue64_v2, (stream, address, writers_[writer].value, 0)));
  }

  const cuda::CudaLibrary* cuda_ = nullptr;
  cuda::CUdevice device_{};
  cuda::CUcontext context_ = nullptr;
  cuda::CUmodule module_ = nullptr;
  cuda::CUfunction empty_ = nullptr;
  std::array<cuda::CUstream, kStreams> streams_{};
  cuda::CUevent sleepers_ = nullptr;  // for threads that sleep
  std::array<Writer, kWriters> writers_;
  cuda::CUmemoryPool pool_ = nullptr;
  int prepared_ = 0;  // launches
  cuda::CUdeviceptr uploaded_ = 0;
  uint64_t uploaded_length_ = 0;
  uint64_t* counters_ = nullptr;
  cuda::CUdeviceptr counters_address_ = 0;
};

CudaCounterpart::CudaCounterpart(hal_device_t* device) {
  constexpr unsigned int kUntimed = cuda::CU_EVENT_DISABLE_TIMING;
  Must(cuda::CudaLibrary::Get(&cuda_));
  const auto ordinal = static_cast<int>(hal_device_info(device)->ordinal);
  Must(HALYARD_CUDA(*cuda_, cuDeviceGet, (&device_, ordinal)));
  Must(HALYARD_CUDA(*cuda_, cuDevicePrimaryCtxRetain, (&context_, device_)));
  const Entered entered(*this);
  LoadModule();
  for (cuda::CUstream& stream : streams_) {
    Must(HALYARD_CUDA(*cuda_, cuStreamCreate, (&stream, cuda::CU_STREAM_NON_BLOCKING)));
  }
  Must(HALYARD_CUDA(*cuda_, cuEventCreate, (&sleepers_, cuda::CU_EVENT_BLOCKING_SYNC | kUntimed)));
  for (Writer& writer : writers_) Must(HALYARD_CUDA(*cuda_, cuEventCreate, (&writer.event, kUntimed)));
  MakeCounters();
  MakePool(device_);
}

// A release that fails here follows an earlier failure: a lost device releases nothing.
CudaCounterpart::~CudaCounterpart() {
  if (cuda_->cuCtxPushCurrent_v2(context_) != cuda::CUDA_SUCCESS) return;
  for (cuda::CUstream stream : streams_) static_cast<void>(cuda_->cuStreamSynchronize(stream));
  for (cuda::CUstream stream : streams_) static_cast<void>(cuda_->cuStreamDestroy_v2(stream));
  for (const Writer& writer : writers_) static_cast<void>(cuda_->cuEventDestroy_v2(writer.event));
  static_cast<void>(cuda_->cuEventDestroy_v2(sleepers_));
  static_cast<void>(cuda_->cuMemPoolDestroy(pool_));
  static_cast<void>(cuda_->cuMemFreeHost(counters_));
  if (uploaded_ != 0) static_cast<void>(cuda_->cuMemFree_v2(uploaded_));
  static_cast<void>(cuda_->cuModuleUnload(module_));
  Leave();
  static_cast<void>(cuda_->cuDevicePrimaryCtxRelease_v2(device_));
}

// The very image that Halyard finds in bench_kernels.halx.
void CudaCounterpart::LoadModule() {
  const std::string image = ReadTextFile(KernelFile("bench_kernels.ptx"), kLargestImage);
  Must(HALYARD_CUDA(*cuda_, cuModuleLoadDataEx, (&module_, image.c_str(), 0, nullptr, nullptr)));
  Must(HALYARD_CUDA(*cuda_, cuModuleGetFunction, (&empty_, module_, "empty")));
}

void CudaCounterpart::MakeCounters() {
  constexpr unsigned int kPortableMapped = 3;
  constexpr size_t kBytes = kWriters * kWriterDistance;
  void* memory = nullptr;
  Must(HALYARD_CUDA(*cuda_, cuMemHostAlloc, (&memory, kBytes, kPortableMapped)));
  counters_ = static_cast<uint64_t*>(memory);
  std::fill_n(counters_, kBytes / sizeof(uint64_t), uint64_t{0});
  Must(HALYARD_CUDA(*cuda_, cuMemHostGetDevicePointer_v2, (&counters_address_, memory, 0)));
}

void CudaCounterpart::MakePool(cuda::CUdevice device) {
  cuda::CUmemPoolProps props{};
  props.allocType = cuda::CU_MEM_ALLOCATION_TYPE_PINNED;
  props.location = {cuda::CU_MEM_LOCATION_TYPE_DEVICE, device};
  Must(HALYARD_CUDA(*cuda_, cuMemPoolCreate, (&pool_, &props)));
  uint64_t keep = UINT64_MAX;
  Must(HALYARD_CUDA(*cuda_, cuMemPoolSetAttribute, (pool_, cuda::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep)));
}

void CudaCounterpart::Submit(size_t stream, size_t writer, int count) {
  for (int i = 0; i < count; ++i) {
    LaunchInto(streams_[stream]);
    Record(writers_[writer].event, streams_[stream]);
    ++writers_[writer].value;
    Write(streams_[stream], writer);
  }
}

void CudaCounterpart::SubmitEdge(size_t writer) {
  LaunchInto(streams_[0]);
  Record(writers_[writer].event, streams_[0]);
  Must(HALYARD_CUDA(*cuda_, cuStreamWaitEvent, (streams_[1], writers_[writer].event, 0)));
  LaunchInto(streams_[1]);
  ++writers_[writer].value;
  Write(streams_[1], writer);
}

void CudaCounterpart::SubmitAndSleep() {
  LaunchInto(streams_[0]);
  Record(sleepers_, streams_[0]);
  Must(HALYARD_CUDA(*cuda_, cuEventSynchronize, (sleepers_)));
}

void CudaCounterpart::Spin(size_t writer) const {
  constexpr uint64_t kBetweenLooksAtTheClock = uint64_t{1} << 20;
  const std::atomic_ref word(counters_[writer * kWriterDistance / sizeof(uint64_t)]);
  const uint64_t value = writers_[writer].value;
  std::optional<Clock::time_point> end;  // which what is measured does not live to see
  for (uint64_t looks = 1; word.load(std::memory_order_acquire) < value; ++looks) {
    if (looks % kBetweenLooksAtTheClock != 0) continue;
    if (!end) end = Clock::now() + kLongestWait;
    if (Clock::now() > *end) Fail(ExitCode::kDevice, "the device did not write ", value, " to a counter of the host");
  }
}

void CudaCounterpart::MakeSignals(int count) {
  for (int i = 0; i < count; ++i) {
    cuda::CUevent event = nullptr;
    Must(HALYARD_CUDA(*cuda_, cuEventCreate, (&event, cuda::CU_EVENT_DISABLE_TIMING)));
    Must(HALYARD_CUDA(*cuda_, cuEventDestroy_v2, (event)));
  }
}

// The memory is made in the turns that do not count.
void CudaCounterpart::Upload(const void* data, uint64_t length) {
  if (uploaded_length_ != length) {
    if (uploaded_ != 0) Must(HALYARD_CUDA(*cuda_, cuMemFree_v2, (uploaded_)));
    uploaded_length_ = uploaded_ = 0;
    Must(HALYARD_CUDA(*cuda_, cuMemAlloc_v2, (&uploaded_, length)));
    uploaded_length_ = length;
  }
  Must(HALYARD_CUDA(*cuda_, cuMemcpyHtoDAsync_v2, (uploaded_, data, length, streams_[0])));
  Wait(streams_[0]);
}

void CudaCounterpart::Download(void* data, uint64_t length) {
  Must(HALYARD_CUDA(*cuda_, cuMemcpyDtoHAsync_v2, (data, uploaded_, length, streams_[0])));
  Wait(streams_[0]);
}

void CudaCounterpart::AllocateAndFree(uint64_t length, int count) {
  for (int i = 0; i < count; ++i) {
    cuda::CUdeviceptr address = 0;
    Must(HALYARD_CUDA(*cuda_, cuMemAllocFromPoolAsync, (&address, length, pool_, streams_[0])));
    Must(HALYARD_CUDA(*cuda_, cuMemFreeAsync, (address, streams_[0])));
  }
}

}  // namespace

void FailCudaCall(const halyard::Failure& failure) { Fail(ExitCode::kRun, failure.message()); }

std::unique_ptr<Counterpart> MakeCudaCounterpart(hal_device_t* device) {
  return std::make_unique<CudaCounterpart>(device);
}

}  // namespace halyard::tools
