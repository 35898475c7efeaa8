// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory pools: allocation and freeing in the order of a stream.
#include "cuda/call.h"
#include "cuda/entry_points.h"
#include "stream_api/pools.h"

namespace halyard::cuda::abi {

CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* props) {
  return Call(__func__, Requires::kInit,
              [&] { return CreatePool(pool, props, props == nullptr ? 0 : props->maxSize); });
}

CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  return Call(__func__, Requires::kInit, [&] { return DestroyPool(pool); });
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
  return Call(__func__, Requires::kInit,
              [&] { return SetPoolAttribute(pool, static_cast<PoolAttribute>(attribute), value); });
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
  return Call(__func__, Requires::kInit,
              [&] { return GetPoolAttribute(pool, static_cast<PoolAttribute>(attribute), value); });
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* accesses, size_t count) {
  return Call(__func__, Requires::kInit, [&] {
    if (accesses == nullptr && count != 0) return Error::kInvalidValue;
    for (size_t i = 0; i < count; ++i) {
      if (accesses[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE) return Error::kInvalidValue;
      const bool accessible = accesses[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
      const Error error = SetPoolAccess(pool, accesses[i].location.id, accessible);
      if (error != Error::kSuccess) return error;
    }
    return Error::kSuccess;
  });
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t bytes_to_keep) {
  return Call(__func__, Requires::kInit, [&] { return TrimPool(pool, bytes_to_keep); });
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr* address, size_t bytes, CUmemoryPool pool, CUstream stream) {
  return Call(__func__, Requires::kContext, [&] { return AllocateFromPool(address, bytes, pool, stream); });
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  return Call(__func__, Requires::kContext, [&] { return FreeToPool(address, stream, "cuMemFreeAsync"); });
}

}  // namespace halyard::cuda::abi
