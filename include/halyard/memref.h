// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Functions of the host: what they take and return (signatures), MLIR's descriptors of memory (memrefs), and calls.
/// See docs/memref.md for functions compiled by MLIR, and docs/c-functions.md for plain C functions.
///
/// ```c
/// const hal_function_t* matmul = NULL;
/// hal_executable_find_function(executable, hal_string_view("matmul"), &matmul);
/// hal_memref_t a, b, c;
/// hal_memref_map_buffer_view(view_of_a, HAL_MAP_ACCESS_READ, &a);  // … b and c alike
/// hal_value_t arguments[3] = {hal_value_memref(&a), hal_value_memref(&b), hal_value_memref(&c)};
/// hal_function_call(matmul, 3, arguments, 0, NULL);                // runs on this thread
/// hal_buffer_unmap(hal_buffer_view_buffer(view_of_a));             // … b and c alike
/// ```
///
/// The same functions run on queues: an export whose `signature` is set takes its memrefs as bindings with shapes, and
/// its pointers as bindings.
///
/// Since 0.1, all of it.
#ifndef HALYARD_MEMREF_H_
#define HALYARD_MEMREF_H_

#include "halyard/allocator.h"
#include "halyard/base.h"
#include "halyard/buffer.h"
#include "halyard/buffer_view.h"
#include "halyard/executable.h"
#include "halyard/status.h"

HAL_EXTERN_C_BEGIN

/// The most dimensions of a memref; what buffer views take, too.
#define HAL_MEMREF_MAX_RANK 64

/// In a type: a size, stride or offset that is only known at run time (`?`).
#define HAL_DYNAMIC (-0x7FFFFFFFFFFFFFFF - 1)

/// A memref: MLIR's descriptor, with what it describes. A frozen struct.
///
/// From `allocated` on the bytes are those of MLIR's descriptor of that rank, so a compiled function reads them in
/// place. The element at `i` is `aligned[offset + Σ i[d] * stride[d]]`, counted in elements.
typedef struct hal_memref_t {
  hal_element_type_t element_type;  ///< what one element is
  uint32_t rank;                    ///< dimensions
  uint32_t owned;                   ///< 1 if hal_memref_release() has to free `allocated`
  uint32_t reserved;                ///< 0
  void* allocated;                  ///< what was allocated, for the side that frees it
  void* aligned;                    ///< where indices count from
  int64_t offset;                   ///< elements from `aligned` to the first one
  int64_t dimensions[128];          ///< `rank` sizes and then `rank` strides, in elements: 2 * HAL_MEMREF_MAX_RANK
} hal_memref_t;

/// The sizes of a memref: `rank` numbers. Thread-safe.
static inline int64_t* hal_memref_sizes(hal_memref_t* memref) { return memref->dimensions; }
/// The strides of a memref in elements: `rank` numbers. Thread-safe.
static inline int64_t* hal_memref_strides(hal_memref_t* memref) { return memref->dimensions + memref->rank; }

/// How a function is called.
typedef enum hal_calling_convention_t {
  HAL_CALLING_CONVENTION_WRAPPER = 0,       ///< through `_mlir_ciface_<name>`: memrefs as pointers to descriptors
  HAL_CALLING_CONVENTION_EXPANDED = 1,      ///< `<name>` itself: each field of a descriptor is an argument
  HAL_CALLING_CONVENTION_BARE_POINTER = 2,  ///< `<name>` itself: a pointer for each memref, whose shape is static
  HAL_CALLING_CONVENTION_C = 3,             ///< a plain C function: numbers, pointers and Halide's buffers
  HAL_CALLING_CONVENTION_C_STATUS = 4,      ///< the same; returns an `int`, and all but 0 means that it failed
  HAL_CALLING_CONVENTION_FORCE_32 = HAL_ENUM_FORCE_32
} hal_calling_convention_t;

/// What kind of value a function takes or returns.
typedef enum hal_value_kind_t {
  HAL_VALUE_KIND_SCALAR = 0,    ///< `f32`, `index`, `complex<f64>` …
  HAL_VALUE_KIND_RANKED = 1,    ///< `memref<4x?xf32>`
  HAL_VALUE_KIND_UNRANKED = 2,  ///< `memref<*xf32>`
  HAL_VALUE_KIND_POINTER = 3,   ///< argument of a C function: `float*`, whatever it points to
  /// argument of a C function: `halide_buffer_t*`. Dimension 0 of Halide is the last one of the memref
  HAL_VALUE_KIND_HALIDE_BUFFER = 4,
  HAL_VALUE_KIND_FORCE_32 = HAL_ENUM_FORCE_32
} hal_value_kind_t;

/// Where a dispatch takes an argument from. Plain calls give every argument.
typedef enum hal_argument_role_t {
  HAL_ARGUMENT_ROLE_DATA = 0,            ///< a binding (memref) or constants (scalar)
  HAL_ARGUMENT_ROLE_WORKGROUP_ID_X = 1,  ///< which workgroup runs, in x; an `index`, `i32` or `i64`; in C of any sign
  HAL_ARGUMENT_ROLE_WORKGROUP_ID_Y = 2,  ///< … in y
  HAL_ARGUMENT_ROLE_WORKGROUP_ID_Z = 3,  ///< … in z
  HAL_ARGUMENT_ROLE_WORKGROUP_COUNT_X = 4,  ///< how many workgroups there are in x
  HAL_ARGUMENT_ROLE_WORKGROUP_COUNT_Y = 5,  ///< … in y
  HAL_ARGUMENT_ROLE_WORKGROUP_COUNT_Z = 6,  ///< … in z
  HAL_ARGUMENT_ROLE_WORKGROUP_SIZE_X = 7,   ///< C functions: the size of a workgroup in x, which the dispatch chose
  HAL_ARGUMENT_ROLE_WORKGROUP_SIZE_Y = 8,   ///< … in y
  HAL_ARGUMENT_ROLE_WORKGROUP_SIZE_Z = 9,   ///< … in z
  HAL_ARGUMENT_ROLE_NULL = 10,              ///< C functions: a pointer that is NULL, such as a context without use
  HAL_ARGUMENT_ROLE_FORCE_32 = HAL_ENUM_FORCE_32
} hal_argument_role_t;

/// Which side frees the memory of a memref that a function returns.
typedef enum hal_result_ownership_t {
  /// `allocated` decides: memory of an argument, of an earlier result or of a global is not the caller's, all other
  /// memory is. A bare pointer is BORROWED.
  HAL_RESULT_OWNERSHIP_AUTOMATIC = 0,
  HAL_RESULT_OWNERSHIP_CALLER = 1,    ///< the caller frees it
  HAL_RESULT_OWNERSHIP_BORROWED = 2,  ///< the caller does not
  HAL_RESULT_OWNERSHIP_FORCE_32 = HAL_ENUM_FORCE_32
} hal_result_ownership_t;

/// The type of an argument or result, as the compiled code was made for it. A frozen struct.
typedef struct hal_value_type_t {
  hal_value_kind_t kind;             ///< which kind
  hal_element_type_t element_type;   ///< of the scalar, or of the memref's elements; `void*` points to opaque bytes
  uint32_t rank;                     ///< RANKED, HALIDE_BUFFER: dimensions
  hal_argument_role_t role;          ///< SCALAR or POINTER argument: where a dispatch takes it from
  hal_binding_access_t access;       ///< memref or pointer argument: what the function does with it
  hal_result_ownership_t ownership;  ///< memref result: which side frees it
  int64_t offset;                    ///< RANKED: elements, or HAL_DYNAMIC; 0 if `strides` is NULL
  const int64_t* sizes;              ///< RANKED, HALIDE_BUFFER: `rank` numbers or HAL_DYNAMIC
  const int64_t* strides;            ///< RANKED: `rank` numbers or HAL_DYNAMIC; NULL for the identity layout, in which
                                     ///< elements lie densely in row-major order
} hal_value_type_t;

/// What a function takes and returns. A shared object does not contain it.
struct hal_function_signature_t {
  size_t struct_size;                   ///< sizeof(hal_function_signature_t)
  hal_calling_convention_t convention;  ///< how it is called
  uint32_t argument_count;              ///< length of `arguments`
  uint32_t result_count;                ///< length of `results`
  uint32_t reserved;                    ///< 0
  const hal_value_type_t* arguments;    ///< in the function's order
  const hal_value_type_t* results;      ///< in the function's order
};

/// One argument or result of a call. A frozen struct of 16 bytes.
typedef struct hal_value_t {
  union {
    int8_t i8;                ///< `i1` (0 or 1), `i8`, `si8` and narrower
    int16_t i16;              ///< `i16`, `si16`; `i9` to `i15`
    int32_t i32;              ///< `i32`, `si32`; `i17` to `i31`
    int64_t i64;              ///< `i64`, `si64`, `index`; `i33` to `i63`. Results are extended up to here
    uint64_t u64;             ///< `ui64`; on little-endian hosts the low bytes are the narrower unsigned types
    uint8_t f8;               ///< the bits of floats of 8 bits, 6 and 4
    uint16_t f16;             ///< the bits of `f16` and `bf16`
    float f32;                ///< `f32`
    double f64;               ///< `f64`
    uint64_t wide[2];         ///< the bits of `i128`, `f128` and `f80`, the low ones first
    int8_t complex_i8[2];     ///< `complex<i8>` and narrower: real, imaginary. Parts of results are extended, too
    int16_t complex_i16[2];   ///< `complex<i16>`; `complex<i9>` to `complex<i15>`: real, imaginary
    int32_t complex_i32[2];   ///< `complex<i32>`; `complex<i17>` to `complex<i31>`: real, imaginary
    int64_t complex_i64[2];   ///< `complex<i64>`; `complex<i33>` to `complex<i63>`: real, imaginary
    uint8_t complex_f8[2];    ///< the bits of complex numbers of such floats as `f8` holds: real, imaginary
    uint16_t complex_f16[2];  ///< the bits of `complex<f16>` and `complex<bf16>`: real, imaginary
    float complex_f32[2];     ///< `complex<f32>`: real, imaginary
    double complex_f64[2];    ///< `complex<f64>`: real, imaginary
    void* complex_wide;    ///< `complex<f80>`, `complex<f128>`, `complex<i128>`: where their 32 bytes lie, 16 of each
                           ///< part, real and imaginary; of a result, where to put them
    hal_memref_t* memref;  ///< memrefs, ranked and unranked, and Halide's buffers; for a result where to put it
    void* pointer;         ///< POINTER: an address of the host, which may be NULL if the function takes that
  } as;                    ///< the member that the type names
} hal_value_t;

/// A memref as an argument, or the place of a memref result. Thread-safe.
static inline hal_value_t hal_value_memref(hal_memref_t* memref) {
  hal_value_t value = {{0}};
  value.as.memref = memref;
  return value;
}
/// A pointer to memory of the host. Thread-safe.
static inline hal_value_t hal_value_pointer(void* pointer) {
  hal_value_t value = {{0}};
  value.as.pointer = pointer;
  return value;
}
/// An `index` or `i64`. Thread-safe.
static inline hal_value_t hal_value_index(int64_t number) {
  hal_value_t value = {{0}};
  value.as.i64 = number;
  return value;
}
/// An `f32`. Thread-safe.
static inline hal_value_t hal_value_f32(float number) {
  hal_value_t value = {{0}};
  value.as.f32 = number;
  return value;
}

/// A function that can be called. Belongs to its executable and lives as long.
typedef struct hal_function_t hal_function_t;

/// Describes memory of the host as a memref that does not own it. The offset is 0; absent strides become dense ones.
///
/// @param data    the lowest element. With negative strides it is not the first one, to which `aligned` then points
/// @param length  bytes that may be touched from `data` on; every element must lie inside
/// @return INVALID_ARGUMENT (rank, negative size, element type, `data` not aligned to its elements),
///         OUT_OF_RANGE (elements past `length`).
/// Thread-safe.
HAL_API hal_status_t hal_memref_initialize(const hal_shape_t* shape, void* data, uint64_t length,
                                           hal_memref_t* out_memref);

/// Maps a part of a buffer and describes it as a memref, which is valid until hal_buffer_unmap().
///
/// @param byte_offset  where the first element lies, in bytes from the start of the buffer
/// @return as hal_memref_initialize() and hal_buffer_map(). Thread-safe.
HAL_API hal_status_t hal_memref_map_buffer(hal_buffer_t* buffer, hal_map_access_t access, uint64_t byte_offset,
                                           const hal_shape_t* shape, hal_memref_t* out_memref);

/// Maps a buffer view and describes it as a memref, which is valid until hal_buffer_unmap() of the view's buffer.
/// @return as hal_memref_map_buffer(). Thread-safe.
HAL_API hal_status_t hal_memref_map_buffer_view(hal_buffer_view_t* view, hal_map_access_t access,
                                                hal_memref_t* out_memref);

/// Makes a buffer view of a memref's memory, without a copy.
///
/// A memref that owns its memory passes it to the buffer: `memref->owned` becomes 0, and the last reference to the
/// buffer frees the memory. Memory that is not owned must outlive the buffer. Buffer views are dense, so the memref
/// must be dense.
/// @param params  what the buffer will be used for
/// @return INCOMPATIBLE (strides that are not dense, with both), as hal_allocator_import(); the memref then keeps what
///         it owns. Thread-safe.
HAL_API hal_status_t hal_memref_to_buffer_view(hal_allocator_t* allocator, const hal_buffer_params_t* params,
                                               hal_memref_t* memref, hal_buffer_view_t** out_view);

/// Frees the memory of a memref that owns it, as results of calls may, and clears `owned`. NULL is fine.
/// Thread-compatible.
HAL_API void hal_memref_release(hal_memref_t* memref);

/// Checks a memref against a type: rank, element type, static sizes, layout, address.
/// @return INVALID_ARGUMENT or INCOMPATIBLE, with both sides. Thread-safe.
HAL_API hal_status_t hal_memref_check(const hal_memref_t* memref, const hal_value_type_t* type);

/// Writes a type as MLIR does, "memref<4x?xf32, strided<[?, 1]>>", a pointer as C does, "const f32*", cut to `size`
/// bytes with the closing zero byte.
/// @param out_length  bytes without the zero byte, also when cut; may be NULL
/// @return INVALID_ARGUMENT (unknown type), OUT_OF_RANGE (cut). Thread-safe.
HAL_API hal_status_t hal_value_type_format(const hal_value_type_t* type, char* text, size_t size, size_t* out_length);

/// The function behind an export that has a signature.
/// @return OUT_OF_RANGE (ordinal), INCOMPATIBLE (the export has no signature), UNIMPLEMENTED (the device does
///         not run functions on the host). Thread-safe.
HAL_API hal_status_t hal_executable_function(hal_executable_t* executable, uint32_t ordinal,
                                             const hal_function_t** out_function);
/// The same by name. @return also NOT_FOUND (no such export, as for every lookup by name), with similar names.
/// Thread-safe.
HAL_API hal_status_t hal_executable_find_function(hal_executable_t* executable, hal_string_view_t name,
                                                  const hal_function_t** out_function);

/// What a function takes and returns; lives as long as the function; NULL for NULL. Thread-safe.
HAL_API const hal_function_signature_t* hal_function_signature(const hal_function_t* function);

/// Calls a function on this thread, and returns when it does. Queues do not know of it: the caller orders the call.
///
/// Arguments are checked against the signature first. Memref results are written to `results[i].as.memref`. Results
/// that own their memory say so in `owned`; pass them to hal_memref_release() or hal_memref_to_buffer_view(). A failed
/// `cf.assert` is ABORTED if halyard-pack linked the object. Its text is written to the standard output (see
/// docs/memref.md). A C function with a status that is not 0 is ABORTED, with the number.
/// @return INVALID_ARGUMENT or INCOMPATIBLE (counts, rank, element type, sizes, layout; with the function's name, the
///         argument's position and both sides), ABORTED. Thread-safe, blocks as long as the function runs.
HAL_API hal_status_t hal_function_call(const hal_function_t* function, size_t argument_count,
                                       const hal_value_t* arguments, size_t result_count, hal_value_t* results);

HAL_EXTERN_C_END

#endif  // HALYARD_MEMREF_H_
