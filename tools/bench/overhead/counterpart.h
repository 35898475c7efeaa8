// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The other side of halyard-bench's comparisons: a vendor's own API, used as a program would that does without Halyard.
#ifndef HALYARD_TOOLS_BENCH_OVERHEAD_COUNTERPART_H_
#define HALYARD_TOOLS_BENCH_OVERHEAD_COUNTERPART_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "support/program/handles.h"

namespace halyard::tools {

constexpr int kDispatchesOfARecording = 1000;
constexpr uint64_t kBufferLength = 4096;           // bytes of a buffer that a kernel takes
constexpr size_t kLargestImage = size_t{1} << 20;  // bytes of bench_kernels in a vendor's language

/// The contents of a command buffer: one kernel, some times, over one workgroup.
struct RecordedWork {
  const char* kernel;  ///< of bench_kernels
  uint32_t threads;    ///< in its workgroup
  bool chained;        ///< each dispatch begins when the one before it is done; otherwise in any order
  std::optional<uint32_t> steps = std::nullopt;  ///< the constant that the kernel takes, if it takes one
  bool has_buffer = false;                       ///< whether it takes a buffer, after the constant
  int dispatches = kDispatchesOfARecording;
  int lanes = 1;         ///< if chained: as many chains, which take the dispatches in turn, each a part of the buffer
  bool tracked = false;  ///< Halyard finds the order of the chains by itself

  int lane(int dispatch) const { return dispatch % lanes; }
  uint64_t lane_length() const { return kBufferLength / static_cast<uint64_t>(lanes); }
};

/// The contents of a command buffer: one transfer inside the memory of the device.
struct RecordedTransfer {
  enum class Kind { kFill, kCopy, kRows };
  Kind kind;
  uint64_t length;             ///< bytes, from the first one to the last
  uint64_t source_offset = 0;  ///< bytes, up to 16
  uint64_t target_offset = 0;  ///< the same
  uint64_t row = 0;            ///< bytes of a row of kRows, whose rows begin twice as far apart

  uint64_t rows() const { return length / (2 * row) + 1; }
};

/// The length of a RecordedTransfer of that many rows.
constexpr uint64_t LengthOfRows(uint64_t rows, uint64_t row) { return (2 * rows - 1) * row; }

/// A recording as the vendor's API has it: a graph of one node for each dispatch, instantiated.
class CounterpartGraph {
 public:
  virtual ~CounterpartGraph() = default;
  /// Has all nodes use another buffer from the next launch on.
  virtual void Patch() = 0;
  virtual void Launch() = 0;
  /// Until the last launch is done. Spins.
  virtual void Wait() = 0;
  /// The same, asleep where the API has that for what it is.
  virtual void Sleep() { Wait(); }
};

/// The API with some streams and a kernel that does nothing. A turn of a comparison
/// measures one call of this interface, so the loops in here call the vendor's functions directly.
///
/// A writer is a 64-bit counter in the host's memory that streams write; at any time one thread uses it, and one
/// Submit() or LaunchWithWrite() for it is under way.
class Counterpart {
 public:
  static constexpr size_t kStreams = 8;
  static constexpr size_t kWriters = 16;

  virtual ~Counterpart() = default;

  /// Makes the calling thread one that may call what follows, until it leaves.
  virtual void Enter() = 0;
  virtual void Leave() = 0;

  /// `count` launches into the first stream.
  virtual void LaunchMany(int count) = 0;
  /// The same, and until all are done.
  virtual void LaunchAndWait(int count) = 0;
  /// `count` times: a launch, and the signals of its end, to the device (an event) and to the host (the writer's next
  /// value).
  virtual void Submit(size_t stream, size_t writer, int count) = 0;
  /// Does what can be done of a SubmitPrepared() before it is known when: `count` launches, at most 1,000.
  virtual void Prepare(int count) = 0;
  /// As Submit() of what was prepared, into the first stream.
  virtual void SubmitPrepared(size_t writer) = 0;
  /// A launch into the first stream, an event behind it, which another stream waits for, a launch and the writer's next
  /// value there.
  virtual void SubmitEdge(size_t writer) = 0;
  /// A launch and an event, which the thread sleeps for.
  virtual void SubmitAndSleep() = 0;
  /// Raises the value that Spin() waits for, which another thread's LaunchWithWrite() will write behind a launch.
  virtual void ExpectWrite(size_t writer) = 0;
  virtual void LaunchWithWrite(size_t writer) = 0;
  /// Until the host sees the writer's last value. Throws Failure if it does not come.
  virtual void Spin(size_t writer) const = 0;
  /// `count` times: memory from a pool that keeps what it has, in the order of the first stream, freed at once.
  virtual void AllocateAndFree(uint64_t length, int count) = 0;
  /// `count` times: what orders work between streams (an event), made and destroyed.
  virtual void MakeSignals(int count) = 0;
  /// Copies memory of the host that the API knows nothing of to the device, until it is done.
  virtual void Upload(const void* data, uint64_t length) = 0;
  /// Back from where the last Upload() has put it, whose length this is.
  virtual void Download(void* data, uint64_t length) = 0;
  /// Until all streams are done.
  virtual void Drain() = 0;

  virtual std::unique_ptr<CounterpartGraph> MakeGraph(const RecordedWork& work) = 0;
  virtual std::unique_ptr<CounterpartGraph> MakeTransfer(const RecordedTransfer& transfer) = 0;
  /// Nanoseconds from one launch of the kernel until it is done, the median of some.
  virtual double KernelTime(const RecordedWork& work) = 0;
};

/// Makes a thread one of a counterpart's for as long as it lives.
class Entered {
 public:
  explicit Entered(Counterpart& counterpart) : counterpart_(counterpart) { counterpart_.Enter(); }
  ~Entered() { counterpart_.Leave(); }
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;

 private:
  Counterpart& counterpart_;
};

/// A driver of Halyard whose vendor's API there is a counterpart for.
struct Vendor {
  std::string_view driver;
  const char* api;
  /// On the GPU of a device of that driver. Throws Failure.
  std::unique_ptr<Counterpart> (*make)(hal_device_t* device);
};

/// NULL if there is no counterpart.
const Vendor* FindVendor(std::string_view driver);

std::unique_ptr<Counterpart> MakeCudaCounterpart(hal_device_t* device);
#ifdef HALYARD_BENCH_HAS_VULKAN
std::unique_ptr<Counterpart> MakeVulkanCounterpart(hal_device_t* device);
#endif

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_BENCH_OVERHEAD_COUNTERPART_H_
