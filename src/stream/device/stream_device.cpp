// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/device/stream_device.h"

#include <bit>
#include <utility>

#include "driver_kit/device/extension_tables.h"
#include "driver_kit/executable/check_beforehand.h"
#include "driver_kit/queue/drain.h"
#include "stream/device/external_streams.h"
#include "stream/device/nccl_engine.h"
#include "stream/queue/stream_lane.h"
#include "stream/recording/peer_commands.h"
#include "stream/recording/stream_command_buffer.h"
#include "stream/recording/stream_executable.h"

namespace halyard::stream {

StreamDevice::Parts::Parts(StreamDevice& device, const StreamDeviceOptions& options)
    : context(device, device.api_, options),
      memory(context, options),
      file_io(context.api(), context.events()),
      kept_graphs(context, options.queue_count + kInteropQueues) {
  context.set_memory(&memory);
}

StreamDevice::StreamDevice(const hal_driver_interface_t& tables, std::unique_ptr<NativeApi> api,
                           const StreamDeviceIdentity& identity, const StreamDeviceOptions& options)
    : SubmissionDevice(tables, api->gate(), Joins::kAllDevices),
      api_(api.release(), std::default_delete<NativeApi>(), HostStdAllocator<NativeApi>()),
      id_(identity.id),
      name_(identity.name) {
  info_.id = ToC(id_);
  info_.name = ToC(name_);
  info_.ordinal = identity.ordinal;
  FillInfo(options);
}

Status StreamDevice::Create(const hal_driver_interface_t& tables, std::unique_ptr<NativeApi> api,
                            const StreamDeviceIdentity& identity, const StreamDeviceOptions& options,
                            hal_device_t** out_device) {
  std::unique_ptr<StreamDevice> device(new StreamDevice(tables, std::move(api), identity, options));
  HAL_TRY(device->Open(options));
  HAL_TRY(device->StartTrace(options.trace));
  *out_device = device.release();
  return kOk;
}

void DescribeLimits(const NativeTraits& traits, hal_device_limits_t* limits) {
  limits->max_workgroup_count = traits.max_workgroup_count;
  limits->max_workgroup_size = traits.max_workgroup_size;
  limits->max_workgroup_volume = traits.max_workgroup_volume;
  limits->max_local_memory = traits.max_local_memory;
  limits->max_constants_size = traits.max_constants_size;
  limits->max_bindings =
      std::min(kMaxBindings, traits.max_constants_size / static_cast<uint32_t>(sizeof(NativeAddress)));
  limits->max_descriptor_sets = 16;
}

void StreamDevice::FillInfo(const StreamDeviceOptions& options) {
  info_.queue_count = options.queue_count;
  DescribeLimits(api_->traits(), &limits_);
  properties_ = api_->properties();
  AddExtension(FaultInjection<StreamDevice>());
  AddExtension(ExecutableTargets<StreamDevice>());
  for (const DeviceExtension& extension : api_->Extensions()) AddExtension(extension);
}

Status StreamDevice::Open(const StreamDeviceOptions& options) {
  SetWaitMode(options.wait);
  const NativeScope scope(*api_);
  if (!scope.entered()) return scope.status();
  parts_ = std::make_unique<Parts>(*this, options);
  allocator_ = std::make_unique<StreamAllocator>(context());
  allocator = allocator_.get();
  HAL_TRY(parts_->memory.Open(options));
  if (options.indirect == IndirectChoice::kDevice) {
    const Status status = api_->PrepareIndirectLaunches();
    if (status != kOk) return Annotate(status, "indirect=device: ");
  }
  HAL_TRY(MakeLanes(options));
  for (uint32_t i = 0; i < options.queue_count; ++i) {  // interop queues are opened when they are needed
    HAL_TRY(OpenQueue());
  }
  return kOk;
}

Status StreamDevice::MakeLanes(const StreamDeviceOptions& options) {
  const uint32_t count = options.queue_count + kInteropQueues;
  HAL_TRY(context().counters().Make(count, options.fast_completion));
  const CompletionMode mode = options.fast_completion ? CompletionMode::kFast : CompletionMode::kPortable;
  HostVector<std::unique_ptr<Lane>> lanes;
  for (uint32_t i = 0; i < count; ++i) lanes.push_back(std::make_unique<StreamLane>(context(), i, mode));
  SetLanes(std::move(lanes));
  return kOk;
}

NativeStream StreamDevice::ShareStream(uint32_t index) {
  auto& lane = static_cast<StreamLane&>(queue(index).lane());
  lane.Share();
  return lane.stream();
}

Status StreamDevice::TakeInteropQueue(NativeStream stream, SubmissionQueue** out_queue) {
  uint32_t taken = 0;
  if (!FindInteropQueue(stream, &taken)) {
    HAL_TRY(OpenInteropQueue(&taken));
  }
  external_streams_[taken].store(stream, std::memory_order_relaxed);
  *out_queue = &queue(info_.queue_count + taken);
  return kOk;
}

// The one that the same stream's last work went through, which it comes after anyway; else one that is idle. Without
// the lock, as a failure calls the application.
bool StreamDevice::FindInteropQueue(NativeStream stream, uint32_t* out_index) {
  const uint32_t open = queue_count() - info_.queue_count;
  for (uint32_t i = 0; stream && i < open; ++i) {
    *out_index = i;
    if (external_streams_[i].load(std::memory_order_relaxed) == stream) return true;
  }
  for (uint32_t i = 0; i < open; ++i) {
    *out_index = i;
    if (queue(info_.queue_count + i).PollIdle()) return true;
  }
  return false;
}

// Once all are open they take turns.
Status StreamDevice::OpenInteropQueue(uint32_t* out_index) {
  const std::lock_guard lock(interop_mutex_);
  const uint32_t open = queue_count();
  if (open == lane_count()) {
    *out_index = interop_turn_++ % kInteropQueues;
    return kOk;
  }
  HAL_TRY(OpenQueue());
  *out_index = open - info_.queue_count;
  return kOk;
}

StreamDevice::~StreamDevice() {
  const NativeScope scope(*api_);
  CloseQueues();
  if (clock_stream_) api_->DestroyStream(clock_stream_);
  parts_.reset();
}

Status StreamDevice::QueryFormat(hal_string_view_t format) {
  uint32_t rank = 0;
  return api_->RankImage({View(format)}, &rank);
}

Status StreamDevice::QueryPeer(hal_device_t* other, hal_peer_properties_t* out_properties) {
  return Checked(api_->DescribePeer(static_cast<StreamDevice*>(other)->api(), out_properties));
}

// The vendor copies a row through the host by itself if it has to. Of several rows the library does that.
Status StreamDevice::CheckPeerCopy(hal_device_t* other, hal_command_type_t type) {
  if (type == HAL_COMMAND_TYPE_COPY) return kOk;
  StreamContext& peer = static_cast<StreamDevice*>(other)->context();
  HAL_TRY(context().memory().peers().Open(context(), peer));
  if (context().memory().peers().Reaches(peer)) return kOk;
  return FailBare(HAL_STATUS_UNIMPLEMENTED);
}

Status StreamDevice::CreateEngine(size_t device_count, hal_device_t* const* devices, hal_engine_opened_fn_t opened,
                                  void* user_data, hal_channel_engine_t** out_engine) {
  return NcclEngine::Create({devices, device_count}, opened, user_data, out_engine);
}

Status StreamDevice::CreateCommandBuffer(const hal_command_buffer_params_t* params,
                                         hal_command_buffer_t** out_command_buffer) {
  *out_command_buffer = new StreamCommandBuffer(context(), *params);
  return kOk;
}

Status StreamDevice::CreateExecutable(const hal_executable_params_t* params, hal_executable_t** out_executable) {
  HAL_TRY(QueryFormat(params->format));
  return StreamExecutable::Create(context(), *params, out_executable);
}

Status StreamDevice::MakeAction(const hal_queue_operation_t& operation, ActionPool<StreamAction>::Handle* out_action,
                                Ref<hal_buffer_t>* out_buffer) {
  HAL_TRY(MakeForQueue<StreamBuffer>(*allocator_, operation, out_buffer));
  *out_action = actions_.Borrow();
  (*out_action)->Capture(*this, operation, out_buffer->get());
  (*out_action)->Prepare();
  return kOk;
}

Status StreamDevice::Submit(const hal_queue_operation_t* operation) {
  HAL_TRY(health().Check());
  if (operation->type == HAL_QUEUE_OPERATION_TYPE_COMMAND) {
    HAL_TRY(CheckBeforehand<StreamExecutable>(operation->u.command));
    HAL_TRY(OpenPeers(context(), operation->u.command));
  }
  NativeStream begun = nullptr;
  if (HasBegunStream(*this, &begun)) return SubmitOnStream(*this, begun, *operation);
  auto action = ActionPool<StreamAction>::Handle(nullptr, {&actions_});
  auto buffer = Ref<hal_buffer_t>();
  HAL_TRY(MakeAction(*operation, &action, &buffer));
  if (buffer) *operation->u.allocate.out_buffer = buffer.release();
  action.release()->Defer(operation->wait_list);
  return kOk;
}

Status StreamDevice::Drain(uint64_t timeout_ns) {
  return DrainOperations(*this, actions_, timeout_ns, [this] { LookAtAll(); });
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
  return status == kOk ? context().clock().Synchronize(clock_stream_) : status;
}

}  // namespace halyard::stream
