// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
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
#include "support/kernel_files.h"

namespace halyard::tools {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kLargestImage = size_t{1} << 20;
constexpr auto kLongestWait = std::chrono::seconds(10);
constexpr size_t kWriterDistance = 64;  // bytes: a cache line each

// What one writer was told last. Threads beside each other do not share a cache line.
struct alignas(kWriterDistance) Writer {
  uint64_t value = 0;
  abi::Event event = nullptr;  // records nothing but that it was reached
};

class CudaCounterpart final : public Counterpart {
 public:
  explicit CudaCounterpart(hal_device_t* device);
  ~CudaCounterpart() override;

  void Enter() override { Must(HALYARD_CUDA(*cuda_, CtxPushCurrent, (context_))); }
  void Leave() override {
    abi::Context context = nullptr;
    static_cast<void>(cuda_->CtxPopCurrent(&context));
  }

  void LaunchAndWait(int count) override {
    for (int i = 0; i < count; ++i) LaunchInto(streams_[0]);
    Wait(streams_[0]);
  }
  void Submit(size_t stream, size_t writer, int count) override;
  void SubmitEdge(size_t writer) override;
  void SubmitAndSleep() override;
  void Announce(size_t writer) override { ++writers_[writer].value; }
  void LaunchAnnounced(size_t writer) override {
    LaunchInto(streams_[0]);
    Write(streams_[0], writer);
  }
  void Spin(size_t writer) const override;
  void AllocateAndFree(uint64_t length, int count) override;
  void Drain() override {
    for (abi::Stream stream : streams_) Wait(stream);
  }
  std::unique_ptr<CounterpartGraph> MakeGraph(const RecordedWork& work) override {
    return MakeCudaGraph(*cuda_, module_, work);
  }
  double KernelTime(const RecordedWork& work) override { return CudaKernelTime(*cuda_, module_, work); }

 private:
  void LoadModule();
  void MakeCounters();
  void MakePool(abi::Device device);

  void LaunchInto(abi::Stream stream) const {
    Must(HALYARD_CUDA(*cuda_, LaunchKernel, (empty_, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr)));
  }
  void Record(abi::Event event, abi::Stream stream) const { Must(HALYARD_CUDA(*cuda_, EventRecord, (event, stream))); }
  void Wait(abi::Stream stream) const { Must(HALYARD_CUDA(*cuda_, StreamSynchronize, (stream))); }
  // The writer's value as it is.
  void Write(abi::Stream stream, size_t writer) const {
    const abi::DevicePtr address = counters_address_ + writer * kWriterDistance;
    Must(HALYARD_CUDA(*cuda_, StreamWriteValue64, (stream, address, writers_[writer].value, 0)));
  }

  const cuda::CudaLibrary* cuda_ = nullptr;
  abi::Device device_{};
  abi::Context context_ = nullptr;
  abi::Module module_ = nullptr;
  abi::Function empty_ = nullptr;
  std::array<abi::Stream, kStreams> streams_{};
  abi::Event sleepers_ = nullptr;  // for threads that sleep
  std::array<Writer, kWriters> writers_;
  abi::MemPool pool_ = nullptr;
  uint64_t* counters_ = nullptr;
  abi::DevicePtr counters_address_ = 0;
};

CudaCounterpart::CudaCounterpart(hal_device_t* device) {
  constexpr unsigned int kUntimed = Bits(abi::EventFlags::kDisableTiming);
  Must(cuda::CudaLibrary::Get(&cuda_));
  const auto ordinal = static_cast<int>(hal_device_info(device)->ordinal);
  Must(HALYARD_CUDA(*cuda_, DeviceGet, (&device_, ordinal)));
  Must(HALYARD_CUDA(*cuda_, DevicePrimaryCtxRetain, (&context_, device_)));
  const Entered entered(*this);
  LoadModule();
  for (abi::Stream& stream : streams_)
    Must(HALYARD_CUDA(*cuda_, StreamCreate, (&stream, Bits(abi::StreamFlags::kNonBlocking))));
  Must(HALYARD_CUDA(*cuda_, EventCreate, (&sleepers_, Bits(abi::EventFlags::kBlockingSync) | kUntimed)));
  for (Writer& writer : writers_) Must(HALYARD_CUDA(*cuda_, EventCreate, (&writer.event, kUntimed)));
  MakeCounters();
  MakePool(device_);
}

// Whatever fails here, failed before: a lost device gives nothing back.
CudaCounterpart::~CudaCounterpart() {
  if (cuda_->CtxPushCurrent(context_) != abi::Result::kSuccess) return;
  for (abi::Stream stream : streams_) static_cast<void>(cuda_->StreamSynchronize(stream));
  for (abi::Stream stream : streams_) static_cast<void>(cuda_->StreamDestroy(stream));
  for (const Writer& writer : writers_) static_cast<void>(cuda_->EventDestroy(writer.event));
  static_cast<void>(cuda_->EventDestroy(sleepers_));
  static_cast<void>(cuda_->MemPoolDestroy(pool_));
  static_cast<void>(cuda_->MemFreeHost(counters_));
  static_cast<void>(cuda_->ModuleUnload(module_));
  Leave();
  static_cast<void>(cuda_->DevicePrimaryCtxRelease(device_));
}

// The very image that Halyard finds in bench_kernels.halx.
void CudaCounterpart::LoadModule() {
  const std::string image = ReadTextFile(KernelFile("bench_kernels.ptx"), kLargestImage);
  Must(HALYARD_CUDA(*cuda_, ModuleLoadDataEx, (&module_, image.c_str(), 0, nullptr, nullptr)));
  Must(HALYARD_CUDA(*cuda_, ModuleGetFunction, (&empty_, module_, "empty")));
}

void CudaCounterpart::MakeCounters() {
  constexpr unsigned int kPortableMapped = 3;
  constexpr size_t kBytes = kWriters * kWriterDistance;
  void* memory = nullptr;
  Must(HALYARD_CUDA(*cuda_, MemHostAlloc, (&memory, kBytes, kPortableMapped)));
  counters_ = static_cast<uint64_t*>(memory);
  std::fill_n(counters_, kBytes / sizeof(uint64_t), uint64_t{0});
  Must(HALYARD_CUDA(*cuda_, MemHostGetDevicePointer, (&counters_address_, memory, 0)));
}

void CudaCounterpart::MakePool(abi::Device device) {
  abi::MemPoolProps props{};
  props.alloc_type = abi::MemAllocationType::kPinned;
  props.location = {abi::MemLocationType::kDevice, device};
  Must(HALYARD_CUDA(*cuda_, MemPoolCreate, (&pool_, &props)));
  uint64_t keep = UINT64_MAX;
  Must(HALYARD_CUDA(*cuda_, MemPoolSetAttribute, (pool_, abi::MemPoolAttribute::kReleaseThreshold, &keep)));
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
  Must(HALYARD_CUDA(*cuda_, StreamWaitEvent, (streams_[1], writers_[writer].event, 0)));
  LaunchInto(streams_[1]);
  ++writers_[writer].value;
  Write(streams_[1], writer);
}

void CudaCounterpart::SubmitAndSleep() {
  LaunchInto(streams_[0]);
  Record(sleepers_, streams_[0]);
  Must(HALYARD_CUDA(*cuda_, EventSynchronize, (sleepers_)));
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

void CudaCounterpart::AllocateAndFree(uint64_t length, int count) {
  for (int i = 0; i < count; ++i) {
    abi::DevicePtr address = 0;
    Must(HALYARD_CUDA(*cuda_, MemAllocFromPoolAsync, (&address, length, pool_, streams_[0])));
    Must(HALYARD_CUDA(*cuda_, MemFreeAsync, (address, streams_[0])));
  }
}

}  // namespace

void FailCudaCall() { Fail(ExitCode::kRun, LastErrorMessage()); }

std::unique_ptr<Counterpart> MakeCudaCounterpart(hal_device_t* device) {
  return std::make_unique<CudaCounterpart>(device);
}

}  // namespace halyard::tools
