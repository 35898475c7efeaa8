// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One HIP device as the stream core wants it.
#ifndef HALYARD_DRIVERS_HIP_HIP_API_H_
#define HALYARD_DRIVERS_HIP_HIP_API_H_

#include "base/host_memory.h"
#include "base/status.h"
#include "hip/hip_vendor.h"
#include "image/reflection/reflected_image.h"
#include "stream/native/vendor_api.h"

namespace halyard::hip {

/// Calls the HIP runtime for one device. What a thread had as its device, and its last error, are left as found.
class HipApi : public VendorApi<HipVendor> {
 public:
  using VendorApi::VendorApi;

  /// Reads what the device can do.
  Status Open() { return Describe(); }
  /// Reads what the device can do. HIP has a context only once a thread makes the device current.
  Status Describe();

  // Not by pushing contexts: hipCtxPopCurrent() leaves the popped device current.
  Status Enter(NativeCurrent* out_before) override;
  void Leave(const NativeCurrent& before) override;

  // Whether it is managed is asked first, since managed memory says that it is the host's.
  Status DescribePointer(uint64_t pointer, NativePointerKind* out_kind) override;

  Status Copy(NativeStream stream, NativeAddress target, NativeAddress source, uint64_t length) override;
  Status CopyRows(NativeStream stream, const NativeBox& copy) override;  // in hip_graphs.cpp
  Status PrefetchManaged(NativeStream stream, NativeAddress address, uint64_t length) override;

  // In hip_graphs.cpp.
  Status AddCopy(NativeGraph graph, std::span<const NativeGraphNode> after, const NativeCopy& copy,
                 NativeGraphNode* out_node) override;
  Status InstantiateGraph(NativeGraph graph, NativeGraphExec* out_exec) override;
  Status PatchCopy(NativeGraphExec exec, NativeGraphNode node, const NativeCopy& copy) override;
  Status AddCopyRows(NativeGraph graph, std::span<const NativeGraphNode> after, const NativeBox& copy,
                     NativeGraphNode* out_node) override;
  Status PatchCopyRows(NativeGraphExec exec, NativeGraphNode node, const NativeBox& copy) override;

  // In hip_image.cpp.
  Status RankImage(const ImageKind& image, uint32_t* out_rank) override;
  Status LoadModule(std::string_view format, std::span<const std::byte> image, const hal_blob_store_t* blobs,
                    NativeModule* out_module) override;
  void UnloadModule(NativeModule module) override;
  void AbandonModule(NativeModule module) override;
  Status FindFunction(NativeModule module, const char* symbol, NativeFunction* out_function) override;
  Status FindVariable(NativeModule module, const char* symbol, NativeAddress* out_address, uint64_t* out_size) override;
  Status ParameterSize(NativeModule module, NativeFunction function, uint32_t index, uint64_t* out_size) override;
  // Local memory needs no opt-in.
  Status AllowDynamicLocalMemory(NativeFunction, uint32_t) override { return kOk; }

  // In hip_interop.cpp.
  Status CheckExternalStream(NativeStream stream) override;
  std::span<const DeviceExtension> Extensions() const override;

 private:
  Status ReadArchitecture();
  void SetTraits();
  void SetProperties();

  HostString architecture_;  // with features, as HIP has it: "gfx90a:sramecc+:xnack-"; properties_ points to it
  HostString driver_version_;
};

}  // namespace halyard::hip

#endif  // HALYARD_DRIVERS_HIP_HIP_API_H_
