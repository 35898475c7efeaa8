// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The library itself: loading of functions, initialisation, error texts.
#include <algorithm>
#include <string_view>

#include "cuda/call.h"
#include "cuda/entry_points.h"
#include "stream_api/process.h"

namespace halyard::cuda::abi {
namespace {

constexpr int kSimulatedVersion = 13000;

int DriverVersion() { return LibraryVersion(kSimulatedVersion); }

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
  return Call(__func__, Requires::kNothing, [&] { return flags != 0 ? Error::kInvalidValue : StartLibrary(); });
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
