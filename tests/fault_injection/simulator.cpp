// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fault_injection/simulator.h"

#include <dlfcn.h>

#include <cstdlib>
#include <stdexcept>

namespace halyard::fault_injection {
namespace {

template <typename Pointer>
void Find(void* library, const char* symbol, Pointer* function) {
  *function = reinterpret_cast<Pointer>(dlsym(library, symbol));
  if (*function == nullptr) throw std::runtime_error(std::string("HALYARD_CUDA_LIBRARY exports no ") + symbol);
}

Simulator Load() {
  const char* const path = std::getenv("HALYARD_CUDA_LIBRARY");
  if (path == nullptr) throw std::runtime_error("HALYARD_CUDA_LIBRARY is to name the simulated library");
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  Simulator simulator;
  Find(library, "halyardSimReset", &simulator.Reset);
  Find(library, "halyardSimFail", &simulator.Fail);
  Find(library, "halyardSimFailures", &simulator.Failures);
  Find(library, "halyardSimFailedCall", &simulator.FailedCall);
  Find(library, "halyardSimCalls", &simulator.Calls);
  Find(library, "halyardSimReport", &simulator.Report);
  Find(library, "halyardSimObjects", &simulator.Objects);
  Find(library, "halyardSimForget", &simulator.Forget);
  Find(library, "halyardSimSetDelay", &simulator.SetDelay);
#define HALYARD_FAULT_INJECTION_FIND(base, suffix, version, need, signature) \
  Find(library, #base #suffix, &simulator.base##suffix);
  HALYARD_CUDA_FUNCTIONS(HALYARD_FAULT_INJECTION_FIND)
#undef HALYARD_FAULT_INJECTION_FIND
  return simulator;
}

}  // namespace

const Simulator& Simulator::Get() {
  static const Simulator simulator = Load();
  return simulator;
}

std::string Simulator::ReportText() const {
  std::string text(Report(nullptr, 0), '\0');
  Report(text.data(), text.size());
  text.pop_back();
  return text;
}

cuda::CUcontext Simulator::CurrentContext() const {
  cuda::CUcontext context = nullptr;
  static_cast<void>(cuCtxGetCurrent(&context));
  return context;
}

}  // namespace halyard::fault_injection
