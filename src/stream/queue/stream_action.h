// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A queue operation of a stream device.
#ifndef HALYARD_STREAM_QUEUE_STREAM_ACTION_H_
#define HALYARD_STREAM_QUEUE_STREAM_ACTION_H_

#include <mutex>

#include "base/host_memory.h"
#include "base/status.h"
#include "stream/native/device_event.h"
#include "stream/native/native_api.h"
#include "stream/native/timing.h"
#include "stream/recording/stream_commands.h"
#include "submission/submission_action.h"

namespace halyard::stream {

class StreamDevice;
class StreamLane;
class StreamBuffer;
struct ExternalWork;

/// Its work is put into a native stream. A command buffer with indirect dispatches may take several stages. Each stage
/// ends where the host must read the counts of the next dispatch. If the device reads the counts, there is one stage.
class StreamAction final : public SubmissionAction {
 public:
  StreamDevice& stream_device() const;

  /// The device calls it after Capture() and before Defer().
  void Prepare();
  /// Called instead of Defer(): submits now, via an interop queue. If it fails, nothing was submitted, and the
  /// semaphores stay as they are. FAILED_PRECONDITION if a wait is not resolvable. Within a NativeScope.
  Status SubmitExternal(const ExternalWork& work, const hal_queue_operation_t& operation);

  /// @name For the lane
  /// @{
  /// Puts the next stage into the lane's stream, or the application's.
  /// @param kept       the graphs of the lane
  /// @param min_nodes  fewer dispatches run without a graph
  Status Enqueue(NativeStream stream, LaneGraphs& kept, size_t min_nodes);
  /// Whether Enqueue() has put anything into the stream, even if it failed.
  bool has_enqueued() const { return replay_.has_enqueued(); }
  /// @}
  /// Whether the operation can be put into a stream as a whole, with no step of the host in between.
  bool fits_stream() const { return IsForDevice() && !replay_.needs_host(); }

 protected:
  bool IsForDevice() const override;
  bool RunWithoutLane(QueuePoint* after) noexcept override;
  Status SubmitStage(SubmissionQueue& queue) override;
  bool has_more_stages() const override { return !replay_.finished(); }
  bool checks_stage() const override { return replay_.checks_counts(); }
  Status CheckStage() override { return replay_.CheckCounts(); }
  Status ComeAfterForeign(SubmissionDevice& device, size_t queue, uint64_t epoch) override;
  void EndWork(uint64_t* start, uint64_t* end) noexcept override;
  Status RunOperation() override;
  const RecordedCommands* recorded() const override;
  void Recycle() noexcept override;

 private:
  /// A submission of another device.
  struct ForeignEdge {
    Ref<hal_device_t> device;
    DeviceEventRef event;  // of the device
  };

  /// Of an ALLOCA or DEALLOCA.
  StreamBuffer& memory() const;
  Status JoinAndSubmit(SubmissionQueue& queue);
  Status MakeWait(NativeStream stream, uint64_t queues);
  Status EnterStream(const ExternalWork& work, const hal_queue_operation_t& operation);
  Status ResolveWait(const hal_timeline_point_t& point);
  Status EnqueueOperation(NativeStream stream);
  Status EnqueueWork(NativeStream stream);
  Status EnqueueExternal(NativeStream stream);
  Status RunIo();

  std::mutex foreign_mutex_;                // a leaf
  HostVector<ForeignEdge> foreign_;         // added to with the mutex; read without it once no thread adds any more
  const ExternalWork* external_ = nullptr;  // until Enqueue()
  Replay replay_;                           // COMMAND and EXECUTE
  Timing timing_;                           // while profiling
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_QUEUE_STREAM_ACTION_H_
