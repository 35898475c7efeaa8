// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The library itself: loading of functions, initialisation, error texts, shutdown.
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>

#include "cuda/call.h"
#include "cuda/device_attributes.h"
#include "cuda/entry_points.h"

namespace halyard::cuda::abi {
namespace {

constexpr int kSimulatedVersion = 13000;

int DriverVersion() {
  const int version = Runtime::Get().settings.driver_version;
  return version == 0 ? kSimulatedVersion : version;
}

struct Symbol {
  FunctionInfo info;
  void* address;
};

#define HALYARD_SIM_SYMBOL(base, suffix, version, need, signature) \
  Symbol{{#base, #base #suffix, version, Need::need}, reinterpret_cast<void*>(&base##suffix)},
const Symbol kSymbols[] = {HALYARD_CUDA_FUNCTIONS(HALYARD_SIM_SYMBOL)};
#undef HALYARD_SIM_SYMBOL

// The newest form of a function that is not newer than `version`; null if there is none.
const Symbol* FindSymbol(std::string_view name, int version, bool* known) {
  const Symbol* best = nullptr;
  for (const Symbol& symbol : kSymbols) {
    if (name != symbol.info.name) continue;
    *known = true;
    if (symbol.info.version > version || (best != nullptr && best->info.version > symbol.info.version)) continue;
    best = &symbol;
  }
  return best;
}

// What HALYARD_SIM_FAIL says: n, or n:NAME of a result.
void PlanFault(const std::string& text) {
  if (text.empty()) return;
  const size_t colon = text.find(':');
  uint64_t nth = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + std::min(colon, text.size()), nth);
  const std::string name = colon == std::string::npos ? "CUDA_ERROR_UNKNOWN" : text.substr(colon + 1);
  std::optional<int> result;
#define HALYARD_SIM_RESULT(known, value) \
  if (name == #known) result = value;
  HALYARD_CUresult(HALYARD_SIM_RESULT, HALYARD_SIM_RESULT);
#undef HALYARD_SIM_RESULT
  if (error == std::errc() && end == text.data() + std::min(colon, text.size()) && result) {
    Runtime::Get().faults.FailCall("", nth, *result);
  } else {
    std::fprintf(stderr, "halyard sim: HALYARD_SIM_FAIL is '%s', not a number with a result's name\n", text.c_str());
  }
}

constexpr int kReportedExit = 97;

// Waits for threads that still release objects when the process ends, so that only what stays permanently is reported
// as a leak. The process's own wait for them is too short on a loaded machine.
void AwaitLastObjects(Runtime& runtime) {
  constexpr auto kPatience = std::chrono::seconds(10);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  const auto all_gone = [&] {
    const Lock lock(runtime.mutex);
    return runtime.CountObjects() == 0;
  };
  while (!all_gone() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// The vendor's library shuts down by a handler of atexit() that its initialisation registers: later calls, as by the
// destructors of globals that are older, answer DEINITIALIZED.
void ShutDown() {
  Runtime& runtime = Runtime::Get();
  if (runtime.settings.report_at_exit != 0) AwaitLastObjects(runtime);
  const Lock lock(runtime.mutex);
  runtime.ShutDown();
}

// Runs when the process ends, after all destructors and handlers.
__attribute__((destructor)) void ReportAtExit() {
  Runtime& runtime = Runtime::Get();
  const Lock lock(runtime.mutex);
  if (runtime.settings.report_at_exit == 0) return;
  runtime.ReportLeaks();
  const std::string text = runtime.reports.Text();
  std::fprintf(stderr, "%s", text.c_str());
  if (runtime.settings.report_at_exit == 1 || text.empty()) return;
  std::fflush(nullptr);
  _exit(kReportedExit);
}

}  // namespace

CUresult cuGetProcAddress_v2(const char* name, void** function, int version, uint64_t,
                             CUdriverProcAddressQueryResult* result) {
  return Call(__func__, Requires::kNothing, [&] {
    if (name == nullptr || function == nullptr) return Error::kInvalidValue;
    bool known = false;
    const Symbol* symbol = FindSymbol(name, std::min(version, DriverVersion()), &known);
    *function = symbol == nullptr ? nullptr : symbol->address;
    if (result != nullptr) {
      *result = symbol != nullptr ? CU_GET_PROC_ADDRESS_SUCCESS
                : known           ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                                  : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    }
    return symbol == nullptr ? Error::kNotFound : Error::kSuccess;
  });
}

CUresult cuInit(unsigned int flags) {
  return Call(__func__, Requires::kNothing, [&] {
    Runtime& runtime = Runtime::Get();
    if (flags != 0) return Error::kInvalidValue;
    if (runtime.shut_down) return Error::kDeinitialized;
    if (runtime.settings.device_count == 0) return Error::kNoDevice;
    if (runtime.started()) return Error::kSuccess;
    runtime.Start();
    if (std::atexit(ShutDown) != 0) return Error::kOutOfMemory;
    StartAttributes();
    PlanFault(runtime.settings.fail);
    return Error::kSuccess;
  });
}

CUresult cuDriverGetVersion(int* version) {
  return Call(__func__, Requires::kNothing, [&] {
    if (version == nullptr) return Error::kInvalidValue;
    *version = DriverVersion();
    return Error::kSuccess;
  });
}

CUresult cuGetErrorName(CUresult error, const char** text) {
  return Call(__func__, Requires::kNothing, [&] {
    if (text == nullptr) return Error::kInvalidValue;
    *text = nullptr;
#define HALYARD_SIM_NAME(known, value) \
  if (error == known) *text = #known;
    HALYARD_CUresult(HALYARD_SIM_NAME, HALYARD_SIM_NAME);
#undef HALYARD_SIM_NAME
    return *text == nullptr ? Error::kInvalidValue : Error::kSuccess;
  });
}

CUresult cuGetErrorString(CUresult error, const char** text) {
  return Call(__func__, Requires::kNothing, [&] {
    if (text == nullptr) return Error::kInvalidValue;
    *text = nullptr;
#define HALYARD_SIM_NAME(known, value) \
  if (error == known) *text = "simulated " #known;
    HALYARD_CUresult(HALYARD_SIM_NAME, HALYARD_SIM_NAME);
#undef HALYARD_SIM_NAME
    return *text == nullptr ? Error::kInvalidValue : Error::kSuccess;
  });
}

}  // namespace halyard::cuda::abi
