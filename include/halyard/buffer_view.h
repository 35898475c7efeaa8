// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Buffer views: a buffer with element type and shape. Queues know nothing of them; they are for the edges of a
/// program.
///
/// Since 0.1, all of it.
#ifndef HALYARD_BUFFER_VIEW_H_
#define HALYARD_BUFFER_VIEW_H_

#include "halyard/base.h"
#include "halyard/buffer.h"
#include "halyard/status.h"

HAL_EXTERN_C_BEGIN

/// How the bits of an element are read.
typedef enum hal_numeric_kind_t {
  HAL_NUMERIC_KIND_OPAQUE = 0,          ///< only the size is known
  HAL_NUMERIC_KIND_BOOLEAN = 1,         ///< `i1`; one byte each in memory
  HAL_NUMERIC_KIND_INTEGER = 2,         ///< `i8` …: the sign is in the eye of the operation, as in MLIR
  HAL_NUMERIC_KIND_SIGNED = 3,          ///< `si8` …
  HAL_NUMERIC_KIND_UNSIGNED = 4,        ///< `ui8` …
  HAL_NUMERIC_KIND_FLOAT = 5,           ///< IEEE 754: `f16`, `f32`, `f64`, `f128`; and `f80`, the x87's
  HAL_NUMERIC_KIND_BFLOAT = 6,          ///< `bf16`
  HAL_NUMERIC_KIND_INDEX = 8,           ///< `index`: an integer as wide as a pointer
  HAL_NUMERIC_KIND_F8E5M2 = 16,         ///< as IEEE 754 would have 8 bits, 5 of them exponent
  HAL_NUMERIC_KIND_F8E4M3 = 17,         ///< the same with 4
  HAL_NUMERIC_KIND_F8E3M4 = 18,         ///< the same with 3
  HAL_NUMERIC_KIND_F8E4M3FN = 19,       ///< no infinities; NaN is all ones but the sign
  HAL_NUMERIC_KIND_F8E5M2FNUZ = 20,     ///< no infinities, no -0, which is NaN; bias 16
  HAL_NUMERIC_KIND_F8E4M3FNUZ = 21,     ///< the same; bias 8
  HAL_NUMERIC_KIND_F8E4M3B11FNUZ = 22,  ///< the same; bias 11
  HAL_NUMERIC_KIND_F8E8M0FNU = 23,      ///< powers of two: 8 bits of exponent, no sign, no 0; NaN is all ones
  HAL_NUMERIC_KIND_F6E2M3FN = 24,       ///< neither infinities nor NaN
  HAL_NUMERIC_KIND_F6E3M2FN = 25,       ///< neither infinities nor NaN
  HAL_NUMERIC_KIND_F4E2M1FN = 26,       ///< neither infinities nor NaN
  HAL_NUMERIC_KIND_FORCE_32 = HAL_ENUM_FORCE_32
} hal_numeric_kind_t;

/// Element type: width in bits in bits 0-7, kind in bits 8-14. If bit 15 is set, an element is a complex number of two
/// such parts.
///
/// Integers have 1 to 64 bits, or 128. In memory each takes the next power of two in bytes, as MLIR lays them out: `i4`
/// and `f4E2M1FN` one, `i24` four; `f80` takes sixteen. LLVM expects the unused bits of the last used byte to be 0.
typedef uint32_t hal_element_type_t;
/// An element type from its kind and its width in bits.
#define HAL_ELEMENT_TYPE(kind, bits) (((uint32_t)(kind) << 8) | (uint32_t)(bits))
/// The type of complex numbers whose parts are of a type: any but `index` and opaque ones.
#define HAL_ELEMENT_TYPE_COMPLEX(part) ((uint32_t)(part) | 0x8000u)
/// No type.
#define HAL_ELEMENT_TYPE_NONE 0u
/// `i1`.
#define HAL_ELEMENT_TYPE_I1 0x0101u
/// `i4`.
#define HAL_ELEMENT_TYPE_I4 0x0204u
/// `i8`.
#define HAL_ELEMENT_TYPE_I8 0x0208u
/// `i16`.
#define HAL_ELEMENT_TYPE_I16 0x0210u
/// `i32`.
#define HAL_ELEMENT_TYPE_I32 0x0220u
/// `i64`.
#define HAL_ELEMENT_TYPE_I64 0x0240u
/// `si8`.
#define HAL_ELEMENT_TYPE_SI8 0x0308u
/// `si16`.
#define HAL_ELEMENT_TYPE_SI16 0x0310u
/// `si32`.
#define HAL_ELEMENT_TYPE_SI32 0x0320u
/// `si64`.
#define HAL_ELEMENT_TYPE_SI64 0x0340u
/// `ui8`.
#define HAL_ELEMENT_TYPE_UI8 0x0408u
/// `ui16`.
#define HAL_ELEMENT_TYPE_UI16 0x0410u
/// `ui32`.
#define HAL_ELEMENT_TYPE_UI32 0x0420u
/// `ui64`.
#define HAL_ELEMENT_TYPE_UI64 0x0440u
/// `f16`.
#define HAL_ELEMENT_TYPE_F16 0x0510u
/// `f32`.
#define HAL_ELEMENT_TYPE_F32 0x0520u
/// `f64`.
#define HAL_ELEMENT_TYPE_F64 0x0540u
/// `f80`.
#define HAL_ELEMENT_TYPE_F80 0x0550u
/// `f128`.
#define HAL_ELEMENT_TYPE_F128 0x0580u
/// `i128`.
#define HAL_ELEMENT_TYPE_I128 0x0280u
/// `bf16`.
#define HAL_ELEMENT_TYPE_BF16 0x0610u
/// `f8E5M2`.
#define HAL_ELEMENT_TYPE_F8E5M2 0x1008u
/// `f8E4M3`.
#define HAL_ELEMENT_TYPE_F8E4M3 0x1108u
/// `f8E3M4`.
#define HAL_ELEMENT_TYPE_F8E3M4 0x1208u
/// `f8E4M3FN`.
#define HAL_ELEMENT_TYPE_F8E4M3FN 0x1308u
/// `f8E5M2FNUZ`.
#define HAL_ELEMENT_TYPE_F8E5M2FNUZ 0x1408u
/// `f8E4M3FNUZ`.
#define HAL_ELEMENT_TYPE_F8E4M3FNUZ 0x1508u
/// `f8E4M3B11FNUZ`.
#define HAL_ELEMENT_TYPE_F8E4M3B11FNUZ 0x1608u
/// `f8E8M0FNU`.
#define HAL_ELEMENT_TYPE_F8E8M0FNU 0x1708u
/// `f6E2M3FN`.
#define HAL_ELEMENT_TYPE_F6E2M3FN 0x1806u
/// `f6E3M2FN`.
#define HAL_ELEMENT_TYPE_F6E3M2FN 0x1906u
/// `f4E2M1FN`.
#define HAL_ELEMENT_TYPE_F4E2M1FN 0x1A04u
/// `complex<f16>`.
#define HAL_ELEMENT_TYPE_COMPLEX_F16 0x8510u
/// `complex<bf16>`.
#define HAL_ELEMENT_TYPE_COMPLEX_BF16 0x8610u
/// `complex<f32>`.
#define HAL_ELEMENT_TYPE_COMPLEX_F32 0x8520u
/// `complex<f64>`.
#define HAL_ELEMENT_TYPE_COMPLEX_F64 0x8540u
/// `complex<f80>`.
#define HAL_ELEMENT_TYPE_COMPLEX_F80 0x8550u
/// `complex<f128>`.
#define HAL_ELEMENT_TYPE_COMPLEX_F128 0x8580u
/// `index`.
#define HAL_ELEMENT_TYPE_INDEX 0x0840u

/// A shape with strides, as a binding may carry it. A frozen struct.
typedef struct hal_shape_t {
  hal_element_type_t element_type;  ///< NONE if it does not matter
  uint32_t rank;                    ///< length of `sizes` and `strides`
  const int64_t* sizes;             ///< elements in each dimension
  const int64_t* strides;           ///< in elements; NULL for dense row-major
} hal_shape_t;

/// Bytes that one element takes in memory; 0 for an unknown type. Thread-safe.
HAL_API size_t hal_element_type_size(hal_element_type_t type);

/// Writes the MLIR name of a type ("f32", "complex<f64>") into `text` with a closing zero byte.
/// @param size  capacity of `text` in bytes; 24 suffice for every type
/// @return INVALID_ARGUMENT (unknown type), OUT_OF_RANGE (capacity). Thread-safe.
HAL_API hal_status_t hal_element_type_format(hal_element_type_t type, char* text, size_t size);

/// Reads a type from its MLIR name. @return INVALID_ARGUMENT, with the known names. Thread-safe.
HAL_API hal_status_t hal_element_type_parse(hal_string_view_t text, hal_element_type_t* out_type);

/// Makes a view of a whole buffer: dense, row-major.
///
/// @param sizes  elements in each of `rank` dimensions, 64 at most; rank 0 is a scalar
/// @return OUT_OF_RANGE (the buffer is shorter than the shape), INVALID_ARGUMENT (type, rank, negative size, a product
///         past 2^63 bytes).
/// Thread-safe.
HAL_API hal_status_t hal_buffer_view_create(hal_buffer_t* buffer, hal_element_type_t type, size_t rank,
                                            const int64_t* sizes, hal_buffer_view_t** out_view);

/// Keeps a view alive. Thread-safe.
HAL_API void hal_buffer_view_retain(hal_buffer_view_t* view);
/// Releases a reference. Thread-safe.
HAL_API void hal_buffer_view_release(hal_buffer_view_t* view);

/// The buffer of a view, not retained for the caller; NULL for NULL. Thread-safe.
HAL_API hal_buffer_t* hal_buffer_view_buffer(hal_buffer_view_t* view);
/// Element type and shape of a view; strides are dense. Lives as long as the view; all zero for NULL.
/// Thread-safe.
HAL_API hal_shape_t hal_buffer_view_shape(hal_buffer_view_t* view);
/// The number of elements; 0 for NULL. Thread-safe.
HAL_API uint64_t hal_buffer_view_element_count(hal_buffer_view_t* view);
/// The bytes that the elements take; 0 for NULL. Thread-safe.
HAL_API uint64_t hal_buffer_view_length(hal_buffer_view_t* view);

/// The byte offset of the element at `indices` (one for each dimension).
/// @return OUT_OF_RANGE, INVALID_ARGUMENT (`index_count` is not the rank). Thread-safe.
HAL_API hal_status_t hal_buffer_view_element_offset(hal_buffer_view_t* view, size_t index_count, const int64_t* indices,
                                                    uint64_t* out_offset);

/// Writes shape and contents as text: "2x2xf32=[1 2][3 4]", at most `max_elements` of them and then "...".
///
/// The buffer must be mappable and idle. `text` may be NULL if `size` is 0. `*out_length` (if not NULL) is the length
/// without the closing zero byte, also when `size` is too small for it; the text is then cut.
/// @return OUT_OF_RANGE (cut), as hal_buffer_map(). Thread-safe.
HAL_API hal_status_t hal_buffer_view_format(hal_buffer_view_t* view, size_t max_elements, char* text, size_t size,
                                            size_t* out_length);

HAL_EXTERN_C_END

#endif  // HALYARD_BUFFER_VIEW_H_
