// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Records by which a host shared object describes its kernels: one for each, in a section of their own. The file
/// includes nothing else of Halyard, like halyard/local_kernel.h.
///
/// ```c
/// HAL_LOCAL_KERNEL_RECORD(scale, 64, 1, 1, /*local_memory_size=*/0, /*constants_size=*/4, /*parameter_count=*/3,
///                         HAL_LOCAL_CONSTANT_RECORD(0, 4),
///                         HAL_LOCAL_BINDING_RECORD(0, 0, HAL_LOCAL_ACCESS_READ),
///                         HAL_LOCAL_BINDING_RECORD(0, 1, HAL_LOCAL_ACCESS_WRITE));
/// HAL_LOCAL_KERNEL(scale) { … }
/// ```
///
/// The records follow each other in any order and hold no addresses, so they can be read without loading the object.
/// Numbers have the byte order of the object's machine. docs/executables.md says what a reader does with them.
#ifndef HALYARD_LOCAL_KERNEL_RECORD_H_
#define HALYARD_LOCAL_KERNEL_RECORD_H_

#include <stddef.h>
#include <stdint.h>

/// The section that the records are in.
#define HAL_LOCAL_KERNEL_SECTION ".halyard.kernels"
/// hal_local_kernel_record_t::magic: "HLKR" as a little-endian machine writes it.
#define HAL_LOCAL_KERNEL_RECORD_MAGIC 0x524b4c48u
/// hal_local_kernel_record_t::version.
#define HAL_LOCAL_KERNEL_RECORD_VERSION 1u

/// hal_local_parameter_record_t::access, with the values of hal_binding_access_t.
#define HAL_LOCAL_ACCESS_READ_WRITE 0u
#define HAL_LOCAL_ACCESS_READ 1u   ///< the kernel only reads the binding
#define HAL_LOCAL_ACCESS_WRITE 2u  ///< the kernel only writes the binding

/// A parameter: hal_parameter_t in fixed-size numbers. A frozen struct.
typedef struct hal_local_parameter_record_t {
  uint32_t kind;     ///< 0 is a binding, 1 a constant
  uint32_t offset;   ///< of a constant: bytes, in the constants of a dispatch
  uint32_t size;     ///< of a constant: bytes
  uint32_t set;      ///< of a binding
  uint32_t binding;  ///< of a binding: its number in the set
  uint32_t access;   ///< of a binding: HAL_LOCAL_ACCESS_…
} hal_local_parameter_record_t;

/// A kernel. `parameters_offset` and `name_offset` are the places of the parameters and of the name, from the beginning
/// of the record. So later versions may add fields.
typedef struct hal_local_kernel_record_t {
  uint32_t magic;              ///< HAL_LOCAL_KERNEL_RECORD_MAGIC
  uint32_t version;            ///< HAL_LOCAL_KERNEL_RECORD_VERSION
  uint32_t record_size;        ///< bytes, to the next record; a multiple of 8
  uint32_t name_offset;        ///< bytes; the symbol of the kernel, with a zero byte at its end
  uint32_t parameters_offset;  ///< bytes; a multiple of 4
  uint32_t parameter_count;    ///< hal_local_parameter_record_t there
  uint32_t workgroup_size[3];  ///< work-items in x, y, z; x is 0 if each dispatch says
  uint32_t local_memory_size;  ///< bytes of workgroup memory that the kernel declares
  uint32_t constants_size;     ///< bytes of constants that a dispatch gives
  uint32_t reserved;           ///< 0
} hal_local_kernel_record_t;

/// A parameter of HAL_LOCAL_KERNEL_RECORD(): `size` bytes of the constants, from `offset` on.
#define HAL_LOCAL_CONSTANT_RECORD(offset, size) \
  { 1u, (offset), (size), 0u, 0u, 0u }
/// A parameter of HAL_LOCAL_KERNEL_RECORD(): a binding.
#define HAL_LOCAL_BINDING_RECORD(set, binding, access) \
  { 0u, 0u, 0u, (set), (binding), (access) }

/// What stands for the parameters of a kernel that has none.
#define HAL_LOCAL_NO_PARAMETERS() \
  { 0u, 0u, 0u, 0u, 0u, 0u }

/// Keeps Clang's AddressSanitizer from padding the records, which lie one after another.
#if defined(__clang__)
#define HAL_LOCAL_KERNEL_UNPADDED() __attribute__((no_sanitize("address")))
#else
#define HAL_LOCAL_KERNEL_UNPADDED()
#endif

#if defined(__has_attribute) && defined(__ELF__)
#if __has_attribute(retain)
#define HAL_LOCAL_KERNEL_RETAIN() __attribute__((retain))
#endif
#endif
#if !defined(HAL_LOCAL_KERNEL_RETAIN)
/// Keeps a record when the linker drops what nothing refers to (--gc-sections), if the compiler can say so.
#define HAL_LOCAL_KERNEL_RETAIN()
#endif

/// Puts the record of a kernel into the object. At file scope; `...` are its parameters, in order. A kernel without any
/// has `parameter_count` 0 and HAL_LOCAL_NO_PARAMETERS().
#define HAL_LOCAL_KERNEL_RECORD(name, x, y, z, local_memory_size, constants_size, parameter_count, ...)  \
  struct hal_local_record_of_##name {                                                                    \
    hal_local_kernel_record_t head;                                                                      \
    hal_local_parameter_record_t parameters[(parameter_count) ? (parameter_count) : 1];                  \
    char text[(sizeof(#name) + 7) / 8 * 8];                                                              \
  };                                                                                                     \
  HAL_LOCAL_KERNEL_RETAIN()                                                                              \
  HAL_LOCAL_KERNEL_UNPADDED()                                                                            \
  __attribute__((section(HAL_LOCAL_KERNEL_SECTION), used,                                                \
                 aligned(8))) static const struct hal_local_record_of_##name hal_local_record_##name = { \
      {HAL_LOCAL_KERNEL_RECORD_MAGIC,                                                                    \
       HAL_LOCAL_KERNEL_RECORD_VERSION,                                                                  \
       (uint32_t)sizeof(struct hal_local_record_of_##name),                                              \
       (uint32_t)offsetof(struct hal_local_record_of_##name, text),                                      \
       (uint32_t)offsetof(struct hal_local_record_of_##name, parameters),                                \
       (parameter_count),                                                                                \
       {(x), (y), (z)},                                                                                  \
       (local_memory_size),                                                                              \
       (constants_size),                                                                                 \
       0u},                                                                                              \
      {__VA_ARGS__},                                                                                     \
      #name}

#endif  // HALYARD_LOCAL_KERNEL_RECORD_H_
