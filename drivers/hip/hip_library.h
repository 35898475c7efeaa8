// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The HIP runtime library: loaded at run time, every function by name, every failure as a status with a message.
#ifndef HALYARD_DRIVERS_HIP_HIP_LIBRARY_H_
#define HALYARD_DRIVERS_HIP_HIP_LIBRARY_H_

#include "base/host_memory.h"
#include "base/status.h"
#include "driver_kit/device/vendor_library.h"
#include "hip/abi/hip_abi.h"

namespace halyard::hip {

/// The library of the process. Loaded once and never unloaded, since it leaves threads behind.
///
/// HIP keeps each thread's last error for the application, which frameworks read after their launches. So the library
/// takes back what a call of ours left there; after a call that succeeded it does not ask.
class HipLibrary : public HipFunctions {
 public:
  static constexpr char kWhat[] = "HIP runtime";
  static constexpr bool kWorksAfterFork = false;
  /// Loads and initialises it, at the first call that succeeds. UNAVAILABLE, with the library's name and the loader's
  /// or the vendor's message. Thread-safe; blocks.
  static Status Get(const HipLibrary** out_library) { return LoadOnce(out_library); }
  Status Load();

  /// Turns a result into a status. A failure's message is `hipMalloc: hipErrorOutOfMemory (out of memory)`.
  Status Check(const char* call, hipError_t result) const { return result == hipSuccess ? kOk : Explain(call, result); }
  /// Takes back what a call left that may fail.
  void Ignore(hipError_t result) const {
    if (result == hipSuccess || (result == hipErrorNotReady && version_ >= kNotReadyIsNoError)) return;
    static_cast<void>(hipGetLastError());
  }

  /// 10,000,000 * major + 100,000 * minor + patch.
  int version() const { return version_; }
  const HostString& path() const { return file_.path(); }
  /// What HIP_POINTER_ATTRIBUTE_MEMORY_TYPE answers.
  const MemoryTypes& memory_types() const { return version_ < kNewMemoryTypes ? kMemoryTypesBefore6 : kMemoryTypes; }
  /// What hipIpcOpenMemHandle wants.
  unsigned int ipc_flags() const { return version_ < kNewIpcFlag ? 0 : hipIpcMemLazyEnablePeerAccess; }

 private:
  static constexpr int kNewMemoryTypes = 60000000;
  static constexpr int kNewIpcFlag = 60000000;
  static constexpr int kNotReadyIsNoError = 70000000;

  void FindFunctions();
  Status CheckVersion();
  Status CheckFunctions() const;
  Status Explain(const char* call, hipError_t result) const;
  hal_status_t StatusOf(hipError_t result) const;

  VendorLibrary file_;
  int version_ = 0;
};

/// Calls a function of the library and explains a failure: `HALYARD_HIP(library, hipFree, (address))`.
#define HALYARD_HIP(library, name, arguments) (library).Check(#name, (library).name arguments)

}  // namespace halyard::hip

#endif  // HALYARD_DRIVERS_HIP_HIP_LIBRARY_H_
