// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/device/stream_device.h"

#include <bit>
#include <utility>

#include "driver_kit/device/event.h"
#include "driver_kit/device/extension_tables.h"
#include "stream/device/stream_guests.h"
#include "stream/device/stream_semaphore.h"
#include "stream/recording/stream_command_buffer.h"
#include "stream/recording/stream_executable.h"

namespace halyard::stream {

StreamDevice::Parts::Parts(StreamDevice& device, NativeApi& api, const StreamDeviceOptions& options)
    : events(api, NativeEventKind::kOrder),
      sleep_events(api, NativeEventKind::kSleep),
      timed_events(api, NativeEventKind::kTimed),
      clock(api, timed_events),
      slots(api),
      counters(api),
      memory(device, options),
      file_io(api, sleep_events) {}

StreamDevice::StreamDevice(const hal_driver_interface_t& tables, std::unique_ptr<NativeApi> api,
                           const StreamDeviceIdentity& identity, const StreamDeviceOptions& options)
    : DeviceBase(tables),
      api_(api.release(), std::default_delete<NativeApi>(), HostStdAllocator<NativeApi>()),
      id_(identity.id),
      name_(identity.name),
      command_buffer_mode_(options.command_buffer),
      indirect_choice_(options.indirect) {
  info_.id = ToC(id_);
  info_.name = ToC(name_);
  info_.ordinal = identity.ordinal;
  FillInfo(options);
}

Status StreamDevice::Create(const hal_driver_interface_t& tables, std::unique_ptr<NativeApi> api,
                            const StreamDeviceIdentity& identity, const StreamDeviceOptions& options,
                            hal_device_t** out_device) {
  std::unique_ptr<StreamDevice> device(new StreamDevice(tables, std::move(api), identity, options));
  if (Status status = device->Open(options); status != kOk) return status;
  if (Status status = device->StartTrace(options.trace); status != kOk) return status;
  *out_device = device.release();
  return kOk;
}

void StreamDevice::FillInfo(const StreamDeviceOptions& options) {
  const NativeTraits& traits = api_->traits();
  info_.queue_count = options.queue_count;
  limits_.max_workgroup_count = traits.max_workgroup_count;
  limits_.max_workgroup_size = traits.max_workgroup_size;
  limits_.max_workgroup_volume = traits.max_workgroup_volume;
  limits_.max_local_memory = traits.max_local_memory;
  limits_.max_constants_size = traits.max_constants_size;
  limits_.max_bindings =
      std::min(kMaxBindings, traits.max_constants_size / static_cast<uint32_t>(sizeof(NativeAddress)));
  limits_.max_descriptor_sets = 16;

  properties_ = api_->properties();
  AddExtension(FaultInjection<StreamDevice>());
  AddExtension(ExecutableTargets<StreamDevice>());
  for (const DeviceExtension& extension : api_->Extensions()) AddExtension(extension);
}

Status StreamDevice::Open(const StreamDeviceOptions& options) {
  const NativeScope scope(*api_);
  if (scope.status() != kOk) return scope.status();
  parts_ = std::make_unique<Parts>(*this, *api_, options);
  allocator_ = std::make_unique<StreamAllocator>(*this);
  allocator = allocator_.get();
  host_calls_ = std::make_unique<WorkerThread>();
  host_work_ = std::make_unique<WorkerThread>();
  file_work_ = std::make_unique<WorkerThread>();
  if (Status status = parts_->memory.Open(options); status != kOk) return status;
  if (indirect_choice_ == IndirectChoice::kDevice) {
    const Status status = api_->PrepareIndirectLaunches();
    if (status != kOk) return Annotate(status, "indirect=device: ");
  }
  const uint32_t count = options.queue_count + kGuestQueues;
  if (Status status = parts_->counters.Make(count, options.fast_completion); status != kOk) return status;
  const CompletionMode mode = options.fast_completion ? CompletionMode::kFast : CompletionMode::kPortable;
  queues_.reserve(count);
  for (uint32_t i = 0; i < count; ++i) {
    queues_.push_back(std::make_unique<StreamQueue>(*this, i, mode, parts_->counters));
  }
  retirement_.Prepare();  // before the first thread looks
  retirement_.Admit(options.queue_count);
  open_queues_.store(options.queue_count, std::memory_order_release);
  for (uint32_t i = 0; i < options.queue_count; ++i) {  // guest queues are opened when they are needed
    if (Status status = queues_[i]->Open(); status != kOk) return status;
  }
  return kOk;
}

Status StreamDevice::ChooseIndirectMode(IndirectMode* out_mode) {
  *out_mode = IndirectMode::kHost;
  if (indirect_choice_ == IndirectChoice::kHost || api_->traits().no_indirect_launches) return kOk;
  MessageKeeper keeper;
  const NativeScope scope(*api_);
  Status status = scope.status();
  if (status == kOk) status = api_->PrepareIndirectLaunches();
  if (status == kOk) *out_mode = IndirectMode::kDevice;
  if (status == kOk || indirect_choice_ == IndirectChoice::kAuto) return kOk;
  keeper.Drop();
  return Checked(status);
}

Status StreamDevice::TakeGuestQueue(NativeStream guest, StreamQueue** out_queue) {
  uint32_t taken = 0;
  if (!FindGuestQueue(guest, &taken)) {
    if (Status status = OpenGuestQueue(&taken); status != kOk) return status;
  }
  guest_streams_[taken].store(guest, std::memory_order_relaxed);
  *out_queue = queues_[info_.queue_count + taken].get();
  return kOk;
}

// The one that the same guest's last work went through, which it comes after anyway; else one that is idle. Without the
// lock, as a failure calls the application.
bool StreamDevice::FindGuestQueue(NativeStream guest, uint32_t* out_index) {
  const uint32_t open = queue_count() - info_.queue_count;
  for (uint32_t i = 0; guest && i < open; ++i) {
    *out_index = i;
    if (guest_streams_[i].load(std::memory_order_relaxed) == guest) return true;
  }
  for (uint32_t i = 0; i < open; ++i) {
    *out_index = i;
    if (queues_[info_.queue_count + i]->LookIdle()) return true;
  }
  return false;
}

// Once all are open they take turns.
Status StreamDevice::OpenGuestQueue(uint32_t* out_index) {
  const std::lock_guard lock(guest_mutex_);
  const uint32_t open = queue_count();
  if (open == queues_.size()) {
    *out_index = guest_turn_++ % kGuestQueues;
    return kOk;
  }
  if (Status status = queues_[open]->Open(); status != kOk) return status;
  retirement_.Admit(open + 1);
  open_queues_.store(open + 1, std::memory_order_release);
  *out_index = open - info_.queue_count;
  return kOk;
}

StreamDevice::~StreamDevice() {
  const MessageKeeper keeper;
  const NativeScope scope(*api_);
  host_calls_.reset();
  host_work_.reset();
  file_work_.reset();
  for (const std::unique_ptr<StreamQueue>& queue : queues_) queue->Close();
  queues_.clear();
  if (clock_stream_) api_->DestroyStream(clock_stream_);
  parts_.reset();
}

void StreamDevice::Lose(std::string_view reason) {
  const DrainScope scope;  // what hears of it may give up the device
  health().Lose(reason);
  actions_.FailHeld(health().failure());
}

void StreamDevice::LoseForGood() noexcept {
  const Failure reason = Failure::FromThread(HAL_STATUS_DEVICE_LOST);
  const MessageKeeper keeper;
  const SeparateDrain drain(&callbacks_);  // any function may find out
  Lose(reason.message);
  for (const std::unique_ptr<StreamQueue>& queue : queues_) queue->Abandon();
  Retire();
}

Ref<hal_device_t> StreamDevice::TryRetain() {
  std::atomic_ref count(object.ref_count);
  uint32_t value = count.load(std::memory_order_relaxed);
  while (value != 0) {
    if (count.compare_exchange_weak(value, value + 1, std::memory_order_relaxed)) {
      return Ref<hal_device_t>::Adopting(this);
    }
  }
  return {};
}

StreamQueue& StreamDevice::NextQueue(hal_queue_mask_t queues) {
  const auto count = static_cast<uint32_t>(std::popcount(queues));
  uint32_t skip = count > 1 ? turn_.fetch_add(1, std::memory_order_relaxed) % count : 0;
  for (; skip > 0; --skip) queues &= queues - 1;
  return *queues_[static_cast<size_t>(std::countr_zero(queues))];
}

StreamSemaphore* StreamDevice::OwnSemaphore(hal_semaphore_t* semaphore) {
  StreamSemaphore* const known = KnownSemaphore(semaphore);
  return known && known->stream_device() == this ? known : nullptr;
}

StreamSemaphore* StreamDevice::KnownSemaphore(hal_semaphore_t* semaphore) {
  return semaphore->object.vtable == tables().semaphore ? static_cast<StreamSemaphore*>(semaphore) : nullptr;
}

Status StreamDevice::QueryFormat(hal_string_view_t format) {
  uint32_t rank = 0;
  return api_->RankImage(View(format), {}, &rank);
}

Status StreamDevice::QueryPeer(hal_device_t* other, hal_peer_properties_t* out_properties) {
  return Checked(api_->DescribePeer(static_cast<StreamDevice*>(other)->api(), out_properties));
}

Status StreamDevice::CreateSemaphore(uint64_t initial_value, hal_semaphore_t** out_semaphore) {
  auto semaphore = std::make_unique<StreamSemaphore>(*this, tables().semaphore, initial_value);
  if (Status status = health().Track(*semaphore); status != kOk) return status;
  *out_semaphore = semaphore.release();
  return kOk;
}

Status StreamDevice::CreateEvent(hal_event_t** out_event) {
  *out_event = new Event(tables().event);
  return kOk;
}

Status StreamDevice::CreateCommandBuffer(const hal_command_buffer_params_t* params,
                                         hal_command_buffer_t** out_command_buffer) {
  *out_command_buffer = new StreamCommandBuffer(*this, params->flags);
  return kOk;
}

Status StreamDevice::CreateExecutable(const hal_executable_params_t* params, hal_executable_t** out_executable) {
  if (Status status = QueryFormat(params->format); status != kOk) return status;
  return StreamExecutable::Create(*this, *params, out_executable);
}

Status StreamDevice::MakeAction(const hal_queue_operation_t& operation, ActionPool<StreamAction>::Handle* out_action,
                                Ref<hal_buffer_t>* out_buffer) {
  if (operation.type == HAL_QUEUE_OPERATION_TYPE_ALLOCA) {
    const hal_queue_alloca_t& request = operation.u.allocate;
    StreamBuffer* made = nullptr;
    if (Status status = allocator_->MakeTransient(*request.params, request.length, &made); status != kOk) return status;
    made->set_transient();
    *out_buffer = Ref<hal_buffer_t>::Adopting(made);
  }
  *out_action = actions_.Borrow();
  (*out_action)->Capture(*this, operation, out_buffer->get());
  (*out_action)->Prepare();
  return kOk;
}

Status StreamDevice::Submit(const hal_queue_operation_t* operation) {
  if (Status status = health().Check(); status != kOk) return status;
  NativeStream guest = nullptr;
  if (HasBegunStream(*this, &guest)) return SubmitOnStream(*this, guest, *operation);
  auto action = ActionPool<StreamAction>::Handle(nullptr, {&actions_});
  auto buffer = Ref<hal_buffer_t>();
  if (Status status = MakeAction(*operation, &action, &buffer); status != kOk) return status;
  if (buffer) *operation->u.allocate.out_buffer = buffer.release();
  action.release()->Hold(operation->wait_list);
  return kOk;
}

Status StreamDevice::ProfilingBegin(hal_profiling_flags_t flags, const hal_profiling_sink_t* sink) {
  const Status status = SynchronizeClock();
  if (status != kOk) return Checked(status);  // without a lock, as a loss calls the application
  return DeviceBase::ProfilingBegin(flags, sink);
}

Status StreamDevice::SynchronizeClock() {
  const std::lock_guard lock(profiling_mutex_);
  const NativeScope scope(*api_);
  Status status = scope.status();
  if (status == kOk && !clock_stream_) status = api_->CreateStream(&clock_stream_);
  return status == kOk ? clock().Synchronize(clock_stream_) : status;
}

}  // namespace halyard::stream
