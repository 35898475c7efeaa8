// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/copy_params.h"

#include "stream_api/transfers.h"

namespace halyard::hip::abi {
namespace {

bool IsAtCorner(const hipPos& position) { return position.x == 0 && position.y == 0 && position.z == 0; }

}  // namespace

sim::Error ReadCopy(const hipMemcpy3DParms* params, sim::CopyRows* copy) {
  if (params == nullptr || params->srcPtr.ptr == nullptr || params->dstPtr.ptr == nullptr) {
    return sim::Error::kInvalidValue;
  }
  const hipExtent& extent = params->extent;
  if (extent.width == 0 || extent.height == 0 || extent.depth == 0) return sim::Error::kInvalidValue;
  if (params->srcArray != nullptr || params->dstArray != nullptr || !IsAtCorner(params->srcPos) ||
      !IsAtCorner(params->dstPos)) {
    return sim::Error::kNotSupported;
  }
  const hipPitchedPtr& source = params->srcPtr;
  const hipPitchedPtr& target = params->dstPtr;
  *copy = {sim::CopyOf(target.ptr, source.ptr, extent.width, sim::CopyKind::kAny),
           extent.height,
           extent.depth,
           target.pitch,
           target.pitch * target.ysize,
           source.pitch,
           source.pitch * source.ysize};
  return sim::Error::kSuccess;
}

}  // namespace halyard::hip::abi
