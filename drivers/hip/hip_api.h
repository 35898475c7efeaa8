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

using stream::NativeAddress;
using stream::NativeCopy;
using stream::NativeCurrent;
using stream::NativeFill;
using stream::NativeFunction;
using stream::NativeGraph;
using stream::NativeGraphExec;
using stream::NativeGraphNode;
using stream::NativeLaunch;
using stream::NativeModule;
using stream::NativePointerKind;
using stream::NativeStream;

/// Calls the HIP runtime for one device. What a thread had as its device, and its last error, are left as found.
class HipApi final : public stream::VendorApi<HipVendor> {
 public:
  using VendorApi::VendorApi;

  /// Reads what the device can do.
  Status Open();

  Status Enter(NativeCurrent* out_before) override;
  void Leave(const NativeCurrent& before) override;

  Status DescribePointer(uint64_t pointer, NativePointerKind* out_kind) override;
  Status Copy(NativeStream stream, NativeAddress target, NativeAddress source, uint64_t length) override;
  Status PrefetchManaged(NativeStream stream, NativeAddress address, uint64_t length) override;

  // In hip_graphs.cpp.
  Status AddLaunch(NativeGraph graph, std::span<const NativeGraphNode> after, const NativeLaunch& launch,
                   NativeGraphNode* out_node) override;
  Status AddCopy(NativeGraph graph, std::span<const NativeGraphNode> after, const NativeCopy& copy,
                 NativeGraphNode* out_node) override;
  Status AddFill(NativeGraph graph, std::span<const NativeGraphNode> after, const NativeFill& fill,
                 NativeGraphNode* out_node) override;
  Status InstantiateGraph(NativeGraph graph, NativeGraphExec* out_exec) override;
  void DestroyGraphExec(NativeGraphExec exec) override;
  Status PatchLaunch(NativeGraphExec exec, NativeGraphNode node, const NativeLaunch& launch) override;
  Status PatchCopy(NativeGraphExec exec, NativeGraphNode node, const NativeCopy& copy) override;
  Status PatchFill(NativeGraphExec exec, NativeGraphNode node, const NativeFill& fill) override;
  Status LaunchGraph(NativeGraphExec exec, NativeStream stream) override;

  // In hip_image.cpp.
  Status RankImage(std::string_view format, std::string_view target, uint32_t* out_rank) override;
  Status LoadModule(std::string_view format, std::span<const std::byte> image, const hal_blob_store_t* blobs,
                    NativeModule* out_module) override;
  void UnloadModule(NativeModule module) override;
  Status FindFunction(NativeModule module, const char* symbol, NativeFunction* out_function) override;
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
