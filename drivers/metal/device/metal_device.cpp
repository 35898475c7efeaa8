// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "metal/device/metal_device.h"

#include <iterator>
#include <utility>

#include "driver_kit/device/extension_tables.h"
#include "driver_kit/executable/check_beforehand.h"
#include "driver_kit/queue/drain.h"
#include "metal/device/metal_interop.h"
#include "metal/executable/metal_executable.h"
#include "metal/queue/metal_lane.h"
#include "metal/recording/metal_command_buffer.h"

namespace halyard::metal {
namespace {

constexpr hal_string_view_t kFormats[] = {{kSourceFormat.data(), kSourceFormat.size()},
                                          {kLibraryFormat.data(), kLibraryFormat.size()}};

HostString FormatRegistryId(uint64_t id) {
  char text[24];
  std::snprintf(text, sizeof(text), "%llx", static_cast<unsigned long long>(id));
  return text;
}

}  // namespace

HostString DeviceId(const MetalTraits& traits) { return FormatRegistryId(traits.registry_id); }

MetalDevice::MetalDevice(const hal_driver_interface_t& tables, NativeDevice native, const MetalTraits& traits,
                         uint32_t ordinal, const MetalOptions& options)
    : MetalQueueDevice(tables, native, traits, options), id_(DeviceId(traits)), allocator_(memory()) {
  info_.id = ToC(id_);
  info_.name = ToC(this->traits().name);
  info_.ordinal = ordinal;
  FillInfo();
  allocator = &allocator_;
}

Status MetalDevice::Create(const hal_driver_interface_t& tables, NativeDevice native, const MetalTraits& traits,
                           uint32_t ordinal, const MetalOptions& options, hal_device_t** out_device) {
  std::unique_ptr<MetalDevice> device(new MetalDevice(tables, native, traits, ordinal, options));
  HAL_TRY(device->Open());
  HAL_TRY(device->StartTrace(options.trace));
  // Last, so that a device that does not open leaves no document.
  if (!options.capture.empty()) HAL_TRY(device->capture_.Start(native, options.capture));
  *out_device = device.release();
  return kOk;
}

// Metal has no limit of workgroups but the 32 bits of their numbers.
void DescribeMetalDevice(const MetalTraits& traits, hal_device_properties_t* properties, hal_device_limits_t* limits) {
  limits->max_workgroup_count = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
  limits->max_workgroup_size = traits.max_workgroup_size;
  limits->max_workgroup_volume = traits.max_workgroup_size.x;
  limits->max_local_memory = traits.max_local_memory;
  limits->max_constants_size = kMaxConstantsSize;
  limits->max_bindings = kMaxBindings;
  limits->max_descriptor_sets = kMaxSetNumber;
  properties->formats = {std::size(kFormats), kFormats};
}

void MetalDevice::FillInfo() {
  info_.queue_count = options().queue_count;
  SetWaitMode(options().wait);
  DescribeMetalDevice(traits(), &properties_, &limits_);
  AddExtension(FaultInjection<MetalDevice>());
  AddExtension(ExecutableTargets<MetalDevice>());
  AddExtension(InteropExtension());
}

Status MetalDevice::Open() {
  if (options().residency_set) HAL_TRY(memory().residency().Open(native()));
  HostVector<std::unique_ptr<Lane>> lanes;
  for (uint32_t i = 0; i < options().queue_count; ++i) lanes.push_back(std::make_unique<MetalLane>(*this));
  SetLanes(std::move(lanes));
  for (uint32_t i = 0; i < options().queue_count; ++i) HAL_TRY(OpenQueue());
  host_work().Enqueue(&transfers());
  return kOk;
}

MetalDevice::~MetalDevice() {
  const AutoreleaseScope scope;
  CloseQueues();
}

void MetalDevice::FailDeferred(const Failure& failure) noexcept {
  actions().FailDeferred(failure);
  for (uint32_t i = 0; i < queue_count(); ++i) static_cast<MetalLane&>(queue(i).lane()).ReleaseWaiting();
}

Status MetalDevice::RankImage(const ImageKind& image, uint32_t* out_rank) {
  *out_rank = 1;
  if (image.format == kLibraryFormat || image.format == kSourceFormat) {
    if (!image.target.empty()) {
      return Fail(HAL_STATUS_INCOMPATIBLE, "an image of format '%.*s' is for every Metal device, not for '%.*s'",
                  HALYARD_SV(image.format), HALYARD_SV(image.target));
    }
    *out_rank = image.format == kLibraryFormat ? 1 : 2;  // compiled already, against source
    return kOk;
  }
  return Fail(HAL_STATUS_INCOMPATIBLE, "Metal devices take executables of format 'msl' or 'metallib', not '%.*s'",
              HALYARD_SV(image.format));
}

Status MetalDevice::QueryFormat(hal_string_view_t format) {
  uint32_t rank = 0;
  return RankImage({View(format)}, &rank);
}

Status MetalDevice::QueryPeer(hal_device_t* other, hal_peer_properties_t* out_properties) {
  const bool same = static_cast<MetalDevice*>(other)->native() == native();
  out_properties->relation = same ? HAL_PEER_RELATION_SAME : HAL_PEER_RELATION_NONE;
  out_properties->native_waits = true;  // for an event that all devices share
  out_properties->memory_handles = HAL_PEER_HANDLE_HOST_POINTER | (same ? HAL_PEER_HANDLE_NATIVE_OBJECT : 0);
  return kOk;
}

Status MetalDevice::CreateCommandBuffer(const hal_command_buffer_params_t* params,
                                        hal_command_buffer_t** out_command_buffer) {
  *out_command_buffer = new MetalCommandBuffer(*this, *params);
  return kOk;
}

Status MetalDevice::CreateExecutable(const hal_executable_params_t* params, hal_executable_t** out_executable) {
  HAL_TRY(health().Check());
  HAL_TRY(QueryFormat(params->format));
  return MetalExecutable::Create(*this, context(), *params, out_executable);
}

Status MetalDevice::ProfilingBegin(hal_profiling_flags_t flags, const hal_profiling_sink_t* sink) {
  clock().Synchronize();
  return DeviceBase::ProfilingBegin(flags, sink);
}

Status MetalDevice::Submit(const hal_queue_operation_t* operation) {
  HAL_TRY(health().Check());
  if (operation->type == HAL_QUEUE_OPERATION_TYPE_COMMAND) {
    HAL_TRY(CheckBeforehand<MetalExecutable>(operation->u.command));
  }
  auto buffer = Ref<hal_buffer_t>();
  HAL_TRY(MakeForQueue<MetalBuffer>(allocator_, *operation, &buffer));
  ActionPool<MetalAction>::Handle action = actions().Borrow();
  action->Capture(*this, *operation, buffer.get());
  action->Prepare();
  if (buffer) *operation->u.allocate.out_buffer = buffer.release();
  action.release()->Defer(operation->wait_list);
  return kOk;
}

Status MetalDevice::Drain(uint64_t timeout_ns) {
  return DrainOperations(*this, actions(), timeout_ns, [this] { LookAtAll(); });
}

}  // namespace halyard::metal
