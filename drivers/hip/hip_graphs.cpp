// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HIP graphs, and copies as they describe them, for HipApi.
#include "hip/hip_api.h"

namespace halyard::hip {
namespace {

// A slice pitch is a number of rows.
hipPitchedPtr Pitched(NativeAddress address, const CopyBox& box, const CopyPitch& pitch) {
  const size_t rows = box.depth > 1 ? pitch.slice / pitch.row : box.height;
  return {reinterpret_cast<void*>(address), pitch.row, box.width, rows};
}

hipMemcpy3DParms Params(const NativeBox& copy) {
  const CopyBox& box = copy.box;
  hipMemcpy3DParms params{};
  params.srcPtr = Pitched(copy.source, box, box.source);
  params.dstPtr = Pitched(copy.target, box, box.target);
  params.extent = {box.width, box.height, box.depth};
  params.kind = hipMemcpyDefault;
  return params;
}

}  // namespace

Status HipApi::CopyRows(NativeStream stream, const NativeBox& copy) {
  const hipMemcpy3DParms params = Params(copy);
  return Call(HipVendor::kCopyRows, &params, stream);
}

Status HipApi::AddCopyRows(NativeGraph graph, std::span<const NativeGraphNode> after, const NativeBox& copy,
                           NativeGraphNode* out_node) {
  const hipMemcpy3DParms params = Params(copy);
  return Call(HipVendor::kAddCopyRows, out_node, graph, after.data(), after.size(), &params);
}

Status HipApi::PatchCopyRows(NativeGraphExec exec, NativeGraphNode node, const NativeBox& copy) {
  hipMemcpy3DParms params = Params(copy);
  return Call(HipVendor::kPatchCopyRows, exec, node, &params);
}

Status HipApi::AddCopy(NativeGraph graph, std::span<const NativeGraphNode> after, const NativeCopy& copy,
                       NativeGraphNode* out_node) {
  return Call(HipVendor::kAddCopy, out_node, graph, after.data(), after.size(), copy.target, copy.source, copy.length,
              hipMemcpyDefault);
}

Status HipApi::InstantiateGraph(NativeGraph graph, NativeGraphExec* out_exec) {
  return ExemptCall(HipVendor::kInstantiateGraph, out_exec, graph, nullptr, nullptr, 0);
}

Status HipApi::PatchCopy(NativeGraphExec exec, NativeGraphNode node, const NativeCopy& copy) {
  return Call(HipVendor::kPatchCopy, exec, node, copy.target, copy.source, copy.length, hipMemcpyDefault);
}

}  // namespace halyard::hip
