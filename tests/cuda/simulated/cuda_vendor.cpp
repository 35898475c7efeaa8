// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CUDA driver API for the tests of tests/stream_drivers.
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>

#include "halyard/cuda_interop.h"
#include "unit/cuda_api.h"
#include "vendor.h"

namespace halyard::interop::vendor {
namespace {

using namespace cuda::abi;

const sim::CudaApi& Cuda() { return sim::CudaApi::Get(); }
CUstream Of(Stream stream) { return static_cast<CUstream>(stream); }
CUevent OfEvent(Event event) { return static_cast<CUevent>(event); }

#define NAMED(result) \
  { result, #result }

CUcontext g_contexts[2] = {};

// A device may go on one of its own threads, some time after its last reference: the next test wants a fresh context.
bool ContextEnds(int ordinal) {
  for (int milliseconds = 0; milliseconds < 10'000; ++milliseconds) {
    unsigned int flags = 0;
    int active = 0;
    if (Cuda().cuDevicePrimaryCtxGetState(ordinal, &flags, &active) != CUDA_SUCCESS) return false;
    if (active == 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

}  // namespace

const Names kNames = {
    .driver = "cuda",
    .extension = HAL_CUDA_INTEROP_INTERFACE,
    .format = "ptx",
    .device_id = "GPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    .no_device = "GPU-00000000-0000-0000-0000-000000000000",
    .launch = "cuLaunchKernel",
    .instantiate = "cuGraphInstantiateWithFlags",
    .patch_kernel = "cuGraphExecKernelNodeSetParams_v2",
    .query_event = "cuEventQuery",
    .unregister = "cuMemHostUnregister",
    .unknown = NAMED(CUDA_ERROR_UNKNOWN),
    .not_ready = NAMED(CUDA_ERROR_NOT_READY),
    .deinitialized = NAMED(CUDA_ERROR_DEINITIALIZED),
    .capture_forbids = NAMED(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED),
    .capture_invalidated = NAMED(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED),
    .illegal_address = NAMED(CUDA_ERROR_ILLEGAL_ADDRESS),
    .timeout = NAMED(CUDA_ERROR_LAUNCH_TIMEOUT),
    .bad_memory = NAMED(CUDA_ERROR_ECC_UNCORRECTABLE),
    .failed_launch = NAMED(CUDA_ERROR_LAUNCH_FAILED),
};

const sim::SimControl& Control() { return Cuda(); }

int Initialize() {
  setenv("HALYARD_CUDA_LIBRARY", HALYARD_SIM_LIBRARY, 1);
  return Cuda().cuInit(0);
}

int Retain(int ordinal) { return Cuda().cuDevicePrimaryCtxRetain(&g_contexts[ordinal], ordinal); }
void Release(int ordinal) { static_cast<void>(Cuda().cuDevicePrimaryCtxRelease_v2(ordinal)); }
bool Settle() { return ContextEnds(0) && ContextEnds(1); }

InteropFunctions GetInterop(hal_device_t* device) {
  const void* found = nullptr;
  if (hal_device_query_interface(device, hal_string_view(kNames.extension), 1, &found) != HAL_STATUS_OK) return {};
  const auto& table = *static_cast<const hal_stream_interop_interface_t*>(found);
  if (table.struct_size != sizeof(table)) return {};
  return {table.queue_stream,       table.import_event, table.export_event, table.wait_on_stream,
          table.signal_from_stream, table.begin_stream, table.end_stream};
}

const uint64_t kPatchMemory = 0;
bool SurvivesFaults() { return true; }
bool FaultsStayOnTheirDevice() { return true; }

Current::Current(int ordinal) : state_(Cuda().cuCtxPushCurrent_v2(g_contexts[ordinal])) {}
Current::~Current() {
  if (state_ == CUDA_SUCCESS) static_cast<void>(Cuda().cuCtxPopCurrent_v2(nullptr));
}

uintptr_t WhatIsCurrent() {
  CUcontext context = nullptr;
  static_cast<void>(Cuda().cuCtxGetCurrent(&context));
  return reinterpret_cast<uintptr_t>(context);
}

void ResetThread() {
  while (WhatIsCurrent() != 0) static_cast<void>(Cuda().cuCtxPopCurrent_v2(nullptr));
}

int LastError() { return CUDA_SUCCESS; }

int CountDevices(int* out_count) { return Cuda().cuDeviceGetCount(out_count); }
int PciAddress(int ordinal, char* out, int capacity) { return Cuda().cuDeviceGetPCIBusId(out, capacity, ordinal); }
int FreeMemory(uint64_t* out_bytes) {
  size_t total = 0;
  return Cuda().cuMemGetInfo_v2(out_bytes, &total);
}
int SynchronizeDevice() { return Cuda().cuCtxSynchronize(); }

int CreateStream(Stream* out_stream) {
  return Cuda().cuStreamCreate(reinterpret_cast<CUstream*>(out_stream), CU_STREAM_NON_BLOCKING);
}
int DestroyStream(Stream stream) { return Cuda().cuStreamDestroy_v2(Of(stream)); }
int SynchronizeStream(Stream stream) { return Cuda().cuStreamSynchronize(Of(stream)); }
int Hold(Stream stream, uint64_t* word) {
  return Cuda().cuStreamWaitValue64_v2(Of(stream), reinterpret_cast<CUdeviceptr>(word), 1, CU_STREAM_WAIT_VALUE_GEQ);
}

int CreateEvent(Event* out_event) {
  return Cuda().cuEventCreate(reinterpret_cast<CUevent*>(out_event), CU_EVENT_DISABLE_TIMING);
}
int DestroyEvent(Event event) { return Cuda().cuEventDestroy_v2(OfEvent(event)); }
int RecordEvent(Event event, Stream stream) { return Cuda().cuEventRecord(OfEvent(event), Of(stream)); }
int WaitForEvent(Stream stream, Event event) { return Cuda().cuStreamWaitEvent(Of(stream), OfEvent(event), 0); }
int QueryEvent(Event event) { return Cuda().cuEventQuery(OfEvent(event)); }
int SynchronizeEvent(Event event) { return Cuda().cuEventSynchronize(OfEvent(event)); }

int AllocatePinned(void** out_memory, size_t bytes) {
  return Cuda().cuMemHostAlloc(out_memory, bytes, CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_PORTABLE);
}
int FreePinned(void* memory) { return Cuda().cuMemFreeHost(memory); }
int AllocateOnDevice(void** out_memory, size_t bytes) {
  CUdeviceptr address = 0;
  const CUresult result = Cuda().cuMemAlloc_v2(&address, bytes);
  *out_memory = reinterpret_cast<void*>(static_cast<uintptr_t>(address));
  return result;
}
int FreeOnDevice(void* memory) { return Cuda().cuMemFree_v2(reinterpret_cast<uintptr_t>(memory)); }

std::string Image() {
  std::ifstream file(HALYARD_SIM_PTX);
  return {std::istreambuf_iterator<char>(file), {}};
}

int LoadModule(const std::string& image, Module* out_module) {
  return Cuda().cuModuleLoadDataEx(reinterpret_cast<CUmodule*>(out_module), image.c_str(), 0, nullptr, nullptr);
}
int UnloadModule(Module module) { return Cuda().cuModuleUnload(static_cast<CUmodule>(module)); }
int FindKernel(Module module, const char* name, Kernel* out_kernel) {
  return Cuda().cuModuleGetFunction(reinterpret_cast<CUfunction*>(out_kernel), static_cast<CUmodule>(module), name);
}
int Launch(Kernel kernel, Stream stream, void** params) {
  return Cuda().cuLaunchKernel(static_cast<CUfunction>(kernel), 1, 1, 1, 1, 1, 1, 0, Of(stream), params, nullptr);
}

int BeginCapture(Stream stream, CaptureMode mode) {
  return Cuda().cuStreamBeginCapture_v2(Of(stream), static_cast<CUstreamCaptureMode>(mode));
}
int EndCapture(Stream stream, Graph* out_graph) {
  return Cuda().cuStreamEndCapture(Of(stream), reinterpret_cast<CUgraph*>(out_graph));
}
int DestroyGraph(Graph graph) { return Cuda().cuGraphDestroy(static_cast<CUgraph>(graph)); }
int ExchangeCaptureMode(CaptureMode* mode) {
  auto exchanged = static_cast<CUstreamCaptureMode>(*mode);
  const CUresult result = Cuda().cuThreadExchangeStreamCaptureMode(&exchanged);
  *mode = static_cast<CaptureMode>(exchanged);
  return result;
}

uint64_t Prefetches() { return Cuda().Calls("cuMemPrefetchAsync") + Cuda().Calls("cuMemPrefetchAsync_v2"); }

}  // namespace halyard::interop::vendor
