// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HIP graphs, for HipApi.
#include "hip/hip_api.h"

namespace halyard::hip {

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
