// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The HIP runtime API for the tests of tests/stream_drivers.
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>

#include "halyard/hip_interop.h"
#include "unit/hip_api.h"
#include "vendor.h"

namespace halyard::interop::vendor {
namespace {

using namespace hip::abi;

const sim::HipApi& Hip() { return sim::HipApi::Get(); }
hipStream_t Of(Stream stream) { return static_cast<hipStream_t>(stream); }
hipEvent_t OfEvent(Event event) { return static_cast<hipEvent_t>(event); }

/// Takes back what a refused call of the test left in the thread's last error.
int Taken(hipError_t result) {
  if (result != hipSuccess) static_cast<void>(Hip().hipGetLastError());
  return result;
}

#define NAMED(result) \
  { result, #result }

constexpr int kVersion7 = 70000000;

bool IsLost() {
  int device = 0;
  return Taken(Hip().hipGetDevice(&device)) != hipSuccess;
}

/// A mutant's name, where one is tested (tests/hip/mutants).
const char* Driver() {
  const char* const mutant = std::getenv("HALYARD_HIP_TEST_DRIVER");
  return mutant ? mutant : "hip";
}

}  // namespace

const Names kNames = {
    .driver = Driver(),
    .extension = HAL_HIP_INTEROP_INTERFACE,
    .format = "hsaco",
    .device_id = "GPU-[0-9a-f]{16}",
    .no_device = "GPU-0000000000000000",
    .launch = "hipModuleLaunchKernel",
    .instantiate = "hipGraphInstantiate",
    .patch_kernel = "hipGraphExecKernelNodeSetParams",
    .query_event = "hipEventQuery",
    .unregister = "hipHostUnregister",
    .unknown = NAMED(hipErrorUnknown),
    .not_ready = NAMED(hipErrorNotReady),
    .deinitialized = NAMED(hipErrorDeinitialized),
    .capture_forbids = NAMED(hipErrorStreamCaptureUnsupported),
    .capture_invalidated = NAMED(hipErrorStreamCaptureInvalidated),
    .illegal_address = NAMED(hipErrorIllegalAddress),
    .timeout = NAMED(hipErrorLaunchTimeOut),
    .bad_memory = NAMED(hipErrorECCNotCorrectable),
    .failed_launch = NAMED(hipErrorLaunchFailure),
};

const sim::SimControl& Control() { return Hip(); }

int Initialize() {
  setenv("HALYARD_HIP_LIBRARY", HALYARD_SIM_HIP_LIBRARY, 1);
  return Taken(Hip().hipInit(0));
}

// HIP's devices have no contexts that could end.
int Retain(int) { return hipSuccess; }
void Release(int) {}

// A device may go on one of its own threads, some time after its last reference.
bool Settle() {
  const bool lost = IsLost();
  for (int milliseconds = 0; !lost && Hip().Objects() != 0; ++milliseconds) {
    if (milliseconds == 10'000) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (!lost) return true;
  static_cast<void>(hal_shutdown());  // joins such threads: lost devices leave objects behind
  Hip().Forget();
  return true;
}

InteropFunctions GetInterop(hal_device_t* device) {
  const void* found = nullptr;
  if (hal_device_query_interface(device, hal_string_view(kNames.extension), 1, &found) != HAL_STATUS_OK) return {};
  const auto& table = *static_cast<const hal_stream_interop_interface_t*>(found);
  if (table.struct_size != sizeof(table)) return {};
  return {table.queue_stream,       table.import_event, table.export_event, table.wait_on_stream,
          table.signal_from_stream, table.begin_stream, table.end_stream};
}

const uint64_t kPatchMemory = 128;  // the simulation's standard

bool SurvivesFaults() {
  int version = 0;
  return Hip().hipRuntimeGetVersion(&version) == hipSuccess && version >= kVersion7;
}
bool FaultsStayOnTheirDevice() { return false; }

Current::Current(int ordinal) {
  static_cast<void>(Taken(Hip().hipGetDevice(&state_)));
  static_cast<void>(Taken(Hip().hipSetDevice(ordinal)));
}
Current::~Current() { static_cast<void>(Taken(Hip().hipSetDevice(state_))); }

uintptr_t WhatIsCurrent() {
  int device = -1;
  static_cast<void>(Taken(Hip().hipGetDevice(&device)));
  return static_cast<uintptr_t>(device);
}

void ResetThread() {
  static_cast<void>(Hip().hipSetDevice(0));
  static_cast<void>(Hip().hipGetLastError());
}

// A lost device answers the loss to this call too.
int LastError() {
  const hipError_t last = Hip().hipGetLastError();
  return IsLost() ? hipSuccess : last;
}

int CountDevices(int* out_count) { return Taken(Hip().hipGetDeviceCount(out_count)); }
int PciAddress(int ordinal, char* out, int capacity) {
  return Taken(Hip().hipDeviceGetPCIBusId(out, capacity, ordinal));
}

int FreeMemory(uint64_t* out_bytes) {
  size_t total = 0;
  return Taken(Hip().hipMemGetInfo(out_bytes, &total));
}

// Freeing pinned memory waits for the device.
int SynchronizeDevice() {
  void* memory = nullptr;
  const int result = AllocatePinned(&memory, 1);
  return result == hipSuccess ? FreePinned(memory) : result;
}

int CreateStream(Stream* out_stream) {
  return Taken(Hip().hipStreamCreateWithFlags(reinterpret_cast<hipStream_t*>(out_stream), hipStreamNonBlocking));
}
int DestroyStream(Stream stream) { return Taken(Hip().hipStreamDestroy(Of(stream))); }
int SynchronizeStream(Stream stream) { return Taken(Hip().hipStreamSynchronize(Of(stream))); }
int Hold(Stream stream, uint64_t* word) {
  constexpr unsigned int kGreaterOrEqual = 0;
  return Taken(Hip().hipStreamWaitValue64(Of(stream), word, 1, kGreaterOrEqual, UINT64_MAX));
}

int CreateEvent(Event* out_event) {
  return Taken(Hip().hipEventCreateWithFlags(reinterpret_cast<hipEvent_t*>(out_event), hipEventDisableTiming));
}
int DestroyEvent(Event event) { return Taken(Hip().hipEventDestroy(OfEvent(event))); }
int RecordEvent(Event event, Stream stream) { return Taken(Hip().hipEventRecord(OfEvent(event), Of(stream))); }
int WaitForEvent(Stream stream, Event event) { return Taken(Hip().hipStreamWaitEvent(Of(stream), OfEvent(event), 0)); }
int QueryEvent(Event event) { return Taken(Hip().hipEventQuery(OfEvent(event))); }
int SynchronizeEvent(Event event) { return Taken(Hip().hipEventSynchronize(OfEvent(event))); }

int AllocatePinned(void** out_memory, size_t bytes) {
  return Taken(Hip().hipHostMalloc(out_memory, bytes, hipHostMallocPortable | hipHostMallocMapped));
}
int FreePinned(void* memory) { return Taken(Hip().hipHostFree(memory)); }
int AllocateOnDevice(void** out_memory, size_t bytes) { return Taken(Hip().hipMalloc(out_memory, bytes)); }
int FreeOnDevice(void* memory) { return Taken(Hip().hipFree(memory)); }

std::string Image() {
  std::ifstream file(HALYARD_SIM_CODE_OBJECT, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

int LoadModule(const std::string& image, Module* out_module) {
  return Taken(Hip().hipModuleLoadData(reinterpret_cast<hipModule_t*>(out_module), image.data()));
}
int UnloadModule(Module module) { return Taken(Hip().hipModuleUnload(static_cast<hipModule_t>(module))); }
int FindKernel(Module module, const char* name, Kernel* out_kernel) {
  return Taken(
      Hip().hipModuleGetFunction(reinterpret_cast<hipFunction_t*>(out_kernel), static_cast<hipModule_t>(module), name));
}
int Launch(Kernel kernel, Stream stream, void** params) {
  return Taken(Hip().hipModuleLaunchKernel(static_cast<hipFunction_t>(kernel), 1, 1, 1, 1, 1, 1, 0, Of(stream), params,
                                           nullptr));
}

int BeginCapture(Stream stream, CaptureMode mode) {
  return Taken(Hip().hipStreamBeginCapture(Of(stream), static_cast<hipStreamCaptureMode>(mode)));
}
int EndCapture(Stream stream, Graph* out_graph) {
  return Taken(Hip().hipStreamEndCapture(Of(stream), reinterpret_cast<hipGraph_t*>(out_graph)));
}
int DestroyGraph(Graph graph) { return Taken(Hip().hipGraphDestroy(static_cast<hipGraph_t>(graph))); }
int ExchangeCaptureMode(CaptureMode* mode) {
  auto exchanged = static_cast<hipStreamCaptureMode>(*mode);
  const hipError_t result = Hip().hipThreadExchangeStreamCaptureMode(&exchanged);
  *mode = static_cast<CaptureMode>(exchanged);
  return Taken(result);
}

uint64_t Prefetches() { return Hip().Calls("hipMemPrefetchAsync"); }

}  // namespace halyard::interop::vendor
