// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device of a stream-style GPU API.
#ifndef HALYARD_STREAM_DEVICE_STREAM_DEVICE_H_
#define HALYARD_STREAM_DEVICE_STREAM_DEVICE_H_

#include <array>
#include <atomic>
#include <memory>

#include "base/host_memory.h"
#include "base/status.h"
#include "driver_kit/queue/action_pool.h"
#include "halyard/driver_api.h"
#include "stream/memory/stream_allocator.h"
#include "stream/memory/stream_memory.h"
#include "stream/native/native_api.h"
#include "stream/native/stream_context.h"
#include "stream/native/stream_options.h"
#include "stream/queue/stream_action.h"
#include "stream/queue/stream_file_io.h"
#include "stream/recording/kept_graphs.h"
#include "submission/submission_device.h"

namespace halyard::stream {

/// The destructor destroys the parts in the reverse of their order here. It may run on any thread: a caller's, a
/// completion thread or a worker.
/// The limits of a device with these traits, whether or not it is open.
void DescribeLimits(const NativeTraits& traits, hal_device_limits_t* limits);

class StreamDevice final : public SubmissionDevice {
 public:
  /// Opens a device. The device owns the API's object.
  static Status Create(const hal_driver_interface_t& tables, std::unique_ptr<NativeApi> api,
                       const StreamDeviceIdentity& identity, const StreamDeviceOptions& options,
                       hal_device_t** out_device);
  ~StreamDevice();

  /// @name Entries of the vtable
  /// @{
  Status QueryFormat(hal_string_view_t format);
  Status RankImage(const ImageKind& image, uint32_t* out_rank) { return api_->RankImage(image, out_rank); }
  Status QueryPeer(hal_device_t* other, hal_peer_properties_t* out_properties);
  Status CheckPeerCopy(hal_device_t* other, hal_command_type_t type);
  Status CreateEngine(size_t device_count, hal_device_t* const* devices, hal_engine_opened_fn_t opened, void* user_data,
                      hal_channel_engine_t** out_engine);
  Status CreateCommandBuffer(const hal_command_buffer_params_t* params, hal_command_buffer_t** out_command_buffer);
  Status CreateExecutable(const hal_executable_params_t* params, hal_executable_t** out_executable);
  Status Submit(const hal_queue_operation_t* operation);
  Status Drain(uint64_t timeout_ns);
  Status ProfilingBegin(hal_profiling_flags_t flags, const hal_profiling_sink_t* sink);
  /// @}

  /// Chooses the interop queue for an external stream or event. It is the queue that the stream used last, else an idle
  /// queue, else a new queue. Once all interop queues are open, they take turns instead. Within a NativeScope.
  /// @param stream  NULL for an event and for the default stream
  Status TakeInteropQueue(NativeStream stream, SubmissionQueue** out_queue);

  /// Returns the stream of a queue. From now on the application may put work into that stream.
  NativeStream ShareStream(uint32_t index);

  NativeApi& api() { return *api_; }
  StreamContext& context() { return parts_->context; }
  StreamFileIo& file_io() { return parts_->file_io; }
  ActionPool<StreamAction>& actions() { return actions_; }

  /// Captures an operation. `out_buffer` gets the buffer that an ALLOCA makes.
  Status MakeAction(const hal_queue_operation_t& operation, ActionPool<StreamAction>::Handle* out_action,
                    Ref<hal_buffer_t>* out_buffer);

  Status TrimActions() override {
    parts_->kept_graphs.Trim();
    return TrimPool(actions_);
  }

 protected:
  void FailDeferred(const Failure& failure) noexcept override { actions_.FailDeferred(failure); }

 private:
  /// The parts that are made and destroyed with native calls.
  struct Parts : HostObject {
    Parts(StreamDevice& device, const StreamDeviceOptions& options);
    StreamContext context;
    StreamMemory memory;
    StreamFileIo file_io;
    KeptGraphs kept_graphs;
  };

  StreamDevice(const hal_driver_interface_t& tables, std::unique_ptr<NativeApi> api,
               const StreamDeviceIdentity& identity, const StreamDeviceOptions& options);
  Status Open(const StreamDeviceOptions& options);
  void FillInfo(const StreamDeviceOptions& options);
  Status MakeLanes(const StreamDeviceOptions& options);
  bool FindInteropQueue(NativeStream stream, uint32_t* out_index);
  Status OpenInteropQueue(uint32_t* out_index);
  Status SynchronizeClock();

  const std::shared_ptr<NativeApi> api_;  // shared with its registrations
  const HostString id_;
  const HostString name_;
  std::unique_ptr<Parts> parts_;
  std::unique_ptr<StreamAllocator> allocator_;
  ActionPool<StreamAction> actions_;
  std::array<std::atomic<NativeStream>, kInteropQueues> external_streams_{};  // the last of each interop queue
  // Protects interop_turn_ and the opening of interop queues; native calls are made under it.
  std::mutex interop_mutex_;
  uint32_t interop_turn_ = 0;            // of interop queues that are all busy
  std::mutex profiling_mutex_;           // protects clock_stream_
  NativeStream clock_stream_ = nullptr;  // made by the first profiling session
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_DEVICE_STREAM_DEVICE_H_
