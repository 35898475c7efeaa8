// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/queue/vulkan_timelines.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "driver_kit/object/vtable.h"
#include "vulkan/native/vulkan_given.h"

namespace halyard::vulkan {
namespace {

constexpr VkExternalSemaphoreHandleTypeFlagBits kOpaque = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;

Status CheckDescriptors(const VulkanTraits& traits, bool possible, const char* what) {
  if (possible) return kOk;
  if (!traits.semaphore_fd) {
    return Fail(HAL_STATUS_UNIMPLEMENTED, "the device lacks %s", VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME);
  }
  return Fail(HAL_STATUS_UNIMPLEMENTED, "the device %s no timelines as OPAQUE_FD", what);
}

}  // namespace

Status VulkanTimelines::Make(uint64_t initial_value, bool exported, OwnedSemaphore* out) const {
  VkExportSemaphoreCreateInfo export_info{};
  export_info.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO;
  export_info.handleTypes = kOpaque;
  VkSemaphoreTypeCreateInfo type{};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.pNext = exported ? &export_info : nullptr;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  type.initialValue = initial_value;
  VkSemaphoreCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  info.pNext = &type;
  return HAL_VK(context_.vk(), CreateSemaphore, context_.device(), &info, nullptr, out->out(context_));
}

Status VulkanTimelines::Keep(OwnedSemaphore semaphore, VkSemaphore* out_semaphore) {
  const std::lock_guard lock(mutex_);
  *out_semaphore = semaphore.get();
  created_.push_back(std::move(semaphore));
  return kOk;
}

Status VulkanTimelines::Create(uint64_t initial_value, VkSemaphore* out_semaphore) {
  const VulkanTraits& traits = context_.traits();
  HAL_TRY(CheckDescriptors(traits, traits.exported_timelines, "exports"));
  OwnedSemaphore semaphore;
  HAL_TRY(Make(initial_value, true, &semaphore));
  return Keep(std::move(semaphore), out_semaphore);
}

Status VulkanTimelines::Import(int32_t fd, VkSemaphore* out_semaphore) {
  const VulkanTraits& traits = context_.traits();
  HAL_TRY(CheckDescriptors(traits, traits.imported_timelines, "imports"));
  HAL_TRY(CheckDescriptor(fd));
  OwnedSemaphore semaphore;
  HAL_TRY(Make(0, false, &semaphore));
  FileDescriptor descriptor;
  HAL_TRY(DuplicateDescriptor(fd, &descriptor));
  VkImportSemaphoreFdInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR;
  info.semaphore = semaphore.get();
  info.handleType = kOpaque;
  info.fd = descriptor.get();
  HAL_TRY(HAL_VK(context_.vk(), ImportSemaphoreFdKHR, context_.device(), &info));
  descriptor.Release();
  return Keep(std::move(semaphore), out_semaphore);
}

Status VulkanTimelines::Export(VkSemaphore semaphore, int32_t* out_fd) const {
  const VulkanTraits& traits = context_.traits();
  HAL_TRY(CheckDescriptors(traits, traits.exported_timelines, "exports"));
  VkSemaphoreGetFdInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR;
  info.semaphore = semaphore;
  info.handleType = kOpaque;
  return HAL_VK(context_.vk(), GetSemaphoreFdKHR, context_.device(), &info, out_fd);
}

Status VulkanTimelines::Destroy(VkSemaphore semaphore) {
  const std::lock_guard lock(mutex_);
  const auto found =
      std::find_if(created_.begin(), created_.end(), [&](const OwnedSemaphore& one) { return one.get() == semaphore; });
  if (found == created_.end()) {
    return FailWith(HAL_STATUS_NOT_FOUND, "the timeline is not one of create_timeline() or import_timeline_fd()");
  }
  std::swap(*found, created_.back());
  created_.pop_back();
  return kOk;
}

Status VulkanTimelines::SubmitSignal(VkSemaphore semaphore, uint64_t value) {
  NativeBatch batch;
  const std::lock_guard lock(mutex_);
  HAL_TRY(settled_.Open());
  HAL_TRY(batch.SetExternal(context_, semaphore, value));
  HAL_TRY(batch.Submit(context_, context_.queue(0), settled_, settled_count_ + 1));
  ++settled_count_;
  return kOk;
}

void VulkanTimelines::Settle(VkSemaphore semaphore, uint64_t value) noexcept {
  const Failure failure(
      Guard([&] { return Annotate(SubmitSignal(semaphore, value), "a timeline of the application is not set: "); }));
  if (failure) LogLater(HAL_LOG_LEVEL_WARNING, failure.message());
}

VulkanTimelines::~VulkanTimelines() {
  if (settled_count_ > 0) probe_.AwaitLast(settled_, settled_count_, health_).Ignore();
}

}  // namespace halyard::vulkan
