// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "function/results.h"

#include <algorithm>
#include <cinttypes>
#include <cstdlib>
#include <cstring>

namespace halyard {
namespace {

#if HALYARD_HAS_NATIVE_CALL && defined(__x86_64__)
void StoreX87(const ResultComponent& component, const NativeReturns& returns, std::byte* target) {
  const long double value = returns.x87[component.index];
  if (component.kind == ComponentClass::kExtended) {
    std::memcpy(target, &value, component.size);
  } else if (component.kind == ComponentClass::kFloat) {
    const auto number = static_cast<float>(value);
    std::memcpy(target, &number, sizeof(number));
  } else {
    const auto number = static_cast<double>(value);
    std::memcpy(target, &number, sizeof(number));
  }
}
#else
void StoreX87(const ResultComponent&, const NativeReturns&, std::byte*) {}  // no plan says that there is any
#endif

/// memcpy() for sizes that are mostly those of a register.
void CopyPiece(void* target, const void* source, uint32_t size) {
  switch (size) {
    case 4:
      std::memcpy(target, source, 4);
      return;
    case 8:
      std::memcpy(target, source, 8);
      return;
    default:
      std::memcpy(target, source, size);
  }
}

int64_t ReadWord(const std::byte* bytes) {
  int64_t word = 0;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

/// Copies a number or part as far as it means something, to where zeroes are; the bits above an integer's own do not.
void TakeNumber(hal_element_type_t part, const std::byte* bytes, void* target, size_t target_size) {
  if (!(IsInteger(part) || IsSmallFloat(part)) || ElementBits(part) > 64) {
    return CopyPiece(target, bytes, ValueSize(part));
  }
  uint64_t word = 0;
  CopyPiece(&word, bytes, ElementSize(part));
  word = ExtendInteger(part, word);
  CopyPiece(target, &word, static_cast<uint32_t>(std::min(target_size, sizeof(word))));
}

void TakeComplex(const hal_value_type_t& type, const std::byte* bytes, hal_value_t* value) {
  const hal_element_type_t part = PartOf(type.element_type);
  const size_t size = ElementSize(part);
  auto* const target = static_cast<std::byte*>(IsIndirect(type) ? value->as.complex_wide : value);
  if (IsIndirect(type)) {
    std::memset(target, 0, 2 * size);
  } else {
    *value = hal_value_t{};
  }
  for (const size_t offset : {size_t{0}, size}) TakeNumber(part, bytes + offset, target + offset, size);
}

void TakeScalar(const hal_value_type_t& type, const std::byte* bytes, hal_value_t* value) {
  if (IsComplex(type.element_type)) return TakeComplex(type, bytes, value);
  *value = hal_value_t{};
  TakeNumber(type.element_type, bytes, value, sizeof(*value));
}

/// A shared pointer tells nothing of its shape, which is the type's.
void TakeBarePointer(const hal_value_type_t& type, int64_t pointer, const Descriptor& target) {
  target.words[0] = target.words[1] = pointer;
  target.words[2] = type.offset;
  std::copy_n(type.sizes, type.rank, target.Sizes().begin());
  if (type.strides) {
    std::copy_n(type.strides, type.rank, target.Strides().begin());
  } else {
    FillDenseStrides(target.Sizes(), target.Strides());
  }
}

/// The descriptor of an unranked result was copied to the heap for the caller, who frees it.
Status TakeUnranked(const std::byte* bytes, hal_memref_t* memref) {
  const int64_t rank = ReadWord(bytes);
  void* descriptor = nullptr;
  std::memcpy(&descriptor, bytes + sizeof(int64_t), sizeof(descriptor));
  if (rank < 0 || rank > HAL_MEMREF_MAX_RANK || !descriptor) {
    return Fail(HAL_STATUS_INTERNAL, "the function returned an unranked memref of rank %" PRId64 ", descriptor %p",
                rank, descriptor);
  }
  memref->rank = static_cast<uint32_t>(rank);
  std::memcpy(&memref->allocated, descriptor, Descriptor::WordCount(memref->rank) * sizeof(int64_t));
  std::free(descriptor);
  return kOk;
}

Status TakeMemref(const hal_value_type_t& type, hal_calling_convention_t convention, const std::byte* bytes,
                  hal_memref_t* memref) {
  memref->element_type = type.element_type;
  memref->rank = type.rank;
  memref->owned = 0;
  memref->reserved = 0;
  if (type.kind == HAL_VALUE_KIND_UNRANKED) return TakeUnranked(bytes, memref);
  if (convention == HAL_CALLING_CONVENTION_BARE_POINTER) {
    TakeBarePointer(type, ReadWord(bytes), Descriptor::Of(*memref));
    return kOk;
  }
  std::memcpy(&memref->allocated, bytes, Descriptor::WordCount(type.rank) * sizeof(int64_t));
  return kOk;
}

/// Whether the memory of result `index` is the caller's to free. Two results may share theirs; the first one owns it.
bool IsOwned(const hal_function_signature_t& signature, std::span<const int64_t> aliases, const hal_value_t* values,
             uint32_t index) {
  const hal_result_ownership_t ownership = signature.results[index].ownership;
  const int64_t allocated = Descriptor::Of(*values[index].as.memref).Allocated();
  if (allocated == 0 || ownership == HAL_RESULT_OWNERSHIP_BORROWED) return false;
  for (uint32_t i = 0; i < index; ++i) {
    if (signature.results[i].kind == HAL_VALUE_KIND_SCALAR) continue;
    if (Descriptor::Of(*values[i].as.memref).Allocated() == allocated) return false;
  }
  if (ownership == HAL_RESULT_OWNERSHIP_CALLER) return true;
  if (signature.convention == HAL_CALLING_CONVENTION_BARE_POINTER) return false;
  return allocated != kGlobalMarker && std::find(aliases.begin(), aliases.end(), allocated) == aliases.end();
}

/// A call that fails hands nothing out, so what its function made goes.
void FreeResults(const hal_function_signature_t& signature, const hal_value_t* values) {
  for (uint32_t i = 0; i < signature.result_count; ++i) {
    if (signature.results[i].kind == HAL_VALUE_KIND_SCALAR) continue;
    hal_memref_t& memref = *values[i].as.memref;
    if (memref.owned) std::free(memref.allocated);
    memref.owned = 0;
    memref.allocated = memref.aligned = nullptr;
  }
}

/// Copies what lies below one index of each of the first `dimension` dimensions.
void CopyDimension(const Descriptor& source, const Descriptor& target, int64_t element_size, uint32_t dimension,
                   const std::byte* from, std::byte* to) {
  if (dimension == source.rank) {
    std::memcpy(to, from, static_cast<size_t>(element_size));
    return;
  }
  const int64_t size = source.Sizes()[dimension];
  const int64_t from_stride = source.Strides()[dimension];
  const int64_t to_stride = target.Strides()[dimension];
  if (dimension + 1 == source.rank && from_stride == 1 && to_stride == 1) {
    std::memmove(to, from, static_cast<size_t>(size * element_size));
    return;
  }
  for (int64_t i = 0; i < size; ++i) {
    CopyDimension(source, target, element_size, dimension + 1, from + i * from_stride * element_size,
                  to + i * to_stride * element_size);
  }
}

}  // namespace

void StoreReturns(const CallPlan& plan, const NativeReturns& returns, std::byte* results) {
  using Place = ResultComponent::Place;
  for (const ResultComponent& component : plan.Components()) {
    std::byte* const target = results + component.offset;
    if (component.place == Place::kX87) {
      StoreX87(component, returns, target);
    } else {
      const uint64_t* const source = component.place == Place::kInteger ? &returns.integers[component.index]
                                                                        : &returns.vectors[size_t{2} * component.index];
      CopyPiece(target, source, component.size);
    }
  }
}

Status TakeResults(std::string_view name, const CallPlan& plan, const hal_function_signature_t& signature,
                   std::span<const int64_t> aliases, const std::byte* results, hal_value_t* values) {
  Failure failure;
  for (uint32_t i = 0; i < signature.result_count; ++i) {
    const hal_value_type_t& type = signature.results[i];
    const std::byte* const bytes = results + plan.ResultOffset(i);
    if (type.kind == HAL_VALUE_KIND_SCALAR) {
      TakeScalar(type, bytes, &values[i]);
      continue;
    }
    hal_memref_t* const memref = values[i].as.memref;
    const Status taken = TakeMemref(type, signature.convention, bytes, memref);
    if (taken == kOk) {
      memref->owned = IsOwned(signature, aliases, values, i);
    } else {
      failure = Failure(AnnotateValue(taken, name, "result", i));
      memref->allocated = nullptr;
    }
  }
  if (failure) FreeResults(signature, values);
  return failure.Take();
}

void CopyElements(const Descriptor& source, const Descriptor& target, size_t element_size) {
  const auto sizes = source.Sizes();
  if (std::any_of(sizes.begin(), sizes.end(), [](int64_t size) { return size == 0; })) return;
  const auto bytes = static_cast<int64_t>(element_size);
  CopyDimension(source, target, bytes, 0,
                reinterpret_cast<const std::byte*>(source.Aligned()) + source.Offset() * bytes,
                reinterpret_cast<std::byte*>(target.Aligned()) + target.Offset() * bytes);
}

}  // namespace halyard
