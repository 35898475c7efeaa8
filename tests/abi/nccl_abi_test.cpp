// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares every declaration of nccl_abi.h with the vendor's header, while compiling.
#include "stream/native/nccl_abi.h"

#include <nccl.h>

#include <type_traits>

#include "abi/vendor_types.h"

namespace ours = halyard::stream::nccl;

HALYARD_SAME_TYPE(ours, ncclUniqueId);
HALYARD_SAME_TYPE(ours, ncclResult_t);
HALYARD_SAME_TYPE(ours, ncclRedOp_t);
HALYARD_SAME_TYPE(ours, ncclDataType_t);
HALYARD_SAME_TYPE(ours, ncclScalarResidence_t);
HALYARD_SAME_HANDLE(ours, ncclComm_t);

#define SAME_VALUE(name) \
  static_assert(static_cast<int>(ours::name) == static_cast<int>(::name), #name " has a different value");
SAME_VALUE(ncclSuccess)
SAME_VALUE(ncclUnhandledCudaError)
SAME_VALUE(ncclSystemError)
SAME_VALUE(ncclInternalError)
SAME_VALUE(ncclInvalidArgument)
SAME_VALUE(ncclInvalidUsage)
SAME_VALUE(ncclRemoteError)
SAME_VALUE(ncclInProgress)
SAME_VALUE(ncclSum)
SAME_VALUE(ncclProd)
SAME_VALUE(ncclMax)
SAME_VALUE(ncclMin)
SAME_VALUE(ncclAvg)
SAME_VALUE(ncclInt8)
SAME_VALUE(ncclUint8)
SAME_VALUE(ncclInt32)
SAME_VALUE(ncclUint32)
SAME_VALUE(ncclInt64)
SAME_VALUE(ncclUint64)
SAME_VALUE(ncclFloat16)
SAME_VALUE(ncclFloat32)
SAME_VALUE(ncclFloat64)
SAME_VALUE(ncclBfloat16)
SAME_VALUE(ncclScalarDevice)
SAME_VALUE(ncclScalarHostImmediate)

// A stream is void* in ours, as NCCL's and RCCL's differ. So the vendor's function is compared with the stream
// replaced.
template <class T>
struct WithoutStream {
  using type = T;
};
template <>
struct WithoutStream<cudaStream_t> {
  using type = void*;
};
template <class Result, class... Arguments>
struct WithoutStream<Result(Arguments...)> {
  using type = Result(typename WithoutStream<Arguments>::type...);
};
#define SAME_FUNCTION(name, result, signature)                                                                  \
  static_assert(                                                                                                \
      std::is_same_v<halyard::abi_test::VendorType<std::remove_pointer_t<decltype(ours::NcclFunctions::name)>>, \
                     WithoutStream<decltype(::name)>::type>,                                                    \
      #name " has a different signature");
HALYARD_NCCL_FUNCTIONS(SAME_FUNCTION)

#if NCCL_VERSION_CODE < 21800
#error "a header of NCCL 2.18 or newer is needed"
#endif
