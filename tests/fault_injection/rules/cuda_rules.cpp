// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUDA, for the fault injector.
#include "cts/handles.h"
#include "fault_injection/cuda_mutants.h"
#include "fault_injection/vendor.h"
#include "halyard/cuda_interop.h"
#include "unit/cuda_api.h"

namespace halyard::fault_injection {
namespace {

using namespace cuda::abi;

const sim::CudaApi& Cuda() { return sim::CudaApi::Get(); }

#define HALYARD_FAULT_INJECTION_NAME(base, suffix, version, need, signature) #base #suffix,
constexpr const char* kFunctions[] = {HALYARD_CUDA_FUNCTIONS(HALYARD_FAULT_INJECTION_NAME)};
#undef HALYARD_FAULT_INJECTION_NAME

constexpr Injection kInjections[] = {
    {"OutOfMemory", "CUDA_ERROR_OUT_OF_MEMORY", CUDA_ERROR_OUT_OF_MEMORY, HAL_STATUS_RESOURCE_EXHAUSTED},
    {"InvalidValue", "CUDA_ERROR_INVALID_VALUE", CUDA_ERROR_INVALID_VALUE, HAL_STATUS_INVALID_ARGUMENT},
    {"NotPermitted", "CUDA_ERROR_NOT_PERMITTED", CUDA_ERROR_NOT_PERMITTED, HAL_STATUS_PERMISSION_DENIED},
    {"IllegalAddress", "CUDA_ERROR_ILLEGAL_ADDRESS", CUDA_ERROR_ILLEGAL_ADDRESS, HAL_STATUS_DEVICE_LOST},
};

// The other objects are destroyed with their context.
constexpr Release kReleases[] = {
    {"cuStreamDestroy_v2"}, {"cuEventDestroy_v2"},     {"cuMemFree_v2"},        {"cuMemFreeHost"},
    {"cuMemUnmap"},         {"cuMemAddressFree"},      {"cuIpcCloseMemHandle"}, {"cuMemRelease"},
    {"cuMemFreeAsync"},     {"cuMemHostUnregister"},   {"cuMemPoolDestroy", 1}, {"cuModuleUnload"},
    {"cuGraphDestroy", 1},  {"cuGraphExecDestroy", 1}, {"cuCtxPopCurrent_v2"},  {"cuDevicePrimaryCtxRelease_v2", 1}};

constexpr Recovery kRecoveries[] = {
    {"cuGetProcAddress_v2", "the function is looked up by its exported name"},
    {"cuGetErrorName", "a text"},
    {"cuGetErrorString", "a text"},
    {"cuEventElapsedTime", "a time is left out of a profile"},
    {"cuThreadExchangeStreamCaptureMode", "what follows is called in the thread's own mode"},
    {"cuMemHostGetDevicePointer_v2", "the address is the same"},
    {"cuMemGetAllocationGranularity", "a device that is asked for fabric handles has none"},
    {"cuMemCreate", "the same"},
    {"cuCtxGetCurrent", "tried again"},
    {"cuCtxPushCurrent_v2", "tried again"},
    {"cuEventCreate", "the completion thread looks now and then instead of sleeping on an event"},
    {"cuEventQuery", "tried again"},
    {"cuEventSynchronize", "tried again"},
    {"cuStreamSynchronize", "tried again"},
    {"cuEventRecord", "the stream is waited for"},
    {"cuStreamWriteValue64_v2", "the stream is waited for"},
    {"cuStreamWaitEvent", "the stream is waited for"},
    {"cuLaunchHostFunc", "the stream is waited for"},
    {"cuGraphCreate", "the stream runs what a kept graph would"},
    {"cuGraphAddKernelNode_v2", "the stream runs what a kept graph would"},
    {"cuGraphAddEmptyNode", "the stream runs what a kept graph would"},
    {"cuGraphInstantiateWithFlags", "the stream runs what a kept graph would"},
    {"cuGraphExecKernelNodeSetParams_v2", "the stream runs what a kept graph would"},
};

constexpr std::string_view kAskedWith[] = {"cuPointerGetAttribute", "cuFuncGetParamInfo"};

constexpr Mode kModes[] = {{"Fast", "completion=fast"}, {"Portable", "completion=portable"}};

constexpr Vendor kCuda = {
    .modes = kModes,
    .functions = kFunctions,
    .injections = kInjections,
    .releases = kReleases,
    .recoveries = kRecoveries,
    .asked_with = kAskedWith,
    .opens = "cuDevicePrimaryCtxRetain",
    .closes = "cuDevicePrimaryCtxRelease_v2",
    .makes_again = "cuCtxPopCurrent_v2",
    .takes_error = "",
    .initialises = "cuInit",
    .identifies = "",
    .loading_calls = 100,  // a look-up of each function, to begin with
    .answers_after_loss = true,
    .register_driver =
        [](hal_registry_t* registry, std::string_view name) {
          if (name != "cuda") RegisterMutant(registry, name);
        },
    .scenarios = InteropScenarios,
};

}  // namespace

const Vendor& TestedVendor() { return kCuda; }

bool IsClosed(std::string_view failed_call, uint64_t objects_left) {
  const uint64_t refused = failed_call == kCuda.opens ? 1 : 0;
  const uint64_t retained = Cuda().Calls("cuDevicePrimaryCtxRetain") - refused;
  return Cuda().Calls("cuDevicePrimaryCtxRelease_v2") == retained && Cuda().Objects() <= objects_left;
}

uintptr_t ContextOf(hal_device_t* device) {
  const void* table = nullptr;
  cts::Check(hal_device_query_interface(device, cts::View(HAL_CUDA_INTEROP_INTERFACE), 1, &table), "query interface");
  void* context = nullptr;
  int32_t ordinal = 0;
  cts::Check(static_cast<const hal_stream_interop_interface_t*>(table)->native_device(device, &context, &ordinal),
             "native_device");
  return reinterpret_cast<uintptr_t>(context);
}

int Enter(uintptr_t context, uintptr_t*) { return Cuda().cuCtxPushCurrent_v2(reinterpret_cast<CUcontext>(context)); }
void Leave(uintptr_t) { static_cast<void>(Cuda().cuCtxPopCurrent_v2(nullptr)); }

int Fill(void* stream, uint64_t address, uint32_t word, size_t count) {
  return Cuda().cuMemsetD32Async(address, word, count, static_cast<CUstream>(stream));
}

void Join() {}

}  // namespace halyard::fault_injection
