// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// DLPack: arrays between Halyard and array libraries, without a copy. See docs/memory.md.
///
/// Tensors are those of DLPack 1.x, DLManagedTensorVersioned. Include DLPack's own header, dlpack/dlpack.h, to look
/// into one; these functions need only its name.
///
/// A tensor says nothing of the order of work. Before a tensor is given away, wait for the work that makes its contents
/// (hal_semaphore_wait()), or make the other library's stream wait (`wait_on_stream` of halyard/stream_interop.h). The
/// same holds in the other direction (`signal_from_stream`).
///
/// Since 0.1, all of it.
#ifndef HALYARD_DLPACK_H_
#define HALYARD_DLPACK_H_

#include "halyard/allocator.h"
#include "halyard/base.h"
#include "halyard/buffer_view.h"
#include "halyard/status.h"

HAL_EXTERN_C_BEGIN

/// A tensor of DLPack 1.x, which knows how to delete itself.
typedef struct DLManagedTensorVersioned DLManagedTensorVersioned;

/// Makes a tensor of a view. The tensor keeps the view alive until its deleter is called, on any thread.
///
/// Memory that is DEVICE_LOCAL on a CUDA or HIP device becomes kDLCUDA or kDLROCM; other memory that the host can reach
/// becomes kDLCPU. The tensor is dense, with strides; one without elements has the address NULL. Memory that may only
/// be read stays so (HAL_BUFFER_USAGE_READ_ONLY). Elements of less than 8 bits are padded to a byte, and the tensor
/// says so in its flags. A signless integer (`i32`) and `index` become kDLInt, `i1` becomes kDLBool.
/// @return PERMISSION_DENIED (the buffer has no EXPORT usage), INCOMPATIBLE (an element type that DLPack has not),
///         UNIMPLEMENTED (memory that is neither the host's nor that of CUDA or HIP), FAILED_PRECONDITION (a queue
///         allocation whose turn has not come, or whose dealloca was submitted). Thread-safe.
HAL_API hal_status_t hal_buffer_view_to_dlpack(hal_buffer_view_t* view, DLManagedTensorVersioned** out_tensor);

/// Makes a view of a tensor's memory, and takes the tensor over: its deleter is called once, when the memory is no
/// longer used, as hal_memory_release_fn_t says. If the call fails, the caller keeps the tensor.
///
/// kDLCPU, kDLCUDAHost and kDLROCMHost are memory of the host, which the device imports if it can. kDLCUDA and
/// kDLCUDAManaged are for CUDA devices, kDLROCM is for HIP devices, each for the device of the same number.
/// Of a tensor that may only be read, the buffer has HAL_BUFFER_USAGE_READ_ONLY.
/// @param params  of the buffer, as for hal_allocator_import()
/// @return INVALID_ARGUMENT (a malformed tensor: rank, sizes, a NULL shape or address, or an address that is no
/// multiple
///         of the element's size), INCOMPATIBLE (another major version, an element type, vectors, or strides that
///         Halyard has no view for, or memory of another device), PERMISSION_DENIED (a tensor that may only be read,
///         and TRANSFER_TARGET usage), and as hal_allocator_import(). Thread-safe.
HAL_API hal_status_t hal_buffer_view_from_dlpack(hal_allocator_t* allocator, const hal_buffer_params_t* params,
                                                 DLManagedTensorVersioned* tensor, hal_buffer_view_t** out_view);

HAL_EXTERN_C_END

#endif  // HALYARD_DLPACK_H_
