// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUDA's names for what CUDA and HIP share; see stream/native/vendor_call.h.
#ifndef HALYARD_DRIVERS_CUDA_CUDA_VENDOR_H_
#define HALYARD_DRIVERS_CUDA_CUDA_VENDOR_H_

#include "cuda/cuda_library.h"
#include "stream/native/nccl_library.h"
#include "stream/native/vendor_call.h"

namespace halyard::cuda {

using namespace stream;  // NOLINT(google-build-using-namespace): what a driver of streams is about

struct CudaVendor {
  using Library = CudaLibrary;
  using Result = CUresult;
  using CaptureMode = CUstreamCaptureMode;
  using PoolProperties = CUmemPoolProps;
  using PoolAccess = CUmemAccessDesc;
  using Uuid = CUuuid;
  using Context = CUcontext;
  using IpcHandle = CUipcMemHandle;
  using LaunchParams = CUDA_KERNEL_NODE_PARAMS;
  using FillParams = CUDA_MEMSET_NODE_PARAMS;

  static constexpr char kDriver[] = "cuda";
  static constexpr char kHidden[] = "CUDA_VISIBLE_DEVICES";
  static HostString FormatUuid(const Uuid& uuid);
  static constexpr CollectiveNames kCollectives = {"NCCL", "HALYARD_NCCL_LIBRARY", "libnccl.so.2"};

  static constexpr Result kSuccess = CUDA_SUCCESS;
  static constexpr Result kNotReady = CUDA_ERROR_NOT_READY;
  static constexpr Result kNotFound = CUDA_ERROR_NOT_FOUND;
  static constexpr Result kIpcOfThisProcess = CUDA_ERROR_INVALID_CONTEXT;
  static constexpr Result kPeerIsEnabled = CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
  static constexpr bool IsForCaptures(Result result) {
    return result >= CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED && result <= CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
  }

  static constexpr CaptureMode kRelaxedCapture = CU_STREAM_CAPTURE_MODE_RELAXED;
  static constexpr auto kNotCaptured = CU_STREAM_CAPTURE_STATUS_NONE;
  static constexpr unsigned int kStreamFlags = CU_STREAM_NON_BLOCKING;
  static constexpr unsigned int kEventWithoutTimes = CU_EVENT_DISABLE_TIMING;
  static constexpr unsigned int kManagedFlags = CU_MEM_ATTACH_GLOBAL;
  static constexpr unsigned int kHostFlags = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP;
  static constexpr unsigned int kRegisterFlags = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP;
  static constexpr auto kPinnedAllocation = CU_MEM_ALLOCATION_TYPE_PINNED;
  static constexpr auto kOnDevice = CU_MEM_LOCATION_TYPE_DEVICE;
  static constexpr auto kReadsAndWrites = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  static constexpr auto kReleaseThreshold = CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
  static constexpr auto kFunctionVolume = CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK;
  static constexpr auto kFunctionLocalMemory = CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES;
  static constexpr auto kFunctionRegisters = CU_FUNC_ATTRIBUTE_NUM_REGS;
  static constexpr auto kFunctionPrivateMemory = CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES;
  static constexpr auto kPeerAtomics = CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED;
  static constexpr bool kFabricHasAtomics = true;  // NVLink has native atomics, and PCI Express has none
  static constexpr auto kPeerRank = CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK;

  static constexpr auto kAttributePools = CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED;
  static constexpr auto kAttributeManaged = CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS;
  static constexpr auto kAttributeUnits = CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
  static constexpr auto kAttributeVolume = CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK;
  static constexpr auto kAttributeLocalMemory = CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;
  static constexpr auto kAttributeIntegrated = CU_DEVICE_ATTRIBUTE_INTEGRATED;
  static constexpr auto kAttributeClock = CU_DEVICE_ATTRIBUTE_CLOCK_RATE;
  static constexpr auto kAttributeSubgroup = CU_DEVICE_ATTRIBUTE_WARP_SIZE;
  static constexpr auto kAttributeL2Cache = CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE;
  static constexpr auto kAttributePciDomain = CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID;
  static constexpr auto kAttributePciBus = CU_DEVICE_ATTRIBUTE_PCI_BUS_ID;
  static constexpr auto kAttributePciDevice = CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID;
  static constexpr CUdevice_attribute kAttributesCount[] = {
      CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z};
  static constexpr CUdevice_attribute kAttributesSize[] = {
      CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z};

  static void SetSizes(const hal_dim3_t& count, const hal_dim3_t& size, LaunchParams* params) {
    params->gridDimX = count.x;
    params->gridDimY = count.y;
    params->gridDimZ = count.z;
    params->blockDimX = size.x;
    params->blockDimY = size.y;
    params->blockDimZ = size.z;
  }

#define HALYARD_CUDA_CALL(operation, name) HALYARD_VENDOR_CALL(operation, CudaFunctions, name)
  HALYARD_CUDA_CALL(DeviceCount, cuDeviceGetCount);
  HALYARD_CUDA_CALL(DeviceName, cuDeviceGetName);
  HALYARD_CUDA_CALL(DeviceUuid, cuDeviceGetUuid_v2);
  HALYARD_CUDA_CALL(DevicePciAddress, cuDeviceGetPCIBusId);
  HALYARD_CUDA_CALL(DeviceAttribute, cuDeviceGetAttribute);
  HALYARD_CUDA_CALL(TotalMemory, cuDeviceTotalMem_v2);
  HALYARD_CUDA_CALL(CanAccessPeer, cuDeviceCanAccessPeer);
  HALYARD_CUDA_CALL(PeerAttribute, cuDeviceGetP2PAttribute);
  HALYARD_CUDA_CALL(ExchangeCaptureMode, cuThreadExchangeStreamCaptureMode);
  HALYARD_CUDA_CALL(IsCapturing, cuStreamIsCapturing);
  HALYARD_CUDA_CALL(CreateStream, cuStreamCreate);
  HALYARD_CUDA_CALL(DestroyStream, cuStreamDestroy_v2);
  HALYARD_CUDA_CALL(SynchronizeStream, cuStreamSynchronize);
  HALYARD_CUDA_CALL(CreateEvent, cuEventCreate);
  HALYARD_CUDA_CALL(DestroyEvent, cuEventDestroy_v2);
  HALYARD_CUDA_CALL(RecordEvent, cuEventRecord);
  HALYARD_CUDA_CALL(WaitEvent, cuStreamWaitEvent);
  HALYARD_CUDA_CALL(QueryEvent, cuEventQuery);
  HALYARD_CUDA_CALL(SynchronizeEvent, cuEventSynchronize);
  HALYARD_CUDA_CALL(EventMilliseconds, cuEventElapsedTime);
  HALYARD_CUDA_CALL(WriteValue, cuStreamWriteValue64_v2);
  HALYARD_CUDA_CALL(LaunchHostFunction, cuLaunchHostFunc);
  HALYARD_CUDA_CALL(MemoryInfo, cuMemGetInfo_v2);
  HALYARD_CUDA_CALL(AllocateDevice, cuMemAlloc_v2);
  HALYARD_CUDA_CALL(AllocateManaged, cuMemAllocManaged);
  HALYARD_CUDA_CALL(FreeDevice, cuMemFree_v2);
  HALYARD_CUDA_CALL(AllocateHost, cuMemHostAlloc);
  HALYARD_CUDA_CALL(FreeHost, cuMemFreeHost);
  HALYARD_CUDA_CALL(RegisterHost, cuMemHostRegister_v2);
  HALYARD_CUDA_CALL(UnregisterHost, cuMemHostUnregister);
  HALYARD_CUDA_CALL(HostAddress, cuMemHostGetDevicePointer_v2);
  HALYARD_CUDA_CALL(AddressRange, cuMemGetAddressRange_v2);
  HALYARD_CUDA_CALL(GetIpc, cuIpcGetMemHandle);
  HALYARD_CUDA_CALL(OpenIpc, cuIpcOpenMemHandle_v2);
  HALYARD_CUDA_CALL(CloseIpc, cuIpcCloseMemHandle);
  HALYARD_CUDA_CALL(CreatePool, cuMemPoolCreate);
  HALYARD_CUDA_CALL(SetPoolAttribute, cuMemPoolSetAttribute);
  HALYARD_CUDA_CALL(DestroyPool, cuMemPoolDestroy);
  HALYARD_CUDA_CALL(TrimPool, cuMemPoolTrimTo);
  HALYARD_CUDA_CALL(AllocateFromPool, cuMemAllocFromPoolAsync);
  HALYARD_CUDA_CALL(FreeToPool, cuMemFreeAsync);
  HALYARD_CUDA_CALL(SetPoolAccess, cuMemPoolSetAccess);
  HALYARD_CUDA_CALL(EnablePeer, cuCtxEnablePeerAccess);
  HALYARD_CUDA_CALL(CopyPeer, cuMemcpyPeerAsync);
  HALYARD_CUDA_CALL(Fill8, cuMemsetD8Async);
  HALYARD_CUDA_CALL(Fill16, cuMemsetD16Async);
  HALYARD_CUDA_CALL(Fill32, cuMemsetD32Async);
  HALYARD_CUDA_CALL(Upload, cuMemcpyHtoDAsync_v2);
  HALYARD_CUDA_CALL(Launch, cuLaunchKernel);
  HALYARD_CUDA_CALL(CreateGraph, cuGraphCreate);
  HALYARD_CUDA_CALL(DestroyGraph, cuGraphDestroy);
  HALYARD_CUDA_CALL(AddJoin, cuGraphAddEmptyNode);
  HALYARD_CUDA_CALL(AddLaunch, cuGraphAddKernelNode_v2);
  HALYARD_CUDA_CALL(AddCopy, cuGraphAddMemcpyNode);
  HALYARD_CUDA_CALL(AddFill, cuGraphAddMemsetNode);
  HALYARD_CUDA_CALL(InstantiateGraph, cuGraphInstantiateWithFlags);
  HALYARD_CUDA_CALL(DestroyGraphExec, cuGraphExecDestroy);
  HALYARD_CUDA_CALL(LaunchGraph, cuGraphLaunch);
  HALYARD_CUDA_CALL(PatchLaunch, cuGraphExecKernelNodeSetParams_v2);
  HALYARD_CUDA_CALL(PatchCopy, cuGraphExecMemcpyNodeSetParams);
  HALYARD_CUDA_CALL(PatchFill, cuGraphExecMemsetNodeSetParams);
  HALYARD_CUDA_CALL(UnloadModule, cuModuleUnload);
  HALYARD_CUDA_CALL(FindFunction, cuModuleGetFunction);
  HALYARD_CUDA_CALL(FindVariable, cuModuleGetGlobal_v2);
  HALYARD_CUDA_CALL(FunctionAttribute, cuFuncGetAttribute);
  HALYARD_CUDA_CALL(CountResident, cuOccupancyMaxActiveBlocksPerMultiprocessor);
#undef HALYARD_CUDA_CALL
};

}  // namespace halyard::cuda

#endif  // HALYARD_DRIVERS_CUDA_CUDA_VENDOR_H_
