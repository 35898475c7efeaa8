// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CUDA driver library: loaded at run time, every function by name and version, every failure as a status with a
// message.
#ifndef HALYARD_DRIVERS_CUDA_CUDA_LIBRARY_H_
#define HALYARD_DRIVERS_CUDA_CUDA_LIBRARY_H_

#include "base/host_memory.h"
#include "base/status.h"
#include "cuda/abi/cuda_abi.h"

namespace halyard::cuda {

/// The library of the process. Loaded once and never unloaded, since it leaves threads behind.
class CudaLibrary : public CudaFunctions {
 public:
  /// Loads and initialises it, at the first call that succeeds. UNAVAILABLE, with the library's name and the loader's
  /// or the vendor's words. Thread-safe; blocks.
  static Status Get(const CudaLibrary** out_library);

  /// Turns a result into a status. A failure's message is `cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY (out of memory)`.
  Status Check(const char* call, CUresult result) const { return result == CUDA_SUCCESS ? kOk : Explain(call, result); }

  const HostString& path() const { return path_; }

 private:
  Status Load();
  Status FindFunctions(void* (*find)(void* context, const char* symbol), void* context);
  Status Initialise();
  Status Explain(const char* call, CUresult result) const;

  HostString path_;
};

/// What a result means: DEVICE_LOST for those after which the context does no more work.
hal_status_t StatusOf(CUresult result);

/// Lets this thread make calls that may be unsafe while another thread captures a stream: queries, waits, and taking
/// and giving back memory, also in the order of a stream, graphs and code; and loading, which may wait when it is lazy.
/// A capture in CUDA's default mode forbids these to every thread of the process; such a call fails, and the capture
/// with it. What Halyard does so has nothing to do with what is captured. For the launches, copies and records of a
/// submission it is not needed. The thread's mode is put back.
class CaptureExemption {
 public:
  explicit CaptureExemption(const CudaFunctions& cuda)
      : cuda_(cuda), changed_(cuda.cuThreadExchangeStreamCaptureMode(&mode_) == CUDA_SUCCESS) {}
  ~CaptureExemption() {
    if (!changed_ || cuda_.cuThreadExchangeStreamCaptureMode(&mode_) == CUDA_SUCCESS) return;
    static_cast<void>(cuda_.cuThreadExchangeStreamCaptureMode(&mode_));  // as with stream::TryTwice()
  }
  CaptureExemption(const CaptureExemption&) = delete;
  CaptureExemption& operator=(const CaptureExemption&) = delete;

 private:
  const CudaFunctions& cuda_;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;  // what it was before, from then on
  const bool changed_;
};

/// Calls a function of the library and explains a failure: `HALYARD_CUDA(library, cuMemFree_v2, (address))`.
#define HALYARD_CUDA(library, name, arguments) (library).Check(#name, (library).name arguments)

}  // namespace halyard::cuda

#endif  // HALYARD_DRIVERS_CUDA_CUDA_LIBRARY_H_
