// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "function/value_type.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>

namespace halyard {
namespace {

HostString ElementText(hal_element_type_t type) {
  std::array<char, 24> text;
  if (hal_element_type_size(type) == 0) {
    std::snprintf(text.data(), text.size(), "unknown(0x%x)", type);
  } else if (!Succeeds(FromC(hal_element_type_format(type, text.data(), text.size())))) {
    return "unknown";
  }
  return text.data();
}

HostString NumberText(int64_t number) {
  if (number == HAL_DYNAMIC) return "?";
  std::array<char, 24> text;
  std::snprintf(text.data(), text.size(), "%" PRId64, number);
  return text.data();
}

HostString LayoutText(std::span<const int64_t> strides, int64_t offset) {
  HostString text = ", strided<[";
  for (size_t i = 0; i < strides.size(); ++i) text += (i > 0 ? ", " : "") + NumberText(strides[i]);
  text += "]";
  if (offset != 0) text += ", offset: " + NumberText(offset);
  return text + ">";
}

HostString SizesText(hal_value_kind_t kind, std::span<const int64_t> sizes) {
  HostString text = kind == HAL_VALUE_KIND_HALIDE_BUFFER ? "halide_buffer<" : "memref<";
  for (const int64_t size : sizes) text += NumberText(size) + "x";
  return text;
}

/// A function's signless integers take whatever sign a caller gives them.
bool SameElements(hal_element_type_t given, hal_element_type_t expected) {
  if (given == expected) return true;
  if (ElementKind(expected) != HAL_NUMERIC_KIND_INTEGER || ElementBits(given) != ElementBits(expected)) return false;
  if (IsComplex(given) != IsComplex(expected)) return false;
  return ElementKind(given) == HAL_NUMERIC_KIND_SIGNED || ElementKind(given) == HAL_NUMERIC_KIND_UNSIGNED;
}

/// What `void*` points to.
constexpr hal_element_type_t kVoid = (HAL_NUMERIC_KIND_OPAQUE << 8) | 8;

/// C says by `const` that a function only reads.
bool IsConstant(const hal_value_type_t& type) {
  const bool is_c = type.kind == HAL_VALUE_KIND_POINTER || type.kind == HAL_VALUE_KIND_HALIDE_BUFFER;
  return is_c && type.access == HAL_BINDING_ACCESS_READ;
}

bool IsEmpty(std::span<const int64_t> sizes) {
  return std::any_of(sizes.begin(), sizes.end(), [](int64_t size) { return size == 0; });
}

bool SizesFit(const Descriptor& descriptor, const hal_value_type_t& type) {
  const auto sizes = descriptor.Sizes();
  for (uint32_t i = 0; i < type.rank; ++i) {
    if (sizes[i] < 0 || (type.sizes[i] != HAL_DYNAMIC && type.sizes[i] != sizes[i])) return false;
  }
  return true;
}

/// Halide counts in 32 bits.
bool FitsHalide(const Descriptor& descriptor) {
  const auto fits = [](int64_t number) { return number == static_cast<int32_t>(number); };
  const auto sizes = descriptor.Sizes();
  const auto strides = descriptor.Strides();
  return std::all_of(sizes.begin(), sizes.end(), fits) && std::all_of(strides.begin(), strides.end(), fits);
}

bool StridesFit(const Descriptor& descriptor, const hal_value_type_t& type) {
  if (type.kind == HAL_VALUE_KIND_HALIDE_BUFFER) return FitsHalide(descriptor);
  const auto sizes = descriptor.Sizes();
  const auto strides = descriptor.Strides();
  if (!type.strides) return IsDense(sizes, strides);
  for (uint32_t i = 0; i < type.rank; ++i) {
    if (sizes[i] > 1 && type.strides[i] != HAL_DYNAMIC && type.strides[i] != strides[i]) return IsEmpty(sizes);
  }
  return true;
}

Status Mismatch(hal_status_t status, const Descriptor& descriptor, const hal_value_type_t& type, const char* what) {
  return Fail(status, "the function takes %s, given is %s: %s", TypeText(type).c_str(),
              DescriptorText(descriptor).c_str(), what);
}

Status CheckRanked(const Descriptor& descriptor, const hal_value_type_t& type) {
  if (descriptor.rank != type.rank) return Mismatch(HAL_STATUS_INVALID_ARGUMENT, descriptor, type, "the ranks differ");
  if (!SizesFit(descriptor, type)) return Mismatch(HAL_STATUS_INVALID_ARGUMENT, descriptor, type, "the sizes differ");
  if (StridesFit(descriptor, type)) return kOk;
  const bool halide = type.kind == HAL_VALUE_KIND_HALIDE_BUFFER;
  return Mismatch(HAL_STATUS_INCOMPATIBLE, descriptor, type,
                  halide ? "Halide counts in 32 bits" : "the layout cannot express these strides");
}

Status CheckUnranked(const Descriptor& descriptor, const hal_value_type_t& type) {
  const auto sizes = descriptor.Sizes();
  if (std::all_of(sizes.begin(), sizes.end(), [](int64_t size) { return size >= 0; })) return kOk;
  return Mismatch(HAL_STATUS_INVALID_ARGUMENT, descriptor, type, "a size is negative");
}

Status CheckAddress(const Descriptor& descriptor) {
  const int64_t address = descriptor.Aligned();
  const uint32_t alignment = ElementAlignment(descriptor.element_type);  // a power of two; dividing would take long
  if (address != 0 && (address & (alignment - 1)) == 0) return kOk;
  if (IsEmpty(descriptor.Sizes())) return kOk;
  if (address == 0) return FailWith(HAL_STATUS_INVALID_ARGUMENT, "`aligned` is NULL, but there are elements");
  return Annotate(CheckAlignment(static_cast<uint64_t>(address), descriptor.element_type), "`aligned`: ");
}

bool TakesEveryElement(const hal_value_type_t& type) {
  return type.kind == HAL_VALUE_KIND_POINTER && ElementKind(type.element_type) == HAL_NUMERIC_KIND_OPAQUE;
}

}  // namespace

Status CheckAlignment(uint64_t address, hal_element_type_t element_type) {
  const uint32_t alignment = ElementAlignment(element_type);
  if ((address & (alignment - 1)) == 0) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "the address 0x%" PRIx64 " is not aligned to the %u bytes of %s", address,
              alignment, ElementText(element_type).c_str());
}

void FillDenseStrides(std::span<const int64_t> sizes, std::span<int64_t> strides) {
  int64_t stride = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = stride;
    // An empty array has no elements to step over, and a wrong number must not overflow before it is refused.
    if (__builtin_mul_overflow(stride, std::max<int64_t>(sizes[i], 1), &stride)) stride = INT64_MAX;
  }
}

bool IsDense(std::span<const int64_t> sizes, std::span<const int64_t> strides) {
  int64_t expected = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] == 1) continue;
    if (strides[i] != expected) return IsEmpty(sizes);
    if (__builtin_mul_overflow(expected, sizes[i], &expected)) return false;
  }
  return true;
}

HostString TypeText(const hal_value_type_t& type) {
  HostString element = ElementText(type.element_type);
  if (type.kind == HAL_VALUE_KIND_SCALAR) return element;
  if (type.kind == HAL_VALUE_KIND_UNRANKED) return "memref<*x" + element + ">";
  if (type.role == HAL_ARGUMENT_ROLE_NULL) return "null";
  const char* const prefix = IsConstant(type) ? "const " : "";
  if (type.kind == HAL_VALUE_KIND_POINTER) {
    return prefix + (type.element_type == kVoid ? HostString("void") : element) + "*";
  }
  HostString text = prefix + SizesText(type.kind, {type.sizes, type.rank}) + element;
  if (type.strides) text += LayoutText({type.strides, type.rank}, type.offset);
  return text + ">";
}

HostString DescriptorText(const Descriptor& descriptor) {
  if (descriptor.rank > HAL_MEMREF_MAX_RANK) return "a memref of rank " + NumberText(descriptor.rank);
  HostString text = SizesText(HAL_VALUE_KIND_RANKED, descriptor.Sizes()) + ElementText(descriptor.element_type);
  if (descriptor.Offset() != 0 || !IsDense(descriptor.Sizes(), descriptor.Strides())) {
    text += LayoutText(descriptor.Strides(), descriptor.Offset());
  }
  return text + ">";
}

Status CheckDescriptor(const Descriptor& descriptor, const hal_value_type_t& type) {
  if (descriptor.rank > HAL_MEMREF_MAX_RANK) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "the rank is %u; at most %u is possible", descriptor.rank,
                static_cast<unsigned>(HAL_MEMREF_MAX_RANK));
  }
  if (!SameElements(descriptor.element_type, type.element_type) && !TakesEveryElement(type)) {
    return Mismatch(HAL_STATUS_INVALID_ARGUMENT, descriptor, type, "the element types differ");
  }
  const bool ranked = HasSizes(type.kind);
  const Status status = ranked ? CheckRanked(descriptor, type) : CheckUnranked(descriptor, type);
  return status == kOk ? CheckAddress(descriptor) : status;
}

void FoldOffset(const Descriptor& descriptor, const hal_value_type_t& type) {
  descriptor.words[1] += (descriptor.Offset() - type.offset) * static_cast<int64_t>(ElementSize(type.element_type));
  descriptor.words[2] = type.offset;
}

}  // namespace halyard
