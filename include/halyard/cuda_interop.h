// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// The extension of halyard/stream_interop.h by the name that CUDA devices alone have. See docs/cuda-interop.md.
///
/// Handles are a CUstream (or cudaStream_t), a CUevent (or cudaEvent_t), a CUcontext. Memory is a CUdeviceptr.
///
/// Streams and events belong to the device's primary context, that of the CUDA runtime, and are not under capture.
/// (import_event() queries its event. CUDA invalidates a capture if an event recorded in it is queried.)
#ifndef HALYARD_CUDA_INTEROP_H_
#define HALYARD_CUDA_INTEROP_H_

#include "halyard/stream_interop.h"

/// Name of the extension.
#define HAL_CUDA_INTEROP_INTERFACE "halyard.cuda.interop"

#endif  // HALYARD_CUDA_INTEROP_H_
