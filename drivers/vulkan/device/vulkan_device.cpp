// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/device/vulkan_device.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "driver_kit/device/extension_tables.h"
#include "driver_kit/executable/check_beforehand.h"
#include "driver_kit/queue/drain.h"
#include "vulkan/device/vulkan_interop.h"
#include "vulkan/executable/vulkan_executable.h"
#include "vulkan/queue/vulkan_lane.h"
#include "vulkan/recording/vulkan_command_buffer.h"

namespace halyard::vulkan {

VulkanDevice::VulkanDevice(const hal_driver_interface_t& tables, std::shared_ptr<const VulkanInstance> instance,
                           VkPhysicalDevice physical, const VulkanTraits& traits, uint32_t ordinal,
                           const VulkanOptions& options)
    : VulkanQueueDevice(tables, std::move(instance), physical, traits, options), watches_(*this), allocator_(memory()) {
  info_.id = ToC(this->traits().uuid);
  info_.name = ToC(this->traits().name);
  info_.ordinal = ordinal;
  FillInfo();
  allocator = &allocator_;
}

Status VulkanDevice::Create(const hal_driver_interface_t& tables, std::shared_ptr<const VulkanInstance> instance,
                            VkPhysicalDevice physical, const VulkanTraits& traits, uint32_t ordinal,
                            const VulkanOptions& options, const WrappedDevice& wrapped, hal_device_t** out_device) {
  std::unique_ptr<VulkanDevice> device(
      new VulkanDevice(tables, std::move(instance), physical, traits, ordinal, options));
  HAL_TRY(device->Open(wrapped));
  HAL_TRY(device->StartTrace(device->options().trace));
  device->context().ReleaseAtEnd();
  *out_device = device.release();
  return kOk;
}

namespace {

constexpr hal_string_view_t kFormats[] = {{kSpirvFormat.data(), kSpirvFormat.size()}};

hal_device_kind_t KindOf(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return HAL_DEVICE_KIND_DISCRETE;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return HAL_DEVICE_KIND_INTEGRATED;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return HAL_DEVICE_KIND_VIRTUAL;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return HAL_DEVICE_KIND_CPU;
    default:
      return HAL_DEVICE_KIND_UNKNOWN;
  }
}

}  // namespace

void DescribeVulkanDevice(const VulkanTraits& traits, hal_device_properties_t* properties,
                          hal_device_limits_t* limits) {
  const VkPhysicalDeviceLimits& given = traits.limits;
  const auto to_dim = [](const uint32_t(&values)[3]) { return hal_dim3_t{values[0], values[1], values[2]}; };
  limits->max_workgroup_count = to_dim(given.maxComputeWorkGroupCount);
  limits->max_workgroup_size = to_dim(given.maxComputeWorkGroupSize);
  limits->max_workgroup_volume = given.maxComputeWorkGroupInvocations;
  limits->max_local_memory = given.maxComputeSharedMemorySize;
  limits->max_constants_size = std::min(given.maxPushConstantsSize, kMaxConstantsSize);
  limits->max_bindings =
      std::min({given.maxPerStageDescriptorStorageBuffers, given.maxDescriptorSetStorageBuffers, kMaxBindings});
  limits->max_descriptor_sets = given.maxBoundDescriptorSets;
  limits->binding_alignment = static_cast<uint32_t>(given.minStorageBufferOffsetAlignment);
  limits->max_binding_range = given.maxStorageBufferRange;
  properties->kind = KindOf(traits.type);
  properties->vendor_id = traits.vendor_id;
  properties->formats = {std::size(kFormats), kFormats};
  properties->min_subgroup_size = traits.min_subgroup_size;
  properties->max_subgroup_size = traits.max_subgroup_size;
}

void VulkanDevice::FillInfo() {
  info_.queue_count = options().queue_count;
  SetWaitMode(options().wait);
  DescribeVulkanDevice(traits(), &properties_, &limits_);
  AddExtension(FaultInjection<VulkanDevice>());
  AddExtension(ExecutableTargets<VulkanDevice>());
  AddExtension(InteropExtension());
}

Status VulkanDevice::Open(const WrappedDevice& wrapped) {
  HAL_TRY(wrapped.device ? context().Wrap(wrapped) : context().Open(options().queue_count, options().robust));
  HAL_TRY(memory().Open());
  clock().Open();
  HostVector<std::unique_ptr<Lane>> lanes;
  for (uint32_t i = 0; i < options().queue_count; ++i) {
    lanes.push_back(std::make_unique<VulkanLane>(*this, context(), probe(), context().queue(i)));
  }
  SetLanes(std::move(lanes));
  for (uint32_t i = 0; i < options().queue_count; ++i) HAL_TRY(OpenQueue());
  return kOk;
}

VulkanDevice::~VulkanDevice() {
  AwaitThreads();
  CloseQueues();
}

// Mesa's queue threads look at semaphores for a moment after they have signalled the last one. Not where work may still
// run: on a lost device the call may never return. Nor on a device of the application, whose other queues it locks out.
void VulkanDevice::AwaitThreads() noexcept {
  if (context().is_wrapped()) return;
  for (uint32_t i = 0; i < queue_count(); ++i) {
    if (!static_cast<const VulkanLane&>(queue(i).lane()).is_drained()) return;
  }
  if (!file_io().is_drained()) return;
  probe().EndIdleWait();
  if (context().abandoned()) return;
  if (context().device() && context().vk().DeviceWaitIdle) context().vk().DeviceWaitIdle(context().device());
}

Status VulkanDevice::RankImage(const ImageKind& image, uint32_t* out_rank) {
  *out_rank = 1;
  if (image.format != kSpirvFormat) {
    return Fail(HAL_STATUS_INCOMPATIBLE, "Vulkan devices take executables of format 'spirv', not '%.*s'",
                HALYARD_SV(image.format));
  }
  if (image.target.empty()) return kOk;
  return Fail(HAL_STATUS_INCOMPATIBLE, "an image of format 'spirv' is for every Vulkan device, not for '%.*s'",
              HALYARD_SV(image.target));
}

Status VulkanDevice::QueryFormat(hal_string_view_t format) {
  uint32_t rank = 0;
  return RankImage({View(format)}, &rank);
}

namespace {

/// How memory that one device exports is imported by another one, or by the same. Opaque descriptors stay on one
/// device.
hal_peer_handles_t MemoryHandles(const VulkanTraits& from, const VulkanTraits& to, bool same) {
  const VkExternalMemoryHandleTypeFlags both = from.exported_memory & to.imported_memory;
  const bool opaque = same && (both & VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT) != 0;
  const bool dma_buf = (both & VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT) != 0;
  return (to.host_memory_import ? HAL_PEER_HANDLE_HOST_POINTER : HAL_PEER_HANDLES_NONE) |
         (opaque ? HAL_PEER_HANDLE_OPAQUE_FD : HAL_PEER_HANDLES_NONE) |
         (dma_buf ? HAL_PEER_HANDLE_DMA_BUF : HAL_PEER_HANDLES_NONE);
}

}  // namespace

Status VulkanDevice::QueryPeer(hal_device_t* other, hal_peer_properties_t* out_properties) {
  const VulkanTraits& theirs = static_cast<VulkanDevice*>(other)->traits();
  const bool same = theirs.uuid == traits().uuid;
  const bool timelines = same && theirs.exported_timelines && traits().imported_timelines;
  out_properties->relation = same ? HAL_PEER_RELATION_SAME : HAL_PEER_RELATION_NONE;
  out_properties->native_waits = other == this;
  out_properties->memory_handles = MemoryHandles(theirs, traits(), same);
  out_properties->semaphore_handles = timelines ? HAL_PEER_HANDLE_OPAQUE_FD : HAL_PEER_HANDLES_NONE;
  return kOk;
}

Status VulkanDevice::CreateCommandBuffer(const hal_command_buffer_params_t* params,
                                         hal_command_buffer_t** out_command_buffer) {
  *out_command_buffer = new VulkanCommandBuffer(*this, *params);
  return kOk;
}

Status VulkanDevice::CreateExecutable(const hal_executable_params_t* params, hal_executable_t** out_executable) {
  HAL_TRY(health().Check());
  HAL_TRY(QueryFormat(params->format));
  return VulkanExecutable::Create(*this, context(), *params, out_executable);
}

Status VulkanDevice::Submit(const hal_queue_operation_t* operation) {
  HAL_TRY(health().Check());
  if (operation->type == HAL_QUEUE_OPERATION_TYPE_COMMAND)
    HAL_TRY(CheckBeforehand<VulkanExecutable>(operation->u.command));
  auto buffer = Ref<hal_buffer_t>();
  HAL_TRY(MakeForQueue<VulkanBuffer>(allocator_, *operation, &buffer));
  ActionPool<VulkanAction>::Handle action = actions().Borrow();
  action->Capture(*this, *operation, buffer.get());
  action->Prepare();
  action->PrepareCommand();
  if (buffer) *operation->u.allocate.out_buffer = buffer.release();
  action.release()->Defer(operation->wait_list);
  return kOk;
}

Status VulkanDevice::Drain(uint64_t timeout_ns) {
  return DrainOperations(*this, actions(), timeout_ns, [this] { LookAtAll(); });
}

}  // namespace halyard::vulkan
