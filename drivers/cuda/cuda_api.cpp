// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda/cuda_api.h"

#include <cinttypes>

#include "base/process_wide.h"
#include "stream/native/host_registrations.h"

namespace halyard::cuda {
namespace {

CUstream Native(NativeStream handle) { return reinterpret_cast<CUstream>(handle); }
CUevent Native(NativeEvent handle) { return reinterpret_cast<CUevent>(handle); }
CUmemoryPool Native(NativePool handle) { return reinterpret_cast<CUmemoryPool>(handle); }
CUfunction Native(NativeFunction handle) { return reinterpret_cast<CUfunction>(handle); }

// Whether a call was refused because of a capture: that says nothing about what was asked.
bool IsForCaptures(CUresult result) {
  return result >= CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED && result <= CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
}

// Bytes of a kernel's parameters. From CUDA 12.1 on kernels that are compiled for Volta or newer, as PTX 8.1 or newer,
// may have more; which a kernel was compiled as is the compiler's to check.
uint32_t MaxParameterBytes(int driver_version, int compute_capability) {
  return driver_version >= 12010 && compute_capability >= 70 ? 32764 : 4096;
}

}  // namespace

CudaApi::~CudaApi() {
  UnloadCountReader();
  if (!context_) return;
  const CaptureExemption exempt(cuda_);
  static_cast<void>(cuda_.cuDevicePrimaryCtxRelease_v2(device_));
}

Status CudaApi::Open() {
  const CaptureExemption exempt(cuda_);
  HAL_TRY(HALYARD_CUDA(cuda_, cuDevicePrimaryCtxRetain, (&context_, device_)));
  int version = 0;
  HAL_TRY(HALYARD_CUDA(cuda_, cuDriverGetVersion, (&version)));
  SetIndirectTraits(version);
  HAL_TRY(ReadTraits(version));
  return ReadProperties(version);
}

Status CudaApi::ReadAttributes(std::span<const AttributeValue> wanted) const {
  for (const auto& [attribute, value] : wanted) {
    HAL_TRY(HALYARD_CUDA(cuda_, cuDeviceGetAttribute, (value, attribute, device_)));
  }
  return kOk;
}

Status CudaApi::ReadTraits(int version) {
  int major = 0, minor = 0, stream_writes = 0, pools = 0, managed = 0, units = 0, volume = 0, local = 0;
  int count[3] = {};
  int size[3] = {};
  const AttributeValue wanted[] = {{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major},
                                   {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor},
                                   {CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS, &stream_writes},
                                   {CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, &pools},
                                   {CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, &managed},
                                   {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &units},
                                   {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &volume},
                                   {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &local},
                                   {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, &count[0]},
                                   {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, &count[1]},
                                   {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, &count[2]},
                                   {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, &size[0]},
                                   {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, &size[1]},
                                   {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, &size[2]}};
  HAL_TRY(ReadAttributes(wanted));
  size_t total = 0;
  HAL_TRY(HALYARD_CUDA(cuda_, cuDeviceTotalMem_v2, (&total, device_)));
  const auto dim = [](const int* values) {
    return hal_dim3(static_cast<uint32_t>(values[0]), static_cast<uint32_t>(values[1]),
                    static_cast<uint32_t>(values[2]));
  };
  compute_capability_ = 10 * major + minor;
  traits_.stream_writes = stream_writes != 0;
  traits_.memory_pools = pools != 0;
  traits_.managed_memory = managed != 0;
  traits_.total_memory = total;
  traits_.compute_units = static_cast<uint32_t>(units);
  traits_.max_workgroup_count = dim(count);
  traits_.max_workgroup_size = dim(size);
  traits_.max_workgroup_volume = static_cast<uint32_t>(volume);
  traits_.max_local_memory = static_cast<uint32_t>(local);
  traits_.max_constants_size = MaxParameterBytes(version, compute_capability_);
  return kOk;
}

Status CudaApi::Enter(bool* out_entered) {
  *out_entered = false;
  CUcontext current = nullptr;
  HAL_TRY(HALYARD_CUDA(cuda_, cuCtxGetCurrent, (&current)));
  if (current == context_) return kOk;
  HAL_TRY(HALYARD_CUDA(cuda_, cuCtxPushCurrent_v2, (context_)));
  *out_entered = true;
  return kOk;
}

void CudaApi::Leave(bool entered) {
  CUcontext left = nullptr;
  if (entered) static_cast<void>(cuda_.cuCtxPopCurrent_v2(&left));
}

// --- Streams and events ----------------------------------------------------------------------------------------------

Status CudaApi::CreateStream(NativeStream* out_stream) {
  const CaptureExemption exempt(cuda_);
  CUstream made = nullptr;
  HAL_TRY(HALYARD_CUDA(cuda_, cuStreamCreate, (&made, CU_STREAM_NON_BLOCKING)));
  *out_stream = reinterpret_cast<NativeStream>(made);
  return kOk;
}

void CudaApi::DestroyStream(NativeStream stream) {
  const CaptureExemption exempt(cuda_);
  static_cast<void>(cuda_.cuStreamDestroy_v2(Native(stream)));
}

Status CudaApi::SynchronizeStream(NativeStream stream) {
  const CaptureExemption exempt(cuda_);
  return HALYARD_CUDA(cuda_, cuStreamSynchronize, (Native(stream)));
}

Status CudaApi::CreateEvent(NativeEventKind kind, NativeEvent* out_event) {
  CUevent made = nullptr;
  unsigned int flags = CU_EVENT_DISABLE_TIMING;
  if (kind == NativeEventKind::kTimed) flags = CU_EVENT_DEFAULT;
  if (kind == NativeEventKind::kSleep) flags |= CU_EVENT_BLOCKING_SYNC;
  HAL_TRY(HALYARD_CUDA(cuda_, cuEventCreate, (&made, flags)));
  *out_event = reinterpret_cast<NativeEvent>(made);
  return kOk;
}

void CudaApi::DestroyEvent(NativeEvent event) { static_cast<void>(cuda_.cuEventDestroy_v2(Native(event))); }

Status CudaApi::RecordEvent(NativeEvent event, NativeStream stream) {
  return HALYARD_CUDA(cuda_, cuEventRecord, (Native(event), Native(stream)));
}

Status CudaApi::WaitEvent(NativeStream stream, NativeEvent event) {
  return HALYARD_CUDA(cuda_, cuStreamWaitEvent, (Native(stream), Native(event), 0));
}

Status CudaApi::QueryEvent(NativeEvent event, bool* out_done) {
  const CaptureExemption exempt(cuda_);
  const CUresult result = cuda_.cuEventQuery(Native(event));
  *out_done = result == CUDA_SUCCESS;
  if (result == CUDA_ERROR_NOT_READY || IsForCaptures(result)) return kOk;
  return cuda_.Check("cuEventQuery", result);
}

Status CudaApi::SynchronizeEvent(NativeEvent event) {
  const CaptureExemption exempt(cuda_);
  return HALYARD_CUDA(cuda_, cuEventSynchronize, (Native(event)));
}

Status CudaApi::EventMilliseconds(NativeEvent start, NativeEvent end, float* out_milliseconds) {
  const CaptureExemption exempt(cuda_);
  return HALYARD_CUDA(cuda_, cuEventElapsedTime, (out_milliseconds, Native(start), Native(end)));
}

Status CudaApi::WriteValue(NativeStream stream, NativeAddress address, uint64_t value) {
  return HALYARD_CUDA(cuda_, cuStreamWriteValue64_v2, (Native(stream), address, value, 0));
}

Status CudaApi::LaunchHostFunction(NativeStream stream, void (*function)(void*), void* user_data) {
  return HALYARD_CUDA(cuda_, cuLaunchHostFunc, (Native(stream), function, user_data));
}

// --- Memory ----------------------------------------------------------------------------------------------------------

Status CudaApi::AllocateDevice(uint64_t length, NativeAddress* out_address) {
  const CaptureExemption exempt(cuda_);
  CUdeviceptr address = 0;
  HAL_TRY(HALYARD_CUDA(cuda_, cuMemAlloc_v2, (&address, length)));
  *out_address = address;
  return kOk;
}

Status CudaApi::AllocateManaged(uint64_t length, NativeAddress* out_address) {
  const CaptureExemption exempt(cuda_);
  CUdeviceptr address = 0;
  const Status status = HALYARD_CUDA(cuda_, cuMemAllocManaged, (&address, length, CU_MEM_ATTACH_GLOBAL));
  if (status == kOk) *out_address = address;
  return status;
}

void CudaApi::FreeDevice(NativeAddress address) {
  const CaptureExemption exempt(cuda_);
  static_cast<void>(cuda_.cuMemFree_v2(address));
}

Status CudaApi::AllocateHost(uint64_t length, void** out_memory) {
  const CaptureExemption exempt(cuda_);
  const unsigned int flags = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP;
  return HALYARD_CUDA(cuda_, cuMemHostAlloc, (out_memory, length, flags));
}

void CudaApi::FreeHost(void* memory) {
  const CaptureExemption exempt(cuda_);
  static_cast<void>(cuda_.cuMemFreeHost(memory));
}

Status CudaApi::RegisterHost(void* memory, uint64_t length) {
  const CaptureExemption exempt(cuda_);
  const unsigned int flags = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP;
  return HALYARD_CUDA(cuda_, cuMemHostRegister_v2, (memory, length, flags));
}

void CudaApi::UnregisterHost(void* memory) {
  const CaptureExemption exempt(cuda_);
  static_cast<void>(cuda_.cuMemHostUnregister(memory));
}

Status CudaApi::HostAddress(void* memory, NativeAddress* out_address) {
  CUdeviceptr address = 0;
  HAL_TRY(HALYARD_CUDA(cuda_, cuMemHostGetDevicePointer_v2, (&address, memory, 0)));
  *out_address = address;
  return kOk;
}

Status CudaApi::DescribePointer(uint64_t pointer, NativePointerKind* out_kind) {
  int type = 0;
  const CUresult result = cuda_.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pointer);
  *out_kind = NativePointerKind::kUnknown;
  if (result == CUDA_ERROR_INVALID_VALUE || (result == CUDA_SUCCESS && type == 0)) return kOk;
  if (result != CUDA_SUCCESS) return cuda_.Check("cuPointerGetAttribute", result);
  int managed = 0;
  int owner = device_;
  Status status = HALYARD_CUDA(cuda_, cuPointerGetAttribute, (&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, pointer));
  if (status == kOk) {
    status = HALYARD_CUDA(cuda_, cuPointerGetAttribute, (&owner, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, pointer));
  }
  if (status != kOk) return status;
  if (static_cast<CUmemorytype>(type) == CU_MEMORYTYPE_HOST) {
    *out_kind = NativePointerKind::kHost;
  } else {
    *out_kind = managed != 0 || owner == device_ ? NativePointerKind::kDevice : NativePointerKind::kForeign;
  }
  return kOk;
}

HostRegistrations& CudaApi::registrations() { return ProcessWide<HostRegistrations>::Get(); }

Status CudaApi::CreatePool(uint64_t keep, NativePool* out_pool) {
  const CaptureExemption exempt(cuda_);
  CUmemPoolProps props{};
  props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  props.location = {CU_MEM_LOCATION_TYPE_DEVICE, device_};
  CUmemoryPool pool = nullptr;
  HAL_TRY(HALYARD_CUDA(cuda_, cuMemPoolCreate, (&pool, &props)));
  const Status status = HALYARD_CUDA(cuda_, cuMemPoolSetAttribute, (pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep));
  if (status != kOk) {
    static_cast<void>(cuda_.cuMemPoolDestroy(pool));
    return status;
  }
  *out_pool = reinterpret_cast<NativePool>(pool);
  return kOk;
}

void CudaApi::DestroyPool(NativePool pool) {
  const CaptureExemption exempt(cuda_);
  static_cast<void>(cuda_.cuMemPoolDestroy(Native(pool)));
}

Status CudaApi::TrimPool(NativePool pool) {
  const CaptureExemption exempt(cuda_);
  return HALYARD_CUDA(cuda_, cuMemPoolTrimTo, (Native(pool), 0));
}

Status CudaApi::AllocateFromPool(NativePool pool, uint64_t length, NativeStream stream, NativeAddress* out_address) {
  const CaptureExemption exempt(cuda_);
  CUdeviceptr address = 0;
  const Status status = HALYARD_CUDA(cuda_, cuMemAllocFromPoolAsync, (&address, length, Native(pool), Native(stream)));
  if (status == kOk) *out_address = address;
  return status;
}

Status CudaApi::FreeToPool(NativeAddress address, NativeStream stream) {
  const CaptureExemption exempt(cuda_);
  return HALYARD_CUDA(cuda_, cuMemFreeAsync, (address, Native(stream)));
}

// --- Work ------------------------------------------------------------------------------------------------------------

Status CudaApi::Fill(NativeStream stream, NativeAddress target, uint32_t pattern, uint32_t size, uint64_t count) {
  switch (size) {
    case 1:
      return HALYARD_CUDA(cuda_, cuMemsetD8Async, (target, static_cast<unsigned char>(pattern), count, Native(stream)));
    case 2:
      return HALYARD_CUDA(cuda_, cuMemsetD16Async,
                          (target, static_cast<unsigned short>(pattern), count, Native(stream)));
    default:
      return HALYARD_CUDA(cuda_, cuMemsetD32Async, (target, pattern, count, Native(stream)));
  }
}

Status CudaApi::Copy(NativeStream stream, NativeAddress target, NativeAddress source, uint64_t length) {
  return HALYARD_CUDA(cuda_, cuMemcpyAsync, (target, source, length, Native(stream)));
}

Status CudaApi::Upload(NativeStream stream, NativeAddress target, const void* data, uint64_t length) {
  return HALYARD_CUDA(cuda_, cuMemcpyHtoDAsync_v2, (target, data, length, Native(stream)));
}

Status CudaApi::PrefetchManaged(NativeStream stream, NativeAddress address, uint64_t length) {
  if (!cuda_.cuMemPrefetchAsync_v2) {
    return HALYARD_CUDA(cuda_, cuMemPrefetchAsync, (address, length, device_, Native(stream)));
  }
  const CUmemLocation here = {CU_MEM_LOCATION_TYPE_DEVICE, device_};
  return HALYARD_CUDA(cuda_, cuMemPrefetchAsync_v2, (address, length, here, 0, Native(stream)));
}

Status CudaApi::Launch(NativeStream stream, const NativeLaunch& launch) {
  const hal_dim3_t& count = launch.workgroup_count;
  const hal_dim3_t& size = launch.workgroup_size;
  return HALYARD_CUDA(cuda_, cuLaunchKernel,
                      (Native(launch.function), count.x, count.y, count.z, size.x, size.y, size.z,
                       launch.dynamic_local_memory, Native(stream), launch.parameters, nullptr));
}

}  // namespace halyard::cuda
