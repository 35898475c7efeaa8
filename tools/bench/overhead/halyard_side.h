// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Halyard's side of the comparisons.
#ifndef HALYARD_TOOLS_BENCH_OVERHEAD_HALYARD_SIDE_H_
#define HALYARD_TOOLS_BENCH_OVERHEAD_HALYARD_SIDE_H_

#include <algorithm>
#include <array>
#include <cstdint>

#include "bench/bench_device.h"
#include "counterpart.h"
#include "support/program/devices.h"

namespace halyard::tools {

/// As Check(), for calls that are measured: nothing happens out of line unless they fail.
inline void Must(hal_status_t status, const char* doing) {
  if (status != HAL_STATUS_OK) Check(status, ExitCode::kRun, doing);
}

/// A device with the tool's kernels, and a timeline that orders its submissions.
class HalyardSide {
 public:
  /// Opens the device with as many queues as a counterpart has streams, unless the URI says how many.
  explicit HalyardSide(const DeviceOptions& options);

  const BenchDevice& device() const { return kernels_; }
  /// Continues with a new timeline: one on which something failed stays failed.
  void RenewTimeline();
  uint32_t queue_count() const { return hal_device_info(device_.get())->queue_count; }

  /// Dispatches the empty kernel on a queue, after what was submitted last.
  void Dispatch(uint32_t queue = 0) { value_ = DispatchOn(queue, timeline_.get(), value_); }
  /// The same on a caller's timeline, after a value of it. Returns the value that it signals. Thread-safe.
  uint64_t DispatchOn(uint32_t queue, hal_semaphore_t* timeline, uint64_t after) const;
  /// Dispatches a kernel of another executable's first export, after what was submitted last.
  void Dispatch(hal_executable_t* executable, const hal_dispatch_params_t& params);
  /// Dispatches once the gate has a value, which others signal.
  void DispatchBehind(hal_semaphore_t* gate, uint64_t value);
  /// A command buffer of the empty kernel for one execution, which is therefore submitted to the stream.
  CommandBuffer RecordOnce(int dispatches) const;
  /// The same of `add_one` on a buffer, with the order that its sums need.
  CommandBuffer RecordSumsOnce(int dispatches, const Buffer& sums) const;
  /// In the memory of the device, the workgroup counts 1, 1, 1. Ordered by the timeline.
  Buffer MakeCounts();
  /// A recording for many executions: the empty kernel over as many workgroups as `counts` says, one dispatch after the
  /// other.
  CommandBuffer RecordIndirect(int dispatches, const Buffer& counts) const;
  void Execute(hal_command_buffer_t* commands);
  /// `count` times: memory in the order of a queue, freed at once.
  void AllocateAndFree(uint64_t length, int count);
  void Upload(const void* data, const Buffer& target);
  void Download(const Buffer& source, void* data);

  /// Until what was submitted last is done. Spins before it sleeps.
  void Wait() const { Must(hal_semaphore_wait(timeline_.get(), value_, HAL_TIMEOUT_INFINITE), "wait"); }
  /// The same by asking for the value again and again.
  void Poll() const;
  /// Sleeps at once.
  void Sleep() const;

 private:
  CommandBuffer RecordOnce(int dispatches, uint32_t ordinal, const hal_dispatch_params_t& dispatch, bool chained) const;

  Device device_;
  BenchDevice kernels_;
  uint32_t empty_;  // the kernel's ordinal
  Semaphore timeline_;
  uint64_t value_ = 0;  // what the timeline has when all is done
};

/// A recording that is executed many times, with one kernel or one transfer in it.
class Recording {
 public:
  Recording(const BenchDevice& device, const RecordedWork& work);
  Recording(const BenchDevice& device, const RecordedTransfer& transfer);

  /// The table has another buffer from the next launch on.
  void Patch() { std::swap(buffers_[0], buffers_[1]); }
  /// The same, with as many buffers in turn as no driver keeps graphs for.
  void PatchInTurn() { std::rotate(buffers_.begin(), buffers_.begin() + 1, buffers_.end()); }
  void Launch(uint32_t queue = 0);
  /// Spins, as a counterpart does.
  void Wait() const;
  /// As a program waits, with flags.
  void Await(hal_wait_flags_t flags) const;
  /// Sleeps at once.
  void Sleep() const;

  /// Throws Failure unless `add_one` has counted all executions so far, none of which had another buffer.
  void CheckCounts(const RecordedWork& work) const;
  /// Throws Failure unless the last bytes have arrived.
  void CheckArrived(const RecordedTransfer& transfer) const;

 private:
  void Record(const RecordedWork& work);
  void Record(const RecordedTransfer& transfer);
  void RecordRows(const RecordedTransfer& transfer);
  void Copy(const Buffer& source, uint64_t source_offset, const Buffer& target, uint64_t target_offset,
            uint64_t length) const;

  const BenchDevice& device_;
  const Semaphore timeline_;
  std::array<Buffer, 16> buffers_;
  CommandBuffer commands_;
  uint64_t value_ = 0;
};

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_BENCH_OVERHEAD_HALYARD_SIDE_H_
