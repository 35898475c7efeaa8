// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// The workgroup ABI of the local CPU driver: what a kernel in a host shared object looks like.
///
/// The file includes nothing else of Halyard, so that a kernel can be compiled with it alone. A kernel is a C function
/// that runs *one workgroup*. The driver calls it once for each workgroup of a dispatch, from several threads at the
/// same time and in no particular order:
///
/// ```c
/// #include "halyard/local_kernel.h"
///
/// HAL_LOCAL_KERNEL(scale) {                       // y[i] = a * x[i], 64 elements to a workgroup
///   const float a = *HAL_LOCAL_CONSTANT(const float, 0);
///   const float* x = HAL_LOCAL_BINDING(const float, 0);
///   float* y = HAL_LOCAL_BINDING(float, 1);
///   const uint32_t begin = workgroup->id[0] * dispatch->workgroup_size[0];
///   for (uint32_t i = begin; i < begin + dispatch->workgroup_size[0]; ++i) y[i] = a * x[i];
///   return 0;
/// }
/// ```
///
/// Both structs only ever grow at their ends; `dispatch->abi_version` says how far.
#ifndef HALYARD_LOCAL_KERNEL_H_
#define HALYARD_LOCAL_KERNEL_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The version of the two structs below.
#define HAL_LOCAL_KERNEL_ABI_VERSION 1u

/// What all workgroups of one dispatch share. Read-only for the kernel.
typedef struct hal_local_dispatch_t {
  uint32_t abi_version;             ///< HAL_LOCAL_KERNEL_ABI_VERSION of the driver
  uint32_t binding_count;           ///< length of `bindings` and `binding_lengths`
  uint32_t workgroup_count[3];      ///< workgroups in x, y, z
  uint32_t workgroup_size[3];       ///< the size of a workgroup in x, y, z: the export's, or the dispatch's override
  const void* constants;            ///< the constant bytes, aligned to 16; never NULL
  size_t constants_size;            ///< bytes
  void* const* bindings;            ///< the address of each binding, its offset included
  const uint64_t* binding_lengths;  ///< the length of each binding in bytes
} hal_local_dispatch_t;

/// What one workgroup has for itself.
typedef struct hal_local_workgroup_t {
  uint32_t id[3];              ///< which workgroup, in x, y, z
  uint32_t local_memory_size;  ///< bytes: the export's local memory plus the dispatch's dynamic local memory
  void* local_memory;          ///< scratch memory, aligned to 64, contents undefined; NULL if its size is 0
} hal_local_workgroup_t;

/// A kernel: runs one workgroup. Returns 0, or any other number to fail the dispatch (ABORTED, with that number).
typedef int32_t (*hal_local_kernel_fn_t)(const hal_local_dispatch_t* dispatch, const hal_local_workgroup_t* workgroup);

#ifdef __cplusplus
#define HAL_LOCAL_KERNEL_LINKAGE extern "C"
#define HAL_LOCAL_KERNEL_DECLARED extern "C"
#else
/// C linkage, in C and in C++.
#define HAL_LOCAL_KERNEL_LINKAGE
/// Declares a variable with C linkage without defining it, in C and in C++.
#define HAL_LOCAL_KERNEL_DECLARED extern
#endif
#if defined(_WIN32)
#define HAL_LOCAL_KERNEL_EXPORT __declspec(dllexport)
#else
/// Makes a kernel visible outside its shared object.
#define HAL_LOCAL_KERNEL_EXPORT __attribute__((visibility("default")))
#endif

/// Begins the name of the symbol that marks a kernel: halyard-pack takes no function for a kernel that has neither a
/// mark nor a record (halyard/local_kernel_record.h), unless its description says so.
#define HAL_LOCAL_KERNEL_MARK_PREFIX "hal_workgroup_kernel_"
#define HAL_LOCAL_KERNEL_JOIN(a, b) a##b  ///< Both, once macros in them are expanded.
/// The symbol that marks a kernel.
#define HAL_LOCAL_KERNEL_MARK(name) HAL_LOCAL_KERNEL_JOIN(hal_workgroup_kernel_, name)

/// Begins the definition of an exported kernel; its parameters are named `dispatch` and `workgroup`.
#define HAL_LOCAL_KERNEL(name)                                                                           \
  HAL_LOCAL_KERNEL_DECLARED HAL_LOCAL_KERNEL_EXPORT const uint32_t HAL_LOCAL_KERNEL_MARK(name);          \
  const uint32_t HAL_LOCAL_KERNEL_MARK(name) = HAL_LOCAL_KERNEL_ABI_VERSION;                             \
  HAL_LOCAL_KERNEL_LINKAGE HAL_LOCAL_KERNEL_EXPORT int32_t name(const hal_local_dispatch_t* dispatch,    \
                                                                const hal_local_workgroup_t* workgroup); \
  HAL_LOCAL_KERNEL_LINKAGE HAL_LOCAL_KERNEL_EXPORT int32_t name(const hal_local_dispatch_t* dispatch,    \
                                                                const hal_local_workgroup_t* workgroup)

/// Inside a kernel: binding `ordinal` as a pointer to `type`.
#define HAL_LOCAL_BINDING(type, ordinal) ((type*)dispatch->bindings[(ordinal)])
/// Inside a kernel: the constant at byte `offset` as a pointer to `type`.
#define HAL_LOCAL_CONSTANT(type, offset) ((type*)((const char*)dispatch->constants + (offset)))

#ifdef __cplusplus
}
#endif

#endif  // HALYARD_LOCAL_KERNEL_H_
