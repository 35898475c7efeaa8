// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HIP, for the fault injector.
#include "cts/handles.h"
#include "fault_injection/vendor.h"
#include "halyard/hip_interop.h"
#include "unit/hip_api.h"

namespace halyard::fault_injection {
namespace {

using namespace hip::abi;

const sim::HipApi& Hip() { return sim::HipApi::Get(); }

// Without the texts of errors, which cannot fail.
#define HALYARD_FAULT_INJECTION_NAME(name, signature) #name,
constexpr const char* kFunctions[] = {HALYARD_HIP_PROPERTIES_FUNCTIONS(HALYARD_FAULT_INJECTION_NAME)
                                          HALYARD_HIP_CALL_FUNCTIONS(HALYARD_FAULT_INJECTION_NAME)};
#undef HALYARD_FAULT_INJECTION_NAME

constexpr Injection kInjections[] = {
    {"OutOfMemory", "hipErrorOutOfMemory", hipErrorOutOfMemory, HAL_STATUS_RESOURCE_EXHAUSTED},
    {"InvalidValue", "hipErrorInvalidValue", hipErrorInvalidValue, HAL_STATUS_INVALID_ARGUMENT},
    {"NotSupported", "hipErrorNotSupported", hipErrorNotSupported, HAL_STATUS_UNIMPLEMENTED},
    {"IllegalAddress", "hipErrorIllegalAddress", hipErrorIllegalAddress, HAL_STATUS_DEVICE_LOST},
};

// No context takes what is left with it.
constexpr Release kReleases[] = {{"hipStreamDestroy", 1},    {"hipEventDestroy", 1},     {"hipFree", 1},
                                 {"hipHostFree", 1},         {"hipFreeAsync", 1},        {"hipHostUnregister", 1},
                                 {"hipMemPoolDestroy", 1},   {"hipModuleUnload", 1},     {"hipGraphDestroy", 1},
                                 {"hipGraphExecDestroy", 1}, {"hipIpcCloseMemHandle", 1}};

constexpr Recovery kRecoveries[] = {
    {"hipGetLastError", "what it tells is not used"},
    {"hipEventElapsedTime", "a time is left out of a profile"},
    {"hipThreadExchangeStreamCaptureMode", "what follows is called in the thread's own mode"},
    {"hipHostGetDevicePointer", "the address is the same"},
    {"hipGetDevice", "tried again"},
    {"hipSetDevice", "tried again"},
    {"hipEventCreateWithFlags", "the completion thread looks now and then instead of sleeping on an event"},
    {"hipEventQuery", "tried again"},
    {"hipEventSynchronize", "tried again"},
    {"hipStreamSynchronize", "tried again"},
    {"hipEventRecord", "the stream is waited for"},
    {"hipStreamWriteValue64", "the stream is waited for"},
    {"hipStreamWaitEvent", "the stream is waited for"},
    {"hipLaunchHostFunc", "the stream is waited for"},
};

constexpr std::string_view kAskedWith[] = {"hipPointerGetAttribute"};

// Its second mode is the code that CUDA's second mode runs.
constexpr Mode kModes[] = {{"Fast", "completion=fast"}, {"PortableSlow", "completion=portable"}};

constexpr Vendor kHip = {
    .modes = kModes,
    .functions = kFunctions,
    .injections = kInjections,
    .releases = kReleases,
    .recoveries = kRecoveries,
    .asked_with = kAskedWith,
    .opens = "hipGetDevicePropertiesR0600",
    .closes = "hipStreamDestroy",
    .makes_again = "hipSetDevice",
    .takes_error = "hipGetLastError",
    .initialises = "hipInit",
    .identifies = "hipRuntimeGetVersion",
    .loading_calls = 20,
    .version_of_loss = 70151831,
    .scenarios = InteropScenarios,
};

int Taken(hipError_t result) {
  if (result != hipSuccess) static_cast<void>(Hip().hipGetLastError());
  return result;
}

}  // namespace

const Vendor& TestedVendor() { return kHip; }

// What a lost device has stays.
bool IsClosed(std::string_view, uint64_t objects_left) {
  int device = 0;
  return Hip().Objects() <= objects_left || Taken(Hip().hipGetDevice(&device)) != hipSuccess;
}

uintptr_t ContextOf(hal_device_t* device) {
  const void* table = nullptr;
  cts::Check(hal_device_query_interface(device, cts::View(HAL_HIP_INTEROP_INTERFACE), 1, &table), "query interface");
  int32_t ordinal = 0;
  cts::Check(static_cast<const hal_stream_interop_interface_t*>(table)->native_device(device, nullptr, &ordinal),
             "native_device");
  return static_cast<uintptr_t>(ordinal);
}

int Enter(uintptr_t context, uintptr_t* out_before) {
  int before = 0;
  if (const int result = Taken(Hip().hipGetDevice(&before)); result != hipSuccess) return result;
  *out_before = static_cast<uintptr_t>(before);
  return Taken(Hip().hipSetDevice(static_cast<int>(context)));
}
void Leave(uintptr_t before) { static_cast<void>(Taken(Hip().hipSetDevice(static_cast<int>(before)))); }

int Fill(void* stream, uint64_t address, uint32_t word, size_t count) {
  return Taken(Hip().hipMemsetD32Async(reinterpret_cast<void*>(address), static_cast<int>(word), count,
                                       static_cast<hipStream_t>(stream)));
}

// It unloads the library too, so every run loads it.
void Join() { static_cast<void>(hal_shutdown()); }

}  // namespace halyard::fault_injection
