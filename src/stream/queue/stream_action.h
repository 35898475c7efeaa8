// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a queue operation does on a device of a stream API.
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
struct ExternalWork;

/// Its work goes into a native stream. A command buffer with indirect dispatches may take several stages: each ends
/// where the host must know the counts of the next dispatch. Where the device reads counts by itself there is one.
class StreamAction final : public SubmissionAction {
 public:
  StreamDevice& stream_device() const;

  /// After Capture(), before Defer().
  void Prepare();
  /// Instead of Defer(): submits now, through an interop queue. If that fails nothing was submitted, and the signals
  /// hear nothing of it. FAILED_PRECONDITION if a wait is not resolvable. Within a NativeScope.
  Status SubmitExternal(const ExternalWork& work, const hal_queue_operation_t& operation);

  /// @name For the lane
  /// @{
  /// Puts the next stage into the lane's stream, or the application's.
  /// @param kept       the lane's
  /// @param min_nodes  fewer dispatches run without them
  Status Enqueue(NativeStream stream, LaneGraphs& kept, size_t min_nodes);
  /// Whether Enqueue() has put anything into the stream, even if it failed.
  bool has_enqueued() const { return replay_.has_enqueued(); }
  /// @}
  /// Whether it can be put into a stream as a whole, with no step of the host in between.
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
  CommandList recorded() const override;
  void Recycle() noexcept override;

 private:
  /// A submission of another device.
  struct ForeignEdge {
    Ref<hal_device_t> device;
    DeviceEventRef event;  // of the device
  };

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
