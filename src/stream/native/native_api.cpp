// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an API answers to calls that it has not.
#include "stream/native/native_api.h"

#include <chrono>
#include <thread>

#include "base/wait_policy.h"

namespace halyard::stream {
namespace {

Status FailWithoutIndirectLaunches() {
  return FailWith(HAL_STATUS_UNIMPLEMENTED, "graphs of this driver hold no indirect launches");
}

Status FailWithoutRows() { return FailWith(HAL_STATUS_UNIMPLEMENTED, "copies of this driver have no strides"); }

}  // namespace

Status AwaitEvent(NativeApi& api, NativeEvent event) {
  Pauses pauses(kPausesForCallers);
  while (true) {
    bool done = false;
    HAL_TRY(TryTwice([&] { return api.QueryEvent(event, &done); }));
    if (done) return kOk;
    HAL_TRY(OutsideVendor(api.gate(), [&] {
      std::this_thread::sleep_for(std::chrono::nanoseconds(pauses.Next()));
      return kOk;
    }));
  }
}

Status NativeApi::CopyRows(NativeStream, const NativeBox&) { return FailWithoutRows(); }

// A device that is opened to another one reaches its memory by address.
Status NativeApi::CopyRowsPeer(NativeStream stream, const NativeBox& copy, const NativeApi&, const NativeApi&) {
  return CopyRows(stream, copy);
}

Status NativeApi::AddCopyRows(NativeGraph, std::span<const NativeGraphNode>, const NativeBox&, NativeGraphNode*) {
  return FailWithoutRows();
}

Status NativeApi::PatchCopyRows(NativeGraphExec, NativeGraphNode, const NativeBox&) { return FailWithoutRows(); }

Status NativeApi::PrepareIndirectLaunches() { return FailWithoutIndirectLaunches(); }

Status NativeApi::AddIndirectLaunch(NativeGraph, std::span<const NativeGraphNode>, const NativeIndirectLaunch&,
                                    NativeIndirectNode*) {
  return FailWithoutIndirectLaunches();
}

Status NativeApi::PatchIndirectLaunch(NativeGraphExec, const NativeIndirectNode&, const NativeIndirectLaunch&) {
  return FailWithoutIndirectLaunches();
}

Status NativeApi::AllowClusters(NativeFunction, uint32_t) {
  return FailWith(HAL_STATUS_UNIMPLEMENTED, "launches of this driver have no clusters");
}

Status NativeApi::EncodeTensorMap(const hal_tensor_map_t&, const TensorShape&, NativeAddress, NativeTensorMap*) {
  return FailWith(HAL_STATUS_UNIMPLEMENTED, "kernels of this driver take no tensor maps");
}

Status NativeApi::UploadGraph(NativeGraphExec, NativeStream) { return FailWithoutIndirectLaunches(); }

namespace {

Status FailNotShared() { return FailWith(HAL_STATUS_UNIMPLEMENTED, "memory of the device leaves by no handle"); }

}  // namespace

Status NativeApi::FindCollectives(const NcclLibrary**) const {
  return FailWith(HAL_STATUS_UNIMPLEMENTED, "there is no library of collectives for the driver");
}

Status NativeApi::AllocateShared(hal_peer_handles_t, uint64_t, NativeShared*) { return FailNotShared(); }
Status NativeApi::ImportShared(const hal_external_memory_t&, NativeShared*) { return FailNotShared(); }
Status NativeApi::ExportShared(const NativeShared&, hal_external_memory_type_t, hal_external_memory_t*) {
  return FailNotShared();
}

}  // namespace halyard::stream
