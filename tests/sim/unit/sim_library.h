// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A simulated library as a program sees it: loaded at run time, every function by its exported name.
#ifndef HALYARD_TESTS_SIM_UNIT_SIM_LIBRARY_H_
#define HALYARD_TESTS_SIM_UNIT_SIM_LIBRARY_H_

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "control.h"

namespace halyard::sim {

/// Sets a pointer to a function of a library, without which no test can go on.
template <typename Pointer>
void FindSymbol(void* library, const char* symbol, Pointer* function) {
  *function = reinterpret_cast<Pointer>(dlsym(library, symbol));
  if (*function != nullptr) return;
  std::fprintf(stderr, "the simulated library does not export %s\n", symbol);
  std::abort();
}

/// Opens a library, with the settings that the tests want unless the environment has others.
inline void* OpenSimLibrary(const char* path, const char* kernels) {
  setenv("HALYARD_SIM_KERNELS", kernels, 1);
  setenv("HALYARD_SIM_DEVICES", "2", 0);
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) return library;
  std::fprintf(stderr, "%s\n", dlerror());
  std::abort();
}

/// The functions of control.h.
struct SimControl {
  decltype(&halyardSimReset) Reset = nullptr;
  decltype(&halyardSimFail) Fail = nullptr;
  decltype(&halyardSimFailures) Failures = nullptr;
  decltype(&halyardSimFailedCall) FailedCall = nullptr;
  decltype(&halyardSimCalls) Calls = nullptr;
  decltype(&halyardSimLoseDevice) LoseDevice = nullptr;
  decltype(&halyardSimReport) Report = nullptr;
  decltype(&halyardSimReports) Reports = nullptr;
  decltype(&halyardSimIgnore) Ignore = nullptr;
  decltype(&halyardSimCheckLeaks) CheckLeaks = nullptr;
  decltype(&halyardSimObjects) Objects = nullptr;
  decltype(&halyardSimForget) Forget = nullptr;
  decltype(&halyardSimShutDown) ShutDown = nullptr;
  decltype(&halyardSimSetVersion) SetVersion = nullptr;
  decltype(&halyardSimSetArchitecture) SetArchitecture = nullptr;
  decltype(&halyardSimReturnLate) ReturnLate = nullptr;
  decltype(&halyardSimThreadsInside) ThreadsInside = nullptr;
  decltype(&halyardSimEventWaiters) EventWaiters = nullptr;
  decltype(&halyardSimSetAttribute) SetAttribute = nullptr;
  decltype(&halyardSimSetDelay) SetDelay = nullptr;
  decltype(&halyardSimSetNodeGrid) SetNodeGrid = nullptr;
  decltype(&halyardSimSetNodeEnabled) SetNodeEnabled = nullptr;

  /// What each simulation has.
  void FindBasics(void* library) {
    FindSymbol(library, "halyardSimReset", &Reset);
    FindSymbol(library, "halyardSimFail", &Fail);
    FindSymbol(library, "halyardSimFailures", &Failures);
    FindSymbol(library, "halyardSimFailedCall", &FailedCall);
    FindSymbol(library, "halyardSimCalls", &Calls);
    FindSymbol(library, "halyardSimLoseDevice", &LoseDevice);
    FindSymbol(library, "halyardSimReport", &Report);
    FindSymbol(library, "halyardSimObjects", &Objects);
    FindSymbol(library, "halyardSimSetDelay", &SetDelay);
  }
  void FindControl(void* library) {
    FindBasics(library);
    FindSymbol(library, "halyardSimReports", &Reports);
    FindSymbol(library, "halyardSimIgnore", &Ignore);
    FindSymbol(library, "halyardSimCheckLeaks", &CheckLeaks);
    FindSymbol(library, "halyardSimForget", &Forget);
    FindSymbol(library, "halyardSimShutDown", &ShutDown);
    FindSymbol(library, "halyardSimSetVersion", &SetVersion);
    FindSymbol(library, "halyardSimSetArchitecture", &SetArchitecture);
    FindSymbol(library, "halyardSimReturnLate", &ReturnLate);
    FindSymbol(library, "halyardSimThreadsInside", &ThreadsInside);
    FindSymbol(library, "halyardSimEventWaiters", &EventWaiters);
    FindSymbol(library, "halyardSimSetAttribute", &SetAttribute);
    FindSymbol(library, "halyardSimSetNodeGrid", &SetNodeGrid);
    FindSymbol(library, "halyardSimSetNodeEnabled", &SetNodeEnabled);
  }
};

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_UNIT_SIM_LIBRARY_H_
