// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "metal/recording/metal_profiling.h"

#include <algorithm>
#include <cstring>

#include "base/clock.h"
#include "metal/native/metal_errors.h"
#include "metal/native/metal_library.h"

namespace halyard::metal {
namespace {

id<MTLCounterSet> FindTimestamps(id<MTLDevice> device) {
  for (id<MTLCounterSet> set in [device counterSets]) {
    if ([[set name] isEqualToString:@"timestamp"]) return set;
  }
  return nil;
}

}  // namespace

MetalClock::Moment MetalClock::Now() const {
  const AutoreleaseScope scope;
  MTLTimestamp host = 0;
  MTLTimestamp device = 0;
  [Id(device_) sampleTimestamps:&host gpuTimestamp:&device];
  return {MonotonicNanoseconds(), device};
}

void MetalClock::Synchronize() {
  const Moment now = Now();
  const std::lock_guard lock(mutex_);
  first_ = last_ = now;
}

void MetalClock::Update() {
  const Moment now = Now();
  const std::lock_guard lock(mutex_);
  last_ = now;
}

uint64_t MetalClock::ToHost(uint64_t timestamp) {
  const std::lock_guard lock(mutex_);
  if (last_.device <= first_.device || timestamp == 0 || timestamp == MTLCounterErrorValue) return 0;
  const double rate = static_cast<double>(last_.host - first_.host) / static_cast<double>(last_.device - first_.device);
  const double past = (static_cast<double>(timestamp) - static_cast<double>(first_.device)) * rate;
  const double host = static_cast<double>(first_.host) + past;
  return host > 0 ? static_cast<uint64_t>(host) : 0;
}

void DispatchTimes::Clear() noexcept {
  const AutoreleaseScope scope;
  active_ = false;
  room_ = 0;
  samples_ = {};
  dispatches_.clear();
}

void DispatchTimes::Reserve(NativeDevice device, const MetalTraits& traits, size_t count) {
  const size_t wanted = std::min(count, kMost);
  if (wanted == 0 || !traits.stage_counters) return;
  const AutoreleaseScope scope;
  const id<MTLCounterSet> timestamps = FindTimestamps(Id(device));
  if (!timestamps) return;
  MTLCounterSampleBufferDescriptor* const descriptor =
      [[[HALYARD_METAL_CLASS(MTLCounterSampleBufferDescriptor) alloc] init] autorelease];
  [descriptor setCounterSet:timestamps];
  [descriptor setStorageMode:MTLStorageModeShared];
  [descriptor setSampleCount:2 * wanted];
  NSError* error = nil;
  const id<MTLCounterSampleBuffer> samples = [Id(device) newCounterSampleBufferWithDescriptor:descriptor error:&error];
  if (!samples) return;
  samples_ = Owned<NativeCounterSampleBuffer>::Adopting(ToNative<NativeCounterSampleBuffer>(samples));
  room_ = wanted;
}

NativeCounterSampleBuffer DispatchTimes::Add(uint32_t command, const hal_export_info_t& info, hal_dim3_t count,
                                             uint32_t* out_sample) {
  *out_sample = static_cast<uint32_t>(2 * dispatches_.size());
  dispatches_.push_back({command, &info, count});
  return dispatches_.size() <= room_ ? samples_.get() : nullptr;
}

void DispatchTimes::Report(MetalClock& clock, ProfilingSession& session, OperationRecord record, uint64_t start,
                           uint64_t end) const {
  const AutoreleaseScope scope;
  clock.Update();
  const size_t timed = std::min(dispatches_.size(), room_);
  HostVector<MTLCounterResultTimestamp> times(2 * timed);
  if (timed > 0) {
    NSData* const data = [Id(samples_.get()) resolveCounterRange:NSMakeRange(0, 2 * timed)];
    std::memcpy(times.data(), [data bytes], std::min<size_t>([data length], times.size() * sizeof(times[0])));
  }
  record.kind = HAL_PROFILING_RECORD_KIND_DISPATCH;
  for (size_t i = 0; i < dispatches_.size(); ++i) {
    const uint64_t began = i < timed ? clock.ToHost(times[2 * i].timestamp) : 0;
    const uint64_t ended = i < timed ? clock.ToHost(times[2 * i + 1].timestamp) : 0;
    record.name = dispatches_[i].info->name;
    record.command = dispatches_[i].command;
    record.workgroup_count = dispatches_[i].count;
    record.start_time = std::clamp(began, start, end);
    record.end_time = std::clamp(ended, record.start_time, end);
    session.RecordDispatch(record);
  }
}

}  // namespace halyard::metal
