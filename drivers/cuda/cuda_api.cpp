// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda/cuda_api.h"

#include <cinttypes>

#include "base/process_wide.h"
#include "stream/native/host_registrations.h"

namespace halyard::cuda {
namespace {

using stream::NativeAddress;
using stream::NativeEvent;
using stream::NativePointerKind;
using stream::NativePool;
using stream::NativeStream;

abi::Stream Native(NativeStream handle) { return reinterpret_cast<abi::Stream>(handle); }
abi::Event Native(NativeEvent handle) { return reinterpret_cast<abi::Event>(handle); }
abi::MemPool Native(NativePool handle) { return reinterpret_cast<abi::MemPool>(handle); }
abi::Function Native(stream::NativeFunction handle) { return reinterpret_cast<abi::Function>(handle); }

// Whether a call was refused because of a capture: that says nothing about what was asked.
bool IsForCaptures(abi::Result result) {
  return result >= abi::Result::kErrorStreamCaptureUnsupported && result <= abi::Result::kErrorStreamCaptureWrongThread;
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
  static_cast<void>(cuda_.DevicePrimaryCtxRelease(device_));
}

Status CudaApi::Open() {
  const CaptureExemption exempt(cuda_);
  if (Status status = HALYARD_CUDA(cuda_, DevicePrimaryCtxRetain, (&context_, device_)); status != kOk) return status;
  int version = 0;
  if (Status status = HALYARD_CUDA(cuda_, DriverGetVersion, (&version)); status != kOk) return status;
  SetIndirectTraits(version);
  if (Status status = ReadTraits(version); status != kOk) return status;
  return ReadProperties(version);
}

Status CudaApi::ReadAttributes(std::span<const AttributeValue> wanted) const {
  for (const auto& [attribute, value] : wanted) {
    if (Status status = HALYARD_CUDA(cuda_, DeviceGetAttribute, (value, attribute, device_)); status != kOk) {
      return status;
    }
  }
  return kOk;
}

Status CudaApi::ReadTraits(int version) {
  using A = abi::DeviceAttribute;
  int major = 0, minor = 0, stream_writes = 0, pools = 0, managed = 0, units = 0, volume = 0, local = 0;
  int count[3] = {};
  int size[3] = {};
  const AttributeValue wanted[] = {{A::kComputeCapabilityMajor, &major},
                                   {A::kComputeCapabilityMinor, &minor},
                                   {A::kCanUse64BitStreamMemOps, &stream_writes},
                                   {A::kMemoryPoolsSupported, &pools},
                                   {A::kConcurrentManagedAccess, &managed},
                                   {A::kMultiprocessorCount, &units},
                                   {A::kMaxThreadsPerBlock, &volume},
                                   {A::kMaxSharedMemoryPerBlockOptin, &local},
                                   {A::kMaxGridDimX, &count[0]},
                                   {A::kMaxGridDimY, &count[1]},
                                   {A::kMaxGridDimZ, &count[2]},
                                   {A::kMaxBlockDimX, &size[0]},
                                   {A::kMaxBlockDimY, &size[1]},
                                   {A::kMaxBlockDimZ, &size[2]}};
  if (Status status = ReadAttributes(wanted); status != kOk) return status;
  size_t total = 0;
  if (Status status = HALYARD_CUDA(cuda_, DeviceTotalMem, (&total, device_)); status != kOk) return status;
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
  abi::Context current = nullptr;
  if (Status status = HALYARD_CUDA(cuda_, CtxGetCurrent, (&current)); status != kOk) return status;
  if (current == context_) return kOk;
  if (Status status = HALYARD_CUDA(cuda_, CtxPushCurrent, (context_)); status != kOk) return status;
  *out_entered = true;
  return kOk;
}

void CudaApi::Leave(bool entered) {
  abi::Context left = nullptr;
  if (entered) static_cast<void>(cuda_.CtxPopCurrent(&left));
}

// --- Streams and events ----------------------------------------------------------------------------------------------

Status CudaApi::CreateStream(NativeStream* out_stream) {
  const CaptureExemption exempt(cuda_);
  abi::Stream made = nullptr;
  const auto flags = static_cast<unsigned int>(abi::StreamFlags::kNonBlocking);
  if (Status status = HALYARD_CUDA(cuda_, StreamCreate, (&made, flags)); status != kOk) return status;
  *out_stream = reinterpret_cast<NativeStream>(made);
  return kOk;
}

void CudaApi::DestroyStream(NativeStream stream) {
  const CaptureExemption exempt(cuda_);
  static_cast<void>(cuda_.StreamDestroy(Native(stream)));
}

Status CudaApi::SynchronizeStream(NativeStream stream) {
  const CaptureExemption exempt(cuda_);
  return HALYARD_CUDA(cuda_, StreamSynchronize, (Native(stream)));
}

Status CudaApi::CreateEvent(stream::NativeEventKind kind, NativeEvent* out_event) {
  abi::Event made = nullptr;
  auto flags = static_cast<unsigned int>(abi::EventFlags::kDisableTiming);
  if (kind == stream::NativeEventKind::kTimed) flags = static_cast<unsigned int>(abi::EventFlags::kDefault);
  if (kind == stream::NativeEventKind::kSleep) flags |= static_cast<unsigned int>(abi::EventFlags::kBlockingSync);
  if (Status status = HALYARD_CUDA(cuda_, EventCreate, (&made, flags)); status != kOk) return status;
  *out_event = reinterpret_cast<NativeEvent>(made);
  return kOk;
}

void CudaApi::DestroyEvent(NativeEvent event) { static_cast<void>(cuda_.EventDestroy(Native(event))); }

Status CudaApi::RecordEvent(NativeEvent event, NativeStream stream) {
  return HALYARD_CUDA(cuda_, EventRecord, (Native(event), Native(stream)));
}

Status CudaApi::WaitEvent(NativeStream stream, NativeEvent event) {
  return HALYARD_CUDA(cuda_, StreamWaitEvent, (Native(stream), Native(event), 0));
}

Status CudaApi::QueryEvent(NativeEvent event, bool* out_done) {
  const CaptureExemption exempt(cuda_);
  const abi::Result result = cuda_.EventQuery(Native(event));
  *out_done = result == abi::Result::kSuccess;
  if (result == abi::Result::kErrorNotReady || IsForCaptures(result)) return kOk;
  return cuda_.Check("EventQuery", result);
}

Status CudaApi::SynchronizeEvent(NativeEvent event) {
  const CaptureExemption exempt(cuda_);
  return HALYARD_CUDA(cuda_, EventSynchronize, (Native(event)));
}

Status CudaApi::EventMilliseconds(NativeEvent start, NativeEvent end, float* out_milliseconds) {
  const CaptureExemption exempt(cuda_);
  return HALYARD_CUDA(cuda_, EventElapsedTime, (out_milliseconds, Native(start), Native(end)));
}

Status CudaApi::WriteValue(NativeStream stream, NativeAddress address, uint64_t value) {
  return HALYARD_CUDA(cuda_, StreamWriteValue64, (Native(stream), address, value, 0));
}

Status CudaApi::LaunchHostFunction(NativeStream stream, void (*function)(void*), void* user_data) {
  return HALYARD_CUDA(cuda_, LaunchHostFunc, (Native(stream), function, user_data));
}

// --- Memory ----------------------------------------------------------------------------------------------------------

Status CudaApi::AllocateDevice(uint64_t length, NativeAddress* out_address) {
  const CaptureExemption exempt(cuda_);
  abi::DevicePtr address = 0;
  if (Status status = HALYARD_CUDA(cuda_, MemAlloc, (&address, length)); status != kOk) return status;
  *out_address = address;
  return kOk;
}

Status CudaApi::AllocateManaged(uint64_t length, NativeAddress* out_address) {
  const CaptureExemption exempt(cuda_);
  abi::DevicePtr address = 0;
  const auto flags = static_cast<unsigned int>(abi::MemAttachFlags::kGlobal);
  if (Status status = HALYARD_CUDA(cuda_, MemAllocManaged, (&address, length, flags)); status != kOk) return status;
  *out_address = address;
  return kOk;
}

void CudaApi::FreeDevice(NativeAddress address) {
  const CaptureExemption exempt(cuda_);
  static_cast<void>(cuda_.MemFree(address));
}

Status CudaApi::AllocateHost(uint64_t length, void** out_memory) {
  const CaptureExemption exempt(cuda_);
  const unsigned int flags = abi::kMemHostAllocPortable | abi::kMemHostAllocDeviceMap;
  return HALYARD_CUDA(cuda_, MemHostAlloc, (out_memory, length, flags));
}

void CudaApi::FreeHost(void* memory) {
  const CaptureExemption exempt(cuda_);
  static_cast<void>(cuda_.MemFreeHost(memory));
}

Status CudaApi::RegisterHost(void* memory, uint64_t length) {
  const CaptureExemption exempt(cuda_);
  const unsigned int flags = abi::kMemHostRegisterPortable | abi::kMemHostRegisterDeviceMap;
  return HALYARD_CUDA(cuda_, MemHostRegister, (memory, length, flags));
}

void CudaApi::UnregisterHost(void* memory) {
  const CaptureExemption exempt(cuda_);
  static_cast<void>(cuda_.MemHostUnregister(memory));
}

Status CudaApi::HostAddress(void* memory, NativeAddress* out_address) {
  abi::DevicePtr address = 0;
  if (Status status = HALYARD_CUDA(cuda_, MemHostGetDevicePointer, (&address, memory, 0)); status != kOk) return status;
  *out_address = address;
  return kOk;
}

Status CudaApi::DescribePointer(uint64_t pointer, NativePointerKind* out_kind) {
  int type = 0;
  const abi::Result result = cuda_.PointerGetAttribute(&type, abi::PointerAttribute::kMemoryType, pointer);
  *out_kind = NativePointerKind::kUnknown;
  if (result == abi::Result::kErrorInvalidValue || (result == abi::Result::kSuccess && type == 0)) return kOk;
  if (result != abi::Result::kSuccess) return cuda_.Check("PointerGetAttribute", result);
  int managed = 0;
  int owner = device_;
  Status status = HALYARD_CUDA(cuda_, PointerGetAttribute, (&managed, abi::PointerAttribute::kIsManaged, pointer));
  if (status == kOk) {
    status = HALYARD_CUDA(cuda_, PointerGetAttribute, (&owner, abi::PointerAttribute::kDeviceOrdinal, pointer));
  }
  if (status != kOk) return status;
  if (static_cast<abi::MemoryType>(type) == abi::MemoryType::kHost) {
    *out_kind = NativePointerKind::kHost;
  } else {
    *out_kind = managed != 0 || owner == device_ ? NativePointerKind::kDevice : NativePointerKind::kForeign;
  }
  return kOk;
}

stream::HostRegistrations& CudaApi::registrations() { return ProcessWide<stream::HostRegistrations>::Get(); }

Status CudaApi::CreatePool(uint64_t keep, NativePool* out_pool) {
  const CaptureExemption exempt(cuda_);
  abi::MemPoolProps props{};
  props.alloc_type = abi::MemAllocationType::kPinned;
  props.location = {abi::MemLocationType::kDevice, device_};
  abi::MemPool pool = nullptr;
  if (Status status = HALYARD_CUDA(cuda_, MemPoolCreate, (&pool, &props)); status != kOk) return status;
  const Status status =
      HALYARD_CUDA(cuda_, MemPoolSetAttribute, (pool, abi::MemPoolAttribute::kReleaseThreshold, &keep));
  if (status != kOk) {
    static_cast<void>(cuda_.MemPoolDestroy(pool));
    return status;
  }
  *out_pool = reinterpret_cast<NativePool>(pool);
  return kOk;
}

void CudaApi::DestroyPool(NativePool pool) {
  const CaptureExemption exempt(cuda_);
  static_cast<void>(cuda_.MemPoolDestroy(Native(pool)));
}

Status CudaApi::TrimPool(NativePool pool) {
  const CaptureExemption exempt(cuda_);
  return HALYARD_CUDA(cuda_, MemPoolTrimTo, (Native(pool), 0));
}

Status CudaApi::AllocateFromPool(NativePool pool, uint64_t length, NativeStream stream, NativeAddress* out_address) {
  const CaptureExemption exempt(cuda_);
  abi::DevicePtr address = 0;
  const Status status = HALYARD_CUDA(cuda_, MemAllocFromPoolAsync, (&address, length, Native(pool), Native(stream)));
  if (status == kOk) *out_address = address;
  return status;
}

Status CudaApi::FreeToPool(NativeAddress address, NativeStream stream) {
  const CaptureExemption exempt(cuda_);
  return HALYARD_CUDA(cuda_, MemFreeAsync, (address, Native(stream)));
}

// --- Work ------------------------------------------------------------------------------------------------------------

Status CudaApi::Fill(NativeStream stream, NativeAddress target, uint32_t pattern, uint32_t size, uint64_t count) {
  switch (size) {
    case 1:
      return HALYARD_CUDA(cuda_, MemsetD8Async, (target, static_cast<unsigned char>(pattern), count, Native(stream)));
    case 2:
      return HALYARD_CUDA(cuda_, MemsetD16Async, (target, static_cast<unsigned short>(pattern), count, Native(stream)));
    default:
      return HALYARD_CUDA(cuda_, MemsetD32Async, (target, pattern, count, Native(stream)));
  }
}

Status CudaApi::Copy(NativeStream stream, NativeAddress target, NativeAddress source, uint64_t length) {
  return HALYARD_CUDA(cuda_, MemcpyAsync, (target, source, length, Native(stream)));
}

Status CudaApi::Upload(NativeStream stream, NativeAddress target, const void* data, uint64_t length) {
  return HALYARD_CUDA(cuda_, MemcpyHtoDAsync, (target, data, length, Native(stream)));
}

Status CudaApi::PrefetchManaged(NativeStream stream, NativeAddress address, uint64_t length) {
  if (!cuda_.MemPrefetchAsyncTo)
    return HALYARD_CUDA(cuda_, MemPrefetchAsync, (address, length, device_, Native(stream)));
  const abi::MemLocation here = {abi::MemLocationType::kDevice, device_};
  return HALYARD_CUDA(cuda_, MemPrefetchAsyncTo, (address, length, here, 0, Native(stream)));
}

Status CudaApi::Launch(NativeStream stream, const stream::NativeLaunch& launch) {
  const hal_dim3_t& count = launch.workgroup_count;
  const hal_dim3_t& size = launch.workgroup_size;
  return HALYARD_CUDA(cuda_, LaunchKernel,
                      (Native(launch.function), count.x, count.y, count.z, size.x, size.y, size.z,
                       launch.dynamic_local_memory, Native(stream), launch.parameters, nullptr));
}

}  // namespace halyard::cuda
