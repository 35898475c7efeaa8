// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CUDA driver library: loaded at run time, every function by name and version, every failure as a status with a
// message.
#ifndef HALYARD_DRIVERS_CUDA_CUDA_LIBRARY_H_
#define HALYARD_DRIVERS_CUDA_CUDA_LIBRARY_H_

#include "base/host_memory.h"
#include "base/status.h"
#include "cuda/abi/cuda_abi.h"
#include "driver_kit/device/vendor_library.h"

namespace halyard::cuda {

/// The library of the process. Loaded once and never unloaded, since it leaves threads behind.
class CudaLibrary : public CudaFunctions {
 public:
  static constexpr char kWhat[] = "CUDA driver";
  static constexpr bool kWorksAfterFork = false;
  /// Loads and initialises it, at the first call that succeeds. UNAVAILABLE, with the library's name and the loader's
  /// or the vendor's words. Thread-safe; blocks.
  static Status Get(const CudaLibrary** out_library) { return LoadOnce(out_library); }
  Status Load();

  /// Turns a result into a status. A failure's message is `cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY (out of memory)`.
  Status Check(const char* call, CUresult result) const { return result == CUDA_SUCCESS ? kOk : Explain(call, result); }

  /// CUDA keeps no last error.
  void Ignore(CUresult) const {}

  const HostString& path() const { return file_.path(); }
  /// What cuIpcOpenMemHandle wants.
  static constexpr unsigned int ipc_flags() { return CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS; }

 private:
  Status FindFunctions();
  Status Initialise();
  Status Explain(const char* call, CUresult result) const;

  VendorLibrary file_;
};

/// What a result means: DEVICE_LOST for those after which the context does no more work.
hal_status_t StatusOf(CUresult result);

/// Calls a function of the library and explains a failure: `HALYARD_CUDA(library, cuMemFree_v2, (address))`.
#define HALYARD_CUDA(library, name, arguments) (library).Check(#name, (library).name arguments)

}  // namespace halyard::cuda

#endif  // HALYARD_DRIVERS_CUDA_CUDA_LIBRARY_H_
