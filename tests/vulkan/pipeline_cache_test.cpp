// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a blob store keeps of pipelines. lavapipe's caches are empty, so the test says in its place what is in them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cts/kernel_library.h"
#include "simulation.h"
#include "vulkan/device/vulkan_device.h"
#include "vulkan_test.h"

namespace halyard::vulkan {
namespace {

using cts::Buffer;
using cts::Device;
using cts::Dispatch;
using cts::Executable;
using cts::KernelSource;
using cts::kNoWaits;
using cts::Semaphore;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

using Blob = std::vector<unsigned char>;
using Header = VkPipelineCacheHeaderVersionOne;

// What Vulkan was given, and gives. One test at a time.
std::vector<Blob> g_given;
Blob g_held;
PFN_vkCreatePipelineCache g_create = nullptr;

VKAPI_ATTR VkResult VKAPI_CALL Create(VkDevice device, const VkPipelineCacheCreateInfo* info,
                                      const VkAllocationCallbacks* allocator, VkPipelineCache* out) {
  const auto* const bytes = static_cast<const unsigned char*>(info->pInitialData);
  g_given.emplace_back(bytes, bytes + info->initialDataSize);
  VkPipelineCacheCreateInfo empty = *info;
  empty.initialDataSize = 0;
  return g_create(device, &empty, allocator, out);
}

VKAPI_ATTR VkResult VKAPI_CALL GetData(VkDevice, VkPipelineCache, size_t* size, void* data) {
  if (data) std::memcpy(data, g_held.data(), g_held.size());
  *size = g_held.size();
  return VK_SUCCESS;
}

class PipelineCacheTest : public testing::Test {
 protected:
  PipelineCacheTest() {
    auto& vk = const_cast<DeviceFunctions&>(Internals().context().vk());
    g_create = vk.CreatePipelineCache.get();
    vk.CreatePipelineCache = Create;
    vk.GetPipelineCacheData = GetData;
    g_given.clear();
    Header header{};
    header.headerSize = sizeof(header);
    header.headerVersion = VK_PIPELINE_CACHE_HEADER_VERSION_ONE;
    header.vendorID = Internals().traits().vendor_id;
    header.deviceID = Internals().traits().device_id;
    std::memcpy(header.pipelineCacheUUID, Internals().traits().cache_uuid.data(), VK_UUID_SIZE);
    g_held.resize(sizeof(header) + 100, 7);
    std::memcpy(g_held.data(), &header, sizeof(header));
  }
  void TearDown() override { EXPECT_EQ(simulation_.Reports(), 0u); }

  VulkanDevice& Internals() const { return *static_cast<VulkanDevice*>(device_.get()); }

  /// Makes the executable with the store, as another process would, and runs a kernel of it.
  void MakeAndRun() {
    hal_blob_store_t store = HAL_INIT(hal_blob_store_t);
    store.context = &blobs_;
    store.load = [](void* context, hal_string_view_t key, hal_blob_found_fn_t found, void* user_data) {
      const auto& blobs = *static_cast<Blobs*>(context);
      const auto at = blobs.find(std::string(key.data, key.size));
      if (at != blobs.end()) found(user_data, at->second.data(), at->second.size());
      return at != blobs.end();
    };
    store.store = [](void* context, hal_string_view_t key, const void* data, size_t size) {
      const auto* const bytes = static_cast<const unsigned char*>(data);
      (*static_cast<Blobs*>(context))[std::string(key.data, key.size)] = Blob(bytes, bytes + size);
    };
    const KernelSource source(device_, "basic");
    hal_executable_params_t params = source.params();
    params.blobs = &store;
    Executable executable;
    ASSERT_OK(hal_executable_create(device_, &params, executable.out()));
    const Buffer numbers = device_.CreateBufferOf(std::vector<uint32_t>(64, 7));
    const Semaphore done = device_.CreateSemaphore();
    ASSERT_OK(device_.QueueDispatch(kNoWaits, {{done, 1}}, executable, "add_one", Dispatch().Bind(numbers)));
    ASSERT_OK(done.Wait(1));
    EXPECT_EQ(device_.Download<uint32_t>(numbers), std::vector<uint32_t>(64, 8));
  }
  /// The blob is changed, and not given to Vulkan.
  void ExpectDropped(const char* what, const std::function<void(Blob&)>& change) {
    SCOPED_TRACE(what);
    blobs_.clear();
    MakeAndRun();
    ASSERT_THAT(blobs_, SizeIs(1));
    change(blobs_.begin()->second);
    g_given.clear();
    MakeAndRun();
    EXPECT_THAT(g_given, ElementsAre(Blob()));
    EXPECT_EQ(blobs_.begin()->second, g_held) << "it is replaced";
  }

  using Blobs = std::map<std::string, Blob>;
  const Device device_ = OpenAnew();
  const Simulation simulation_;
  Blobs blobs_;
};

TEST_F(PipelineCacheTest, TheNextProcessGetsWhatIsStored) {
  MakeAndRun();
  ASSERT_THAT(blobs_, SizeIs(1));
  EXPECT_EQ(blobs_.begin()->second, g_held);
  EXPECT_THAT(blobs_.begin()->first, HasSubstr("vulkan/"));
  EXPECT_THAT(g_given, ElementsAre(Blob()));
  MakeAndRun();
  EXPECT_THAT(g_given, ElementsAre(Blob(), g_held));
}

TEST_F(PipelineCacheTest, DamagedForeignAndOldBlobsAreCompiledAgain) {
  ExpectDropped("empty", [](Blob& blob) { blob.clear(); });
  ExpectDropped("cut within the header", [](Blob& blob) { blob.resize(sizeof(Header) - 1); });
  ExpectDropped("a header alone", [](Blob& blob) { blob.resize(sizeof(Header)); });
  ExpectDropped("another size of the header", [](Blob& blob) { ++blob[offsetof(Header, headerSize)]; });
  ExpectDropped("another version", [](Blob& blob) { ++blob[offsetof(Header, headerVersion)]; });
  ExpectDropped("another vendor", [](Blob& blob) { ++blob[offsetof(Header, vendorID)]; });
  ExpectDropped("another device", [](Blob& blob) { ++blob[offsetof(Header, deviceID)]; });
  ExpectDropped("another cache", [](Blob& blob) { ++blob[offsetof(Header, pipelineCacheUUID) + 15]; });
}

TEST_F(PipelineCacheTest, OfACacheWithoutContentsNothingIsStored) {
  g_held.resize(sizeof(Header));
  MakeAndRun();
  EXPECT_THAT(blobs_, SizeIs(0));
}

}  // namespace
}  // namespace halyard::vulkan
