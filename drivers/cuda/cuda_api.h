// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One CUDA device as the stream core wants it.
#ifndef HALYARD_DRIVERS_CUDA_CUDA_API_H_
#define HALYARD_DRIVERS_CUDA_CUDA_API_H_

#include <mutex>

#include "base/host_memory.h"
#include "base/status.h"
#include "cuda/cuda_vendor.h"
#include "stream/native/vendor_api.h"

namespace halyard::cuda {

inline CUfunction Native(NativeFunction handle) { return reinterpret_cast<CUfunction>(handle); }

/// Calls the CUDA driver API in the device's primary context, which is shared with the CUDA runtime and with whatever
/// else the process does on the device.
class CudaApi final : public VendorApi<CudaVendor> {
 public:
  using VendorApi::VendorApi;
  ~CudaApi() override;

  /// Reads what the device can do. Needs no context.
  Status Describe();
  /// Retains the primary context and reads what the device can do.
  Status Open();

  Status Enter(NativeCurrent* out_before) override;
  void Leave(const NativeCurrent& before) override;

  Status DescribePointer(uint64_t pointer, NativePointerKind* out_kind) override;
  Status Copy(NativeStream stream, NativeAddress target, NativeAddress source, uint64_t length) override;
  Status CopyRows(NativeStream stream, const NativeBox& copy) override;  // in cuda_graphs.cpp
  Status CopyRowsPeer(NativeStream stream, const NativeBox& copy, const NativeApi& target_api,
                      const NativeApi& source_api) override;  // the same
  Status PrefetchManaged(NativeStream stream, NativeAddress address, uint64_t length) override;

  // In cuda_launch.cpp.
  Status Launch(NativeStream stream, const NativeLaunch& launch) override;
  Status AddLaunch(NativeGraph graph, std::span<const NativeGraphNode> after, const NativeLaunch& launch,
                   NativeGraphNode* out_node) override;
  Status AllowClusters(NativeFunction function, uint32_t workgroups) override;
  Status EncodeTensorMap(const hal_tensor_map_t& map, const TensorShape& shape, NativeAddress address,
                         NativeTensorMap* out_map) override;

  // In cuda_graphs.cpp.
  Status AddCopy(NativeGraph graph, std::span<const NativeGraphNode> after, const NativeCopy& copy,
                 NativeGraphNode* out_node) override;
  Status InstantiateGraph(NativeGraph graph, NativeGraphExec* out_exec) override;
  Status PatchCopy(NativeGraphExec exec, NativeGraphNode node, const NativeCopy& copy) override;
  Status AddCopyRows(NativeGraph graph, std::span<const NativeGraphNode> after, const NativeBox& copy,
                     NativeGraphNode* out_node) override;

  // In cuda_indirect.cpp.
  Status PrepareIndirectLaunches() override;
  Status AddIndirectLaunch(NativeGraph graph, std::span<const NativeGraphNode> after,
                           const NativeIndirectLaunch& launch, NativeIndirectNode* out_node) override;
  Status PatchIndirectLaunch(NativeGraphExec exec, const NativeIndirectNode& node,
                             const NativeIndirectLaunch& launch) override;
  Status UploadGraph(NativeGraphExec exec, NativeStream stream) override;

  // In cuda_virtual.cpp.
  Status AllocateShared(hal_peer_handles_t handles, uint64_t length, NativeShared* out_memory) override;
  Status ImportShared(const hal_external_memory_t& memory, NativeShared* out_memory) override;
  Status ExportShared(const NativeShared& memory, hal_external_memory_type_t type,
                      hal_external_memory_t* out_memory) override;
  void FreeShared(const NativeShared& memory) override;

  Status RankImage(const ImageKind& image, uint32_t* out_rank) override;
  Status LoadModule(std::string_view format, std::span<const std::byte> image, const hal_blob_store_t* blobs,
                    NativeModule* out_module) override;
  Status ParameterSize(NativeModule module, NativeFunction function, uint32_t index, uint64_t* out_size) override;
  Status AllowDynamicLocalMemory(NativeFunction function, uint32_t bytes) override;

  Status CheckExternalStream(NativeStream stream) override;
  std::span<const DeviceExtension> Extensions() const override;

  CUcontext context() const { return context_; }
  /// 90 for 9.0.
  int compute_capability() const { return compute_capability_; }

 private:
  void SetProperties(int version);
  Status ReadSharedTraits();
  Status ProbeFabric();
  CUmemAllocationProp VirtualProperties(hal_peer_handles_t handles) const;
  Status ImportVirtual(const hal_external_memory_t& memory, NativeShared* out_memory);
  Status CheckPlace(const NativeShared& memory) const;
  Status MapShared(NativeShared* memory);
  void SetIndirectTraits(int version);
  Status MakeUpdatable(NativeGraphNode node, uint64_t* out_handle);
  void UnloadCountReader() noexcept;
  Status LoadImage(const void* image, NativeModule* out_module);
  Status LoadPtx(const HostString& text, const hal_blob_store_t& blobs, NativeModule* out_module);
  Status LoadKept(std::string_view key, const hal_blob_store_t& blobs, NativeModule* out_module);
  Status CompilePtx(const HostString& text, std::string_view key, const hal_blob_store_t& blobs,
                    NativeModule* out_module);

  int compute_capability_ = 0;  // 90 for 9.0
  int api_version_ = 0;         // 13000 for CUDA 13.0
  HostString architecture_;     // what properties_ points to, as the next
  HostString driver_version_;

  // The kernel that reads counts, and its module. Set once, by PrepareIndirectLaunches(), before any thread uses it.
  std::mutex count_reader_mutex_;  // for setting it; native calls are made under it
  NativeModule count_reader_module_ = nullptr;
  NativeFunction count_reader_ = nullptr;
};

}  // namespace halyard::cuda

#endif  // HALYARD_DRIVERS_CUDA_CUDA_API_H_
