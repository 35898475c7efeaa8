// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device of a stream-style GPU API.
#ifndef HALYARD_STREAM_DEVICE_STREAM_DEVICE_H_
#define HALYARD_STREAM_DEVICE_STREAM_DEVICE_H_

#include <array>
#include <atomic>
#include <memory>

#include "base/host_memory.h"
#include "base/status.h"
#include "driver_kit/device/device_base.h"
#include "driver_kit/queue/action_pool.h"
#include "halyard/driver_api.h"
#include "stream/device/stream_action.h"
#include "stream/device/stream_queue.h"
#include "stream/memory/stream_allocator.h"
#include "stream/memory/stream_file_io.h"
#include "stream/memory/stream_memory.h"
#include "stream/native/device_event.h"
#include "stream/native/epoch_counters.h"
#include "stream/native/host_registrations.h"
#include "stream/native/host_slots.h"
#include "stream/native/native_api.h"
#include "stream/native/stream_options.h"
#include "stream/native/timing.h"
#include "submission/retirement.h"
#include "submission/worker_thread.h"

namespace halyard::stream {

class StreamSemaphore;

/// Its parts go in the reverse of their order here, by the destructor, which may run on any thread: that of a caller, a
/// completion thread or a worker.
class StreamDevice final : public DeviceBase {
 public:
  /// Opens a device. The API's object is the device's own.
  static Status Create(const hal_driver_interface_t& tables, std::unique_ptr<NativeApi> api,
                       const StreamDeviceIdentity& identity, const StreamDeviceOptions& options,
                       hal_device_t** out_device);
  ~StreamDevice();

  /// @name Entries of the vtable
  /// @{
  Status QueryFormat(hal_string_view_t format);
  Status RankImage(std::string_view format, std::string_view target, uint32_t* out_rank) {
    return api_->RankImage(format, target, out_rank);
  }
  Status QueryPeer(hal_device_t* other, hal_peer_properties_t* out_properties);
  Status CreateSemaphore(uint64_t initial_value, hal_semaphore_t** out_semaphore);
  Status CreateEvent(hal_event_t** out_event);
  Status CreateCommandBuffer(const hal_command_buffer_params_t* params, hal_command_buffer_t** out_command_buffer);
  Status CreateExecutable(const hal_executable_params_t* params, hal_executable_t** out_executable);
  Status Submit(const hal_queue_operation_t* operation);
  Status ProfilingBegin(hal_profiling_flags_t flags, const hal_profiling_sink_t* sink);
  /// @}

  /// Makes the device behave as lost: all that is pending fails, what waits for other devices included. What is in
  /// flight keeps its memory until the device is done with it.
  void Lose(std::string_view reason);
  /// The device does no more work, for the reason in this thread's message: what is in flight is given up as well.
  void LoseForGood() noexcept;
  /// Passes a native status on, after LoseForGood() if that is what it means.
  Status Checked(Status status) noexcept {
    if (status == HAL_STATUS_DEVICE_LOST && !health().lost()) LoseForGood();
    return status;
  }

  /// Ends what the device is done with. Keep the device alive meanwhile.
  void Retire() noexcept { retirement_.Run(); }
  /// The place of the next submission in the order of all.
  uint64_t NextTicket() { return tickets_.fetch_add(1, std::memory_order_relaxed); }
  /// A reference, unless the last one is gone.
  Ref<hal_device_t> TryRetain();

  CommandBufferMode command_buffer_mode() const { return command_buffer_mode_; }
  /// Who reads the counts of indirect dispatches in graphs. The first question can take time.
  Status ChooseIndirectMode(IndirectMode* out_mode);
  /// Queues that are at work: those of the application and, after them, guest queues.
  uint32_t queue_count() const { return open_queues_.load(std::memory_order_acquire); }
  StreamQueue& queue(size_t index) const { return *queues_[index]; }
  /// One of several queues, in turn.
  StreamQueue& NextQueue(hal_queue_mask_t queues);
  /// The queue by way of which a stream or an event of the application comes in: if there is any, the one that the
  /// stream came in by last, or one with nothing in flight. Within a NativeScope.
  /// @param guest  NULL for an event and for the default stream
  Status TakeGuestQueue(NativeStream guest, StreamQueue** out_queue);
  /// The semaphore as this device's own; NULL if it is not.
  StreamSemaphore* OwnSemaphore(hal_semaphore_t* semaphore);
  /// The semaphore as one of this API's, whose pending signals streams can wait for; NULL if it is not.
  StreamSemaphore* KnownSemaphore(hal_semaphore_t* semaphore);

  NativeApi& api() { return *api_; }
  DeviceEventPool& events() { return parts_->events; }
  /// For threads that wait for the device without keeping a processor busy.
  DeviceEventPool& sleep_events() { return parts_->sleep_events; }
  DeviceEventPool& timed_events() { return parts_->timed_events; }
  DeviceClock& clock() { return parts_->clock; }
  HostSlots& slots() { return parts_->slots; }
  StreamMemory& memory() { return parts_->memory; }
  Status RegisterHost(void* memory, uint64_t length, void** out_registered, NativeAddress* out_address) {
    return api_->registrations().Acquire(api_, memory, length, out_registered, out_address);
  }
  void ReleaseHost(void* registered) noexcept { api_->registrations().Release(registered); }
  StreamFileIo& file_io() { return parts_->file_io; }
  /// Runs what the device's threads bring about: timepoints' callbacks, and work of devices without threads.
  CallTaker& callbacks() { return callbacks_; }
  /// Calls the host.
  WorkerThread& host_calls() { return *host_calls_; }
  /// Does what takes some time: memory, the next stages of recordings.
  WorkerThread& host_work() { return *host_work_; }
  /// Moves files, which takes as long as they are.
  WorkerThread& file_work() { return *file_work_; }
  ActionPool<StreamAction>& actions() { return actions_; }

  /// Captures an operation. `out_buffer` gets the buffer that an ALLOCA makes.
  Status MakeAction(const hal_queue_operation_t& operation, ActionPool<StreamAction>::Handle* out_action,
                    Ref<hal_buffer_t>* out_buffer);

 private:
  /// What is made and destroyed with native calls.
  struct Parts : HostObject {
    Parts(StreamDevice& device, NativeApi& api, const StreamDeviceOptions& options);
    DeviceEventPool events;
    DeviceEventPool sleep_events;
    DeviceEventPool timed_events;
    DeviceClock clock;
    HostSlots slots;
    EpochCounters counters;
    StreamMemory memory;
    StreamFileIo file_io;
  };

  StreamDevice(const hal_driver_interface_t& tables, std::unique_ptr<NativeApi> api,
               const StreamDeviceIdentity& identity, const StreamDeviceOptions& options);
  Status Open(const StreamDeviceOptions& options);
  void FillInfo(const StreamDeviceOptions& options);
  bool FindGuestQueue(NativeStream guest, uint32_t* out_index);
  Status OpenGuestQueue(uint32_t* out_index);
  Status SynchronizeClock();

  const std::shared_ptr<NativeApi> api_;  // shared with what it has registered
  const HostString id_;
  const HostString name_;
  const CommandBufferMode command_buffer_mode_;
  const IndirectChoice indirect_choice_;
  std::unique_ptr<Parts> parts_;
  std::unique_ptr<StreamAllocator> allocator_;
  Retirement::Queues queues_;
  WorkerThread callbacks_{WorkerThread::End::kLeave};
  Retirement retirement_{queues_, callbacks_};
  ActionPool<StreamAction> actions_;
  std::unique_ptr<WorkerThread> host_calls_;
  std::unique_ptr<WorkerThread> host_work_;
  std::unique_ptr<WorkerThread> file_work_;
  std::atomic<uint64_t> tickets_{0};
  std::atomic<uint32_t> turn_{0};
  std::atomic<uint32_t> open_queues_{0};
  std::array<std::atomic<NativeStream>, kGuestQueues> guest_streams_{};  // that came in by each guest queue last
  std::mutex guest_mutex_;   // protects what follows and the opening of guest queues; native calls are made under it
  uint32_t guest_turn_ = 0;  // of guest queues that are all busy
  NativeStream clock_stream_ = nullptr;  // made by the first capture; protected by profiling_mutex_
  std::mutex profiling_mutex_;
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_DEVICE_STREAM_DEVICE_H_
