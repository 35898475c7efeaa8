// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types of what functions take and return: their text, and whether a descriptor is of a type.
#ifndef HALYARD_FUNCTION_VALUE_TYPE_H_
#define HALYARD_FUNCTION_VALUE_TYPE_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/host_memory.h"
#include "base/status.h"
#include "halyard/memref.h"

namespace halyard {

/// A descriptor as MLIR lays it out: allocated, aligned, offset, then sizes, then strides. It does not own the memory.
struct Descriptor {
  static constexpr size_t kHeadWords = 3;

  hal_element_type_t element_type = HAL_ELEMENT_TYPE_NONE;
  uint32_t rank = 0;
  int64_t* words = nullptr;

  static Descriptor Of(const hal_memref_t& memref) {
    return {memref.element_type, memref.rank,
            reinterpret_cast<int64_t*>(const_cast<void**>(&memref.allocated))};  // NOLINT: only results are written
  }
  static constexpr size_t WordCount(uint32_t rank) { return kHeadWords + 2 * size_t{rank}; }

  int64_t Allocated() const { return words[0]; }
  int64_t Aligned() const { return words[1]; }
  int64_t Offset() const { return words[2]; }
  std::span<int64_t> Sizes() const { return {words + kHeadWords, rank}; }
  std::span<int64_t> Strides() const { return {words + kHeadWords + rank, rank}; }
};

constexpr bool IsComplex(hal_element_type_t type) { return (type & 0x8000) != 0; }
/// The type of both parts of a complex number; of another number its own.
constexpr hal_element_type_t PartOf(hal_element_type_t type) { return type & ~0x8000u; }
/// Of complex numbers the kind and the bits of a part.
constexpr hal_numeric_kind_t ElementKind(hal_element_type_t type) {
  return static_cast<hal_numeric_kind_t>(PartOf(type) >> 8);
}
constexpr uint32_t ElementBits(hal_element_type_t type) { return type & 0xFF; }

constexpr bool IsInteger(hal_element_type_t type) {
  if (IsComplex(type)) return false;
  const hal_numeric_kind_t kind = ElementKind(type);
  return (kind >= HAL_NUMERIC_KIND_BOOLEAN && kind <= HAL_NUMERIC_KIND_UNSIGNED) || kind == HAL_NUMERIC_KIND_INDEX;
}
/// A float of 8 bits or less, which LLVM takes for an integer.
constexpr bool IsSmallFloat(hal_element_type_t type) {
  return !IsComplex(type) && ElementKind(type) >= HAL_NUMERIC_KIND_F8E5M2;
}

/// What LLVM takes an object of a known type to be aligned to, in bytes; also the size of a part of a complex number.
constexpr uint32_t ElementAlignment(hal_element_type_t type) {
  return ElementKind(type) == HAL_NUMERIC_KIND_OPAQUE ? 1 : std::bit_ceil((ElementBits(type) + 7) / 8);
}
/// Bytes of an element of a known type.
constexpr uint32_t ElementSize(hal_element_type_t type) {
  if (ElementKind(type) == HAL_NUMERIC_KIND_OPAQUE) return ElementBits(type) / 8;
  return IsComplex(type) ? 2 * ElementAlignment(type) : ElementAlignment(type);
}
/// Bytes of a number or part that mean something: an f80 takes 16 and has 10.
constexpr uint32_t ValueSize(hal_element_type_t part) { return part == HAL_ELEMENT_TYPE_F80 ? 10 : ElementSize(part); }

/// What is passed in one integer register, extended from its width to the word: by zeroes for BOOLEAN, UNSIGNED and
/// small floats, else by its sign.
constexpr uint64_t ExtendInteger(hal_element_type_t type, uint64_t word) {
  const uint32_t unused = 63 - (ElementBits(type) - 1) % 64;
  const hal_numeric_kind_t kind = ElementKind(type);
  const bool by_zeroes =
      kind == HAL_NUMERIC_KIND_BOOLEAN || kind == HAL_NUMERIC_KIND_UNSIGNED || IsSmallFloat(PartOf(type));
  if (by_zeroes) return word << unused >> unused;
  return static_cast<uint64_t>(static_cast<int64_t>(word << unused) >> unused);
}

/// Whether a value of the type is a scalar that lies elsewhere, since hal_value_t has no room for it.
constexpr bool IsIndirect(const hal_value_type_t& type) {
  return type.kind == HAL_VALUE_KIND_SCALAR && IsComplex(type.element_type) && ElementBits(type.element_type) > 64;
}
/// Where the bytes of a scalar lie, or are to be put.
inline const void* ScalarBytes(const hal_value_type_t& type, const hal_value_t& value) {
  return IsIndirect(type) ? value.as.complex_wide : &value;
}

/// Where the element at index 0 lies.
inline std::byte* FirstElement(const Descriptor& descriptor) {
  return reinterpret_cast<std::byte*>(descriptor.Aligned()) +
         descriptor.Offset() * static_cast<int64_t>(ElementSize(descriptor.element_type));
}

/// Whether a value of the kind has dimensions that its type knows.
constexpr bool HasSizes(hal_value_kind_t kind) {
  return kind == HAL_VALUE_KIND_RANKED || kind == HAL_VALUE_KIND_HALIDE_BUFFER;
}

/// Dense row-major strides.
void FillDenseStrides(std::span<const int64_t> sizes, std::span<int64_t> strides);
/// Whether elements lie densely in row-major order; strides of dimensions with one element do not matter.
bool IsDense(std::span<const int64_t> sizes, std::span<const int64_t> strides);

/// A type as MLIR writes it; what is unknown in it shows as a number.
HostString TypeText(const hal_value_type_t& type);
/// What a descriptor amounts to, in the same words: "memref<4x3xf32, strided<[6, 2], offset: 1>>".
HostString DescriptorText(const Descriptor& descriptor);

/// Whether a descriptor is what is passed most: dense and well aligned memory for an identity layout. False says
/// nothing.
inline bool FitsAtOnce(const Descriptor& descriptor, const hal_value_type_t& type) {
  constexpr int64_t kMaxAlignment = 16;  // good for every element
  if (type.kind != HAL_VALUE_KIND_RANKED || type.strides || descriptor.rank != type.rank) return false;
  if (descriptor.element_type != type.element_type) return false;
  if (descriptor.Aligned() == 0 || descriptor.Aligned() % kMaxAlignment != 0) return false;
  const int64_t* const sizes = descriptor.words + Descriptor::kHeadWords;
  const int64_t* const strides = sizes + type.rank;
  int64_t expected = 1;
  for (uint32_t i = type.rank; i-- > 0;) {
    const bool fits = sizes[i] > 0 && (type.sizes[i] == sizes[i] || type.sizes[i] == HAL_DYNAMIC);
    if (!fits || strides[i] != expected || __builtin_mul_overflow(expected, sizes[i], &expected)) return false;
  }
  return true;
}

/// Checks an address: elements must be aligned.
Status CheckAlignment(uint64_t address, hal_element_type_t element_type);

/// Checks a descriptor against a type that is no scalar. Pointers to opaque bytes take elements of every type. Whether
/// the offset fits is not asked: FoldOffset() makes it fit. The message holds both sides and no function's name.
/// INVALID_ARGUMENT, or INCOMPATIBLE for a layout.
Status CheckDescriptor(const Descriptor& descriptor, const hal_value_type_t& type);

/// Whether the compiled code would take the offset for another one than it is.
inline bool NeedsFolding(const Descriptor& descriptor, const hal_value_type_t& type) {
  return type.kind == HAL_VALUE_KIND_RANKED && type.offset != HAL_DYNAMIC && descriptor.Offset() != type.offset;
}
/// Moves `aligned` so that the offset is the one that the type has.
void FoldOffset(const Descriptor& descriptor, const hal_value_type_t& type);

}  // namespace halyard

#endif  // HALYARD_FUNCTION_VALUE_TYPE_H_
