// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares every declaration of cuda_abi.h with the vendor's headers, while compiling; and every exported name with the
// Toolkit's stand-in for the driver library, while running.
#include "cuda/abi/cuda_abi.h"

#include <type_traits>

namespace cu = halyard::cuda::abi;

// What the vendor has as macros: ours are read here, before those replace the names.
#define MACROS(X)                          \
  X(CU_MEMHOSTALLOC_PORTABLE)              \
  X(CU_MEMHOSTALLOC_DEVICEMAP)             \
  X(CU_MEMHOSTREGISTER_PORTABLE)           \
  X(CU_MEMHOSTREGISTER_DEVICEMAP)          \
  X(CU_DEVICE_CPU)                         \
  X(CU_LAUNCH_PARAM_END_AS_INT)            \
  X(CU_LAUNCH_PARAM_BUFFER_POINTER_AS_INT) \
  X(CU_LAUNCH_PARAM_BUFFER_SIZE_AS_INT)
#define READ_MACRO(name) constexpr auto kOur##name = cu::name;
MACROS(READ_MACRO)

#include <cuda.h>
#include <cudaTypedefs.h>
#include <dlfcn.h>
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "abi/vendor_types.h"
#include "stream/native/vendor_results.h"

// Constants. Those of enumerations stand in the lists of cuda_abi.h, so none can be left out here.
#define SAME_MACRO(name) static_assert(kOur##name == (name), #name " has a different value");
MACROS(SAME_MACRO)

#define SAME_VALUE(name, value) static_assert((value) == ::name, #name " has a different value");
#if CUDA_VERSION >= 13000
#define SAME_NEW_VALUE(name, value) SAME_VALUE(name, value)
#else
#define SAME_NEW_VALUE(name, value)
#endif
#define SAME_ENUM(type) HALYARD_##type(SAME_VALUE, SAME_NEW_VALUE) HALYARD_SAME_TYPE(cu, type)

SAME_ENUM(CUresult);
#define SAME_RESULT(hip, name, value, status) SAME_VALUE(name, value)
HALYARD_VENDOR_RESULTS(SAME_RESULT)
SAME_ENUM(CUdevice_attribute);
SAME_ENUM(CUdevice_P2PAttribute);
SAME_ENUM(CUctx_flags);
SAME_ENUM(CUdriverProcAddressQueryResult);
SAME_ENUM(CUdriverProcAddress_flags);
SAME_ENUM(CUstream_flags);
SAME_ENUM(CUstreamCaptureStatus);
SAME_ENUM(CUstreamCaptureMode);
SAME_ENUM(CUevent_flags);
SAME_ENUM(CUstreamWaitValue_flags);
SAME_ENUM(CUstreamWriteValue_flags);
SAME_ENUM(CUstreamBatchMemOpType);
SAME_ENUM(CUmemorytype);
SAME_ENUM(CUpointer_attribute);
SAME_ENUM(CUmem_advise);
SAME_ENUM(CUmemAttach_flags);
SAME_ENUM(CUmemLocationType);
SAME_ENUM(CUmemAllocationType);
SAME_ENUM(CUipcMem_flags);
SAME_ENUM(CUmemAllocationHandleType);
SAME_ENUM(CUmemAllocationGranularity_flags);
SAME_ENUM(CUmemAccess_flags);
SAME_ENUM(CUmemPool_attribute);
SAME_ENUM(CUjit_option);
SAME_ENUM(CUjitInputType);
SAME_ENUM(CUfunction_attribute);
SAME_ENUM(CUlaunchAttributeID);
SAME_ENUM(CUtensorMapDataType);
SAME_ENUM(CUtensorMapInterleave);
SAME_ENUM(CUtensorMapSwizzle);
SAME_ENUM(CUtensorMapL2promotion);
SAME_ENUM(CUtensorMapFloatOOBfill);
SAME_ENUM(CUgraphNodeType);
SAME_ENUM(CUgraphInstantiate_flags);

// Handles.
HALYARD_SAME_HANDLE(cu, CUcontext);
HALYARD_SAME_HANDLE(cu, CUmodule);
HALYARD_SAME_HANDLE(cu, CUlinkState);
HALYARD_SAME_HANDLE(cu, CUfunction);
HALYARD_SAME_HANDLE(cu, CUkernel);
HALYARD_SAME_HANDLE(cu, CUarray);
HALYARD_SAME_HANDLE(cu, CUevent);
HALYARD_SAME_HANDLE(cu, CUstream);
HALYARD_SAME_HANDLE(cu, CUmemoryPool);
HALYARD_SAME_HANDLE(cu, CUgraph);
HALYARD_SAME_HANDLE(cu, CUgraphNode);
HALYARD_SAME_HANDLE(cu, CUgraphExec);
static_assert(std::is_same_v<cu::CUdevice, CUdevice> && std::is_same_v<cu::CUdeviceptr, CUdeviceptr>);
static_assert(std::is_same_v<cu::CUhostFn, CUhostFn>);

// Structs.
HALYARD_SAME_STRUCT(cu, CUuuid, bytes);
HALYARD_SAME_STRUCT(cu, CUipcMemHandle, reserved);
#if CUDA_VERSION >= 13000
HALYARD_SAME_STRUCT(cu, CUmemFabricHandle, data);
#endif
HALYARD_SAME_STRUCT(cu, CUstreamBatchMemOpParams, operation, waitValue.operation, waitValue.address, waitValue.value,
                    waitValue.value64, waitValue.flags, waitValue.alias, writeValue.operation, writeValue.address,
                    writeValue.value, writeValue.value64, writeValue.flags, writeValue.alias, flushRemoteWrites.flags,
                    memoryBarrier.flags, pad);
HALYARD_SAME_STRUCT(cu, CUmemLocation, type, id);
HALYARD_SAME_STRUCT(cu, CUmemPoolProps, allocType, handleTypes, location, win32SecurityAttributes);
#if CUDA_VERSION >= 13000  // what was reserved before
HALYARD_SAME_MEMBERS(cu, CUmemPoolProps, maxSize, usage, reserved);
#endif
HALYARD_SAME_STRUCT(cu, CUmemAccessDesc, location, flags);
HALYARD_SAME_STRUCT(cu, CUmemAllocationProp, type, requestedHandleTypes, location, win32HandleMetaData,
                    allocFlags.compressionType, allocFlags.gpuDirectRDMACapable, allocFlags.usage, allocFlags.reserved);
HALYARD_SAME_STRUCT(cu, CUDA_MEMCPY3D, srcXInBytes, srcY, srcZ, srcLOD, srcMemoryType, srcHost, srcDevice, srcArray,
                    reserved0, srcPitch, srcHeight, dstXInBytes, dstY, dstZ, dstLOD, dstMemoryType, dstHost, dstDevice,
                    dstArray, reserved1, dstPitch, dstHeight, WidthInBytes, Height, Depth);
HALYARD_SAME_STRUCT(cu, CUDA_MEMCPY3D_PEER, srcXInBytes, srcY, srcZ, srcLOD, srcMemoryType, srcHost, srcDevice,
                    srcArray, srcContext, srcPitch, srcHeight, dstXInBytes, dstY, dstZ, dstLOD, dstMemoryType, dstHost,
                    dstDevice, dstArray, dstContext, dstPitch, dstHeight, WidthInBytes, Height, Depth);
HALYARD_SAME_STRUCT(cu, CUlaunchAttributeValue, pad, cooperative, clusterDim.x, clusterDim.y, clusterDim.z,
                    programmaticStreamSerializationAllowed, priority);
#if CUDA_VERSION >= 12040
HALYARD_SAME_HANDLE(cu, CUgraphDeviceNode);
HALYARD_SAME_MEMBERS(cu, CUlaunchAttributeValue, deviceUpdatableKernelNode.deviceUpdatable,
                     deviceUpdatableKernelNode.devNode);
#endif
HALYARD_SAME_STRUCT(cu, CUlaunchAttribute, id, pad, value);
HALYARD_SAME_STRUCT(cu, CUlaunchConfig, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes,
                    hStream, attrs, numAttrs);
#if CUDA_VERSION >= 13000
HALYARD_SAME_STRUCT(cu, CUtensorMap, opaque);
#else  // aligned to 64 bytes only
static_assert(sizeof(cu::CUtensorMap) == sizeof(::CUtensorMap) && alignof(cu::CUtensorMap) >= alignof(::CUtensorMap));
HALYARD_SAME_MEMBERS(cu, CUtensorMap, opaque);
#endif
HALYARD_SAME_STRUCT(cu, CUDA_KERNEL_NODE_PARAMS, func, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ,
                    sharedMemBytes, kernelParams, extra, kern, ctx);
HALYARD_SAME_STRUCT(cu, CUDA_MEMSET_NODE_PARAMS, dst, pitch, value, elementSize, width, height);
HALYARD_SAME_STRUCT(cu, CUDA_HOST_NODE_PARAMS, fn, userData);

// Functions. The vendor's PFN_ types carry the version that brought each signature, which is what our table names.
#if CUDA_VERSION >= 12040
#define COMPARED(version) true
#else
#define COMPARED(version) ((version) <= CUDA_VERSION)
using PFN_cuFuncGetParamInfo_v12040 = void*;
#if CUDA_VERSION < 12020
using PFN_cuMemPrefetchAsync_v12020 = void*;
using PFN_cuMemAdvise_v12020 = void*;
#endif
#endif
#define SAME_FUNCTION(base, suffix, version, need, signature)                                                    \
  static_assert(                                                                                                 \
      !COMPARED(version) ||                                                                                      \
          std::is_same_v<halyard::abi_test::VendorType<cu::PFN_##base##_v##version>, ::PFN_##base##_v##version>, \
      #base #suffix " has a different signature");                                                               \
  static_assert((version) <= cu::kMinimumDriverVersion || cu::Need::need == cu::Need::kOptional,                 \
                #base #suffix " is newer than the oldest driver");
HALYARD_CUDA_FUNCTIONS(SAME_FUNCTION)

namespace {

using ::testing::IsEmpty;

TEST(CudaAbiTest, LibraryExportsEverySymbol) {
  void* library = dlopen(HALYARD_CUDA_STUB, RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) GTEST_SKIP() << "the Toolkit's stand-in for libcuda.so is not here: " << dlerror();
  std::vector<std::string> missing;
  for (const cu::FunctionInfo& function : cu::kFunctions) {
    if (dlsym(library, function.symbol) == nullptr) missing.emplace_back(function.symbol);
  }
  dlclose(library);
  EXPECT_THAT(missing, IsEmpty());
}

}  // namespace
