// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/executable/vulkan_pipeline_cache.h"

#include <xxhash.h>

#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace halyard::vulkan {
namespace {

// All that the pipelines depend on beside the device.
HostString Digest(std::span<const uint32_t> words, const hal_executable_params_t& params) {
  XXH3_state_t* const state = XXH3_createState();
  XXH3_128bits_reset(state);
  const auto add = [&](const auto& value) { XXH3_128bits_update(state, &value, sizeof(value)); };
  XXH3_128bits_update(state, words.data(), words.size_bytes());
  XXH3_128bits_update(state, params.specializations, params.specialization_count * sizeof(*params.specializations));
  for (size_t i = 0; i < params.export_count; ++i) {
    const hal_export_info_t& info = params.exports[i];
    add(info.workgroup_size);
    add(info.constants_size);
    for (const uint32_t size : {info.subgroup_size, info.min_subgroup_size, info.max_subgroup_size}) add(size);
    for (uint32_t p = 0; p < info.parameter_count; ++p) add(info.parameters[p]);
  }
  const XXH128_hash_t hash = XXH3_128bits_digest(state);
  XXH3_freeState(state);
  char text[40];
  std::snprintf(text, sizeof(text), "%016" PRIx64 "%016" PRIx64, hash.high64, hash.low64);
  return text;
}

HostString MakeKey(const VulkanTraits& traits, const HostString& digest) {
  char driver[64];
  std::snprintf(driver, sizeof(driver), "vulkan/%d-%u/", static_cast<int>(traits.driver_id), traits.driver_version);
  return driver + FormatUuid(traits.cache_uuid) + "/" + digest;
}

void TakeBlob(void* user_data, const void* data, size_t size) {
  const auto* const bytes = static_cast<const std::byte*>(data);
  static_cast<HostVector<std::byte>*>(user_data)->assign(bytes, bytes + size);
}

}  // namespace

// Drivers need not check what they are given.
bool StoredPipelineCache::Fits(std::span<const std::byte> blob) const {
  VkPipelineCacheHeaderVersionOne header{};
  if (blob.size() <= sizeof(header)) return false;
  std::memcpy(&header, blob.data(), sizeof(header));
  const VulkanTraits& traits = context_.traits();
  return header.headerSize == sizeof(header) && header.headerVersion == VK_PIPELINE_CACHE_HEADER_VERSION_ONE &&
         header.vendorID == traits.vendor_id && header.deviceID == traits.device_id &&
         std::memcmp(header.pipelineCacheUUID, traits.cache_uuid.data(), VK_UUID_SIZE) == 0;
}

void StoredPipelineCache::Make(std::span<const std::byte> blob) {
  VkPipelineCacheCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
  info.initialDataSize = blob.size();
  info.pInitialData = blob.data();
  const VkResult result = context_.vk().CreatePipelineCache(context_.device(), &info, nullptr, cache_.out(context_));
  if (result == VK_SUCCESS) loaded_ = blob.size();
}

void StoredPipelineCache::Open(std::span<const uint32_t> words, const hal_executable_params_t& params) {
  if (!blobs_ || !blobs_->load || !blobs_->store) return;
  key_ = MakeKey(context_.traits(), Digest(words, params));
  HostVector<std::byte> blob;
  blobs_->load(blobs_->context, ToC(key_), TakeBlob, &blob);
  if (Fits(blob)) Make(blob);
  if (!cache_) Make({});
}

// Of a driver that caches nothing there is a header only.
void StoredPipelineCache::Store() noexcept {
  if (!cache_) return;
  size_t size = 0;
  const DeviceFunctions& vk = context_.vk();
  if (vk.GetPipelineCacheData(context_.device(), cache_.get(), &size, nullptr) != VK_SUCCESS) return;
  if (size <= sizeof(VkPipelineCacheHeaderVersionOne) || size <= loaded_) return;
  HostVector<std::byte> blob(size);
  if (vk.GetPipelineCacheData(context_.device(), cache_.get(), &size, blob.data()) != VK_SUCCESS) return;
  blobs_->store(blobs_->context, ToC(key_), blob.data(), size);
}

}  // namespace halyard::vulkan
