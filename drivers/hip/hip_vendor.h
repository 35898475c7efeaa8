// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HIP's names for what CUDA and HIP share; see stream/native/vendor_call.h.
#ifndef HALYARD_DRIVERS_HIP_HIP_VENDOR_H_
#define HALYARD_DRIVERS_HIP_HIP_VENDOR_H_

#include "hip/hip_library.h"
#include "stream/native/nccl_library.h"
#include "stream/native/vendor_call.h"

namespace halyard::hip {

using namespace stream;  // NOLINT(google-build-using-namespace): what a driver of streams is about

struct HipVendor {
  using Library = HipLibrary;
  using Result = hipError_t;
  using CaptureMode = hipStreamCaptureMode;
  using PoolProperties = hipMemPoolProps;
  using PoolAccess = hipMemAccessDesc;
  using Uuid = hipUUID;
  using Context = std::nullptr_t;
  using IpcHandle = hipIpcMemHandle_t;
  using LaunchParams = hipKernelNodeParams;
  using FillParams = hipMemsetParams;

  static constexpr char kDriver[] = "hip";
  static constexpr char kHidden[] = "ROCR_VISIBLE_DEVICES or HIP_VISIBLE_DEVICES";
  static HostString FormatUuid(const Uuid& uuid);
  static constexpr CollectiveNames kCollectives = {"RCCL", "HALYARD_RCCL_LIBRARY", "librccl.so.1"};

  static constexpr Result kSuccess = hipSuccess;
  static constexpr Result kNotReady = hipErrorNotReady;
  static constexpr Result kNotFound = hipErrorNotFound;
  static constexpr Result kIpcOfThisProcess = hipErrorInvalidContext;
  static constexpr Result kPeerIsEnabled = hipErrorPeerAccessAlreadyEnabled;
  static constexpr bool IsForCaptures(Result result) {
    return result >= hipErrorStreamCaptureUnsupported && result <= hipErrorStreamCaptureWrongThread;
  }

  static constexpr CaptureMode kRelaxedCapture = hipStreamCaptureModeRelaxed;
  static constexpr auto kNotCaptured = hipStreamCaptureStatusNone;
  static constexpr unsigned int kStreamFlags = hipStreamNonBlocking;
  static constexpr unsigned int kEventWithoutTimes = hipEventDisableTiming;
  static constexpr unsigned int kManagedFlags = hipMemAttachGlobal;
  static constexpr unsigned int kHostFlags = hipHostMallocPortable | hipHostMallocMapped | hipHostMallocCoherent;
  static constexpr unsigned int kRegisterFlags = hipHostRegisterPortable | hipHostRegisterMapped;
  static constexpr auto kPinnedAllocation = hipMemAllocationTypePinned;
  static constexpr auto kOnDevice = hipMemLocationTypeDevice;
  static constexpr auto kReadsAndWrites = hipMemAccessFlagsProtReadWrite;
  static constexpr auto kReleaseThreshold = hipMemPoolAttrReleaseThreshold;
  static constexpr auto kFunctionVolume = HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK;
  static constexpr auto kFunctionLocalMemory = HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES;
  static constexpr auto kFunctionRegisters = HIP_FUNC_ATTRIBUTE_NUM_REGS;
  static constexpr auto kFunctionPrivateMemory = HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES;
  static constexpr auto kPeerAtomics = hipDevP2PAttrNativeAtomicSupported;
  static constexpr bool kFabricHasAtomics = false;  // PCI Express may have them too
  static constexpr auto kPeerRank = hipDevP2PAttrPerformanceRank;

  static constexpr auto kAttributePools = hipDeviceAttributeMemoryPoolsSupported;
  static constexpr auto kAttributeManaged = hipDeviceAttributeConcurrentManagedAccess;
  static constexpr auto kAttributeUnits = hipDeviceAttributeMultiprocessorCount;
  static constexpr auto kAttributeVolume = hipDeviceAttributeMaxThreadsPerBlock;
  static constexpr auto kAttributeLocalMemory = hipDeviceAttributeMaxSharedMemoryPerBlock;
  static constexpr auto kAttributeIntegrated = hipDeviceAttributeIntegrated;
  static constexpr auto kAttributeClock = hipDeviceAttributeClockRate;
  static constexpr auto kAttributeSubgroup = hipDeviceAttributeWarpSize;
  static constexpr auto kAttributeL2Cache = hipDeviceAttributeL2CacheSize;
  static constexpr auto kAttributePciDomain = hipDeviceAttributePciDomainID;
  static constexpr auto kAttributePciBus = hipDeviceAttributePciBusId;
  static constexpr auto kAttributePciDevice = hipDeviceAttributePciDeviceId;
  static constexpr hipDeviceAttribute_t kAttributesCount[] = {
      hipDeviceAttributeMaxGridDimX, hipDeviceAttributeMaxGridDimY, hipDeviceAttributeMaxGridDimZ};
  static constexpr hipDeviceAttribute_t kAttributesSize[] = {
      hipDeviceAttributeMaxBlockDimX, hipDeviceAttributeMaxBlockDimY, hipDeviceAttributeMaxBlockDimZ};

  static void SetSizes(const hal_dim3_t& count, const hal_dim3_t& size, LaunchParams* params) {
    params->gridDim = {count.x, count.y, count.z};
    params->blockDim = {size.x, size.y, size.z};
  }

#define HALYARD_HIP_CALL(operation, name) HALYARD_VENDOR_CALL(operation, HipFunctions, name)
  HALYARD_HIP_CALL(DeviceCount, hipGetDeviceCount);
  HALYARD_HIP_CALL(DeviceName, hipDeviceGetName);
  HALYARD_HIP_CALL(DeviceUuid, hipDeviceGetUuid);
  HALYARD_HIP_CALL(DevicePciAddress, hipDeviceGetPCIBusId);
  HALYARD_HIP_CALL(DeviceAttribute, hipDeviceGetAttribute);
  HALYARD_HIP_CALL(TotalMemory, hipDeviceTotalMem);
  HALYARD_HIP_CALL(CanAccessPeer, hipDeviceCanAccessPeer);
  HALYARD_HIP_CALL(PeerAttribute, hipDeviceGetP2PAttribute);
  HALYARD_HIP_CALL(ExchangeCaptureMode, hipThreadExchangeStreamCaptureMode);
  HALYARD_HIP_CALL(IsCapturing, hipStreamIsCapturing);
  HALYARD_HIP_CALL(CreateStream, hipStreamCreateWithFlags);
  HALYARD_HIP_CALL(DestroyStream, hipStreamDestroy);
  HALYARD_HIP_CALL(SynchronizeStream, hipStreamSynchronize);
  HALYARD_HIP_CALL(CreateEvent, hipEventCreateWithFlags);
  HALYARD_HIP_CALL(DestroyEvent, hipEventDestroy);
  HALYARD_HIP_CALL(RecordEvent, hipEventRecord);
  HALYARD_HIP_CALL(WaitEvent, hipStreamWaitEvent);
  HALYARD_HIP_CALL(QueryEvent, hipEventQuery);
  HALYARD_HIP_CALL(SynchronizeEvent, hipEventSynchronize);
  HALYARD_HIP_CALL(EventMilliseconds, hipEventElapsedTime);
  HALYARD_HIP_CALL(WriteValue, hipStreamWriteValue64);
  HALYARD_HIP_CALL(LaunchHostFunction, hipLaunchHostFunc);
  HALYARD_HIP_CALL(MemoryInfo, hipMemGetInfo);
  HALYARD_HIP_CALL(AllocateDevice, hipMalloc);
  HALYARD_HIP_CALL(AllocateManaged, hipMallocManaged);
  HALYARD_HIP_CALL(FreeDevice, hipFree);
  HALYARD_HIP_CALL(AllocateHost, hipHostMalloc);
  HALYARD_HIP_CALL(FreeHost, hipHostFree);
  HALYARD_HIP_CALL(RegisterHost, hipHostRegister);
  HALYARD_HIP_CALL(UnregisterHost, hipHostUnregister);
  HALYARD_HIP_CALL(HostAddress, hipHostGetDevicePointer);
  HALYARD_HIP_CALL(AddressRange, hipMemGetAddressRange);
  HALYARD_HIP_CALL(GetIpc, hipIpcGetMemHandle);
  HALYARD_HIP_CALL(OpenIpc, hipIpcOpenMemHandle);
  HALYARD_HIP_CALL(CloseIpc, hipIpcCloseMemHandle);
  HALYARD_HIP_CALL(CreatePool, hipMemPoolCreate);
  HALYARD_HIP_CALL(SetPoolAttribute, hipMemPoolSetAttribute);
  HALYARD_HIP_CALL(DestroyPool, hipMemPoolDestroy);
  HALYARD_HIP_CALL(TrimPool, hipMemPoolTrimTo);
  HALYARD_HIP_CALL(AllocateFromPool, hipMallocFromPoolAsync);
  HALYARD_HIP_CALL(FreeToPool, hipFreeAsync);
  HALYARD_HIP_CALL(SetPoolAccess, hipMemPoolSetAccess);
  HALYARD_HIP_CALL(EnablePeer, hipDeviceEnablePeerAccess);
  HALYARD_HIP_CALL(CopyPeer, hipMemcpyPeerAsync);
  HALYARD_HIP_CALL(Fill8, hipMemsetD8Async);
  HALYARD_HIP_CALL(Fill16, hipMemsetD16Async);
  HALYARD_HIP_CALL(Fill32, hipMemsetD32Async);
  HALYARD_HIP_CALL(Upload, hipMemcpyHtoDAsync);
  HALYARD_HIP_CALL(Launch, hipModuleLaunchKernel);
  HALYARD_HIP_CALL(CreateGraph, hipGraphCreate);
  HALYARD_HIP_CALL(DestroyGraph, hipGraphDestroy);
  HALYARD_HIP_CALL(AddJoin, hipGraphAddEmptyNode);
  HALYARD_HIP_CALL(AddLaunch, hipGraphAddKernelNode);
  HALYARD_HIP_CALL(AddCopy, hipGraphAddMemcpyNode1D);
  HALYARD_HIP_CALL(CopyRows, hipMemcpy3DAsync);
  HALYARD_HIP_CALL(AddCopyRows, hipGraphAddMemcpyNode);
  HALYARD_HIP_CALL(PatchCopyRows, hipGraphExecMemcpyNodeSetParams);
  HALYARD_HIP_CALL(AddFill, hipGraphAddMemsetNode);
  HALYARD_HIP_CALL(InstantiateGraph, hipGraphInstantiate);
  HALYARD_HIP_CALL(DestroyGraphExec, hipGraphExecDestroy);
  HALYARD_HIP_CALL(LaunchGraph, hipGraphLaunch);
  HALYARD_HIP_CALL(PatchLaunch, hipGraphExecKernelNodeSetParams);
  HALYARD_HIP_CALL(PatchCopy, hipGraphExecMemcpyNodeSetParams1D);
  HALYARD_HIP_CALL(PatchFill, hipGraphExecMemsetNodeSetParams);
  HALYARD_HIP_CALL(UnloadModule, hipModuleUnload);
  HALYARD_HIP_CALL(FindFunction, hipModuleGetFunction);
  HALYARD_HIP_CALL(FindVariable, hipModuleGetGlobal);
  HALYARD_HIP_CALL(FunctionAttribute, hipFuncGetAttribute);
  HALYARD_HIP_CALL(CountResident, hipModuleOccupancyMaxActiveBlocksPerMultiprocessor);
#undef HALYARD_HIP_CALL
};

}  // namespace halyard::hip

#endif  // HALYARD_DRIVERS_HIP_HIP_VENDOR_H_
