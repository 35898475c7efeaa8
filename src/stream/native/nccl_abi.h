// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// The part of NCCL that Halyard uses, declared here so that nothing of NVIDIA's is needed to build. RCCL has the same
/// functions under the same names, and HIP's streams where NCCL has CUDA's.
///
/// Every name is the vendor's, in a namespace of ours. tests/abi/nccl_abi_test.cpp compares every declaration with
/// <nccl.h>, where there is one.
#ifndef HALYARD_STREAM_NATIVE_NCCL_ABI_H_
#define HALYARD_STREAM_NATIVE_NCCL_ABI_H_

#include <cstddef>

// NOLINTBEGIN(readability-identifier-naming): the vendor's names
// NOLINTBEGIN(bugprone-macro-parentheses): types, names and lists of parameters take none
namespace halyard::stream::nccl {

using ncclComm_t = struct ncclComm*;
/// A stream of CUDA or HIP.
using ncclStream_t = void*;

struct ncclUniqueId {
  char internal[128];
};

enum ncclResult_t : int {
  ncclSuccess = 0,
  ncclUnhandledCudaError = 1,
  ncclSystemError = 2,
  ncclInternalError = 3,
  ncclInvalidArgument = 4,
  ncclInvalidUsage = 5,
  ncclRemoteError = 6,
  ncclInProgress = 7,
};

enum ncclRedOp_t : int { ncclSum = 0, ncclProd = 1, ncclMax = 2, ncclMin = 3, ncclAvg = 4 };

enum ncclDataType_t : int {
  ncclInt8 = 0,
  ncclUint8 = 1,
  ncclInt32 = 2,
  ncclUint32 = 3,
  ncclInt64 = 4,
  ncclUint64 = 5,
  ncclFloat16 = 6,
  ncclFloat32 = 7,
  ncclFloat64 = 8,
  ncclBfloat16 = 9,
};

enum ncclScalarResidence_t : int { ncclScalarDevice = 0, ncclScalarHostImmediate = 1 };

/// The oldest version that is used: 2.18. The vendor counts 10000 * major + 100 * minor + patch.
inline constexpr int kMinimumNcclVersion = 21800;

/// Every function used: X(name, result, signature).
#define HALYARD_NCCL_FUNCTIONS(X)                                                                                 \
  X(ncclGetVersion, ncclResult_t, (int* version))                                                                 \
  X(ncclGetErrorString, const char*, (ncclResult_t result))                                                       \
  X(ncclGetLastError, const char*, (ncclComm_t comm))                                                             \
  X(ncclGetUniqueId, ncclResult_t, (ncclUniqueId * id))                                                           \
  X(ncclCommInitRank, ncclResult_t, (ncclComm_t * comm, int count, ncclUniqueId id, int rank))                    \
  X(ncclCommDestroy, ncclResult_t, (ncclComm_t comm))                                                             \
  X(ncclCommAbort, ncclResult_t, (ncclComm_t comm))                                                               \
  X(ncclCommGetAsyncError, ncclResult_t, (ncclComm_t comm, ncclResult_t * result))                                \
  X(ncclGroupStart, ncclResult_t, ())                                                                             \
  X(ncclGroupEnd, ncclResult_t, ())                                                                               \
  X(ncclRedOpCreatePreMulSum, ncclResult_t,                                                                       \
    (ncclRedOp_t * reduction, void* scalar, ncclDataType_t type, ncclScalarResidence_t where, ncclComm_t comm))   \
  X(ncclRedOpDestroy, ncclResult_t, (ncclRedOp_t reduction, ncclComm_t comm))                                     \
  X(ncclAllReduce, ncclResult_t,                                                                                  \
    (const void* source, void* target, size_t count, ncclDataType_t type, ncclRedOp_t reduction, ncclComm_t comm, \
     ncclStream_t stream))                                                                                        \
  X(ncclReduce, ncclResult_t,                                                                                     \
    (const void* source, void* target, size_t count, ncclDataType_t type, ncclRedOp_t reduction, int root,        \
     ncclComm_t comm, ncclStream_t stream))                                                                       \
  X(ncclReduceScatter, ncclResult_t,                                                                              \
    (const void* source, void* target, size_t count, ncclDataType_t type, ncclRedOp_t reduction, ncclComm_t comm, \
     ncclStream_t stream))                                                                                        \
  X(ncclBroadcast, ncclResult_t,                                                                                  \
    (const void* source, void* target, size_t count, ncclDataType_t type, int root, ncclComm_t comm,              \
     ncclStream_t stream))                                                                                        \
  X(ncclAllGather, ncclResult_t,                                                                                  \
    (const void* source, void* target, size_t count, ncclDataType_t type, ncclComm_t comm, ncclStream_t stream))  \
  X(ncclSend, ncclResult_t,                                                                                       \
    (const void* source, size_t count, ncclDataType_t type, int peer, ncclComm_t comm, ncclStream_t stream))      \
  X(ncclRecv, ncclResult_t,                                                                                       \
    (void* target, size_t count, ncclDataType_t type, int peer, ncclComm_t comm, ncclStream_t stream))

/// A pointer to each function, named as the function.
struct NcclFunctions {
#define HALYARD_NCCL_POINTER(name, result, signature) result(*name) signature = nullptr;
  HALYARD_NCCL_FUNCTIONS(HALYARD_NCCL_POINTER)
#undef HALYARD_NCCL_POINTER
};

}  // namespace halyard::stream::nccl
// NOLINTEND(bugprone-macro-parentheses)
// NOLINTEND(readability-identifier-naming)

#endif  // HALYARD_STREAM_NATIVE_NCCL_ABI_H_
