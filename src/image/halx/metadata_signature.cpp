// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/halx/metadata_signature.h"

#include <cstring>
#include <utility>

namespace halyard {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using Numbers = flatbuffers::Vector<int64_t>;
using Values = flatbuffers::Vector<Offset<schemas::Value>>;

static_assert(static_cast<int>(schemas::Convention::BarePointer) == HAL_CALLING_CONVENTION_BARE_POINTER);
static_assert(static_cast<int>(schemas::Convention::CStatus) == HAL_CALLING_CONVENTION_C_STATUS);
static_assert(static_cast<int>(schemas::Convention::Expanded) == HAL_CALLING_CONVENTION_EXPANDED);
static_assert(static_cast<int>(schemas::ValueKind::Ranked) == HAL_VALUE_KIND_RANKED);
static_assert(static_cast<int>(schemas::ValueKind::Unranked) == HAL_VALUE_KIND_UNRANKED);
static_assert(static_cast<int>(schemas::ValueKind::HalideBuffer) == HAL_VALUE_KIND_HALIDE_BUFFER);
static_assert(static_cast<int>(schemas::Role::Null) == HAL_ARGUMENT_ROLE_NULL);
static_assert(static_cast<int>(schemas::Role::IdX) == HAL_ARGUMENT_ROLE_WORKGROUP_ID_X);
static_assert(static_cast<int>(schemas::Role::CountZ) == HAL_ARGUMENT_ROLE_WORKGROUP_COUNT_Z);
static_assert(static_cast<int>(schemas::Ownership::Caller) == HAL_RESULT_OWNERSHIP_CALLER);
static_assert(static_cast<int>(schemas::Ownership::Borrowed) == HAL_RESULT_OWNERSHIP_BORROWED);

size_t CountOf(const Numbers* numbers) { return numbers ? numbers->size() : 0; }

/// Types with the numbers that they point to. Numbers are copied: the FlatBuffers verifier checks how the length of a
/// list is aligned, but not its elements. They are little-endian, as every host that this runs on.
struct Types {
  HostVector<hal_value_type_t> types;
  HostVector<HostVector<int64_t>> numbers;

  const int64_t* Copy(const Numbers* given) {
    HostVector<int64_t> copy(CountOf(given) + 1);  // an address also where there are no numbers
    if (given) std::memcpy(copy.data(), given->Data(), CountOf(given) * sizeof(int64_t));
    numbers.push_back(std::move(copy));
    return numbers.back().data();
  }
};

Status CheckRange(const char* list, uint32_t index, const schemas::Value& given) {
  const struct {
    const char* field;
    unsigned value, most;
  } enums[] = {
      {"kind", static_cast<unsigned>(given.kind()), static_cast<unsigned>(schemas::ValueKind::MAX)},
      {"role", static_cast<unsigned>(given.role()), static_cast<unsigned>(schemas::Role::MAX)},
      {"access", static_cast<unsigned>(given.access()), static_cast<unsigned>(schemas::Access::MAX)},
      {"ownership", static_cast<unsigned>(given.ownership()), static_cast<unsigned>(schemas::Ownership::MAX)},
  };
  for (const auto& [field, value, most] : enums) {
    if (value > most) return Fail(kBadMetadata, "%s[%u].%s: %u is unknown", list, index, field, value);
  }
  return kOk;
}

/// Only ranked memrefs and Halide's buffers have sizes, only strided ones strides, and there are as many of both.
Status CheckCounts(const char* list, uint32_t index, const schemas::Value& given) {
  const size_t sizes = CountOf(given.sizes());
  const bool ranked = HasSizes(static_cast<hal_value_kind_t>(given.kind()));
  if (sizes > (ranked ? HAL_MEMREF_MAX_RANK : 0)) {
    return Fail(kBadMetadata, "%s[%u].sizes: there are %zu; at most %d are possible", list, index, sizes,
                ranked ? HAL_MEMREF_MAX_RANK : 0);
  }
  const size_t strides = CountOf(given.strides());
  const bool strided = ranked && given.strided();
  if (strides == (strided ? sizes : 0)) return kOk;
  return Fail(kBadMetadata, "%s[%u].strides: there are %zu for %zu sizes%s", list, index, strides, sizes,
              strided ? "" : " without a layout");
}

Status DecodeValue(const char* list, uint32_t index, const schemas::Value& given, Types* types) {
  hal_value_type_t* const out = &types->types[index];
  HAL_TRY(CheckRange(list, index, given));
  HAL_TRY(CheckCounts(list, index, given));
  out->kind = static_cast<hal_value_kind_t>(given.kind());
  out->element_type = given.element_type();
  out->rank = static_cast<uint32_t>(CountOf(given.sizes()));
  out->role = static_cast<hal_argument_role_t>(given.role());
  out->access = static_cast<hal_binding_access_t>(given.access());
  out->ownership = static_cast<hal_result_ownership_t>(given.ownership());
  out->offset = given.offset();
  if (!HasSizes(out->kind)) return kOk;
  out->sizes = types->Copy(given.sizes());
  out->strides = given.strided() ? types->Copy(given.strides()) : nullptr;
  return kOk;
}

Status DecodeValues(const char* list, const Values* given, Types* out) {
  const flatbuffers::uoffset_t count = given ? given->size() : 0;
  if (count > kMaxSignatureValues) {
    return Fail(kBadMetadata, "%s: there are %u; at most %u are possible", list, count, kMaxSignatureValues);
  }
  out->types.resize(count);
  for (uint32_t i = 0; i < count; ++i) HAL_TRY(DecodeValue(list, i, *given->Get(i), out));
  return kOk;
}

Offset<schemas::Value> EncodeValue(FlatBufferBuilder& builder, const hal_value_type_t& type) {
  const bool ranked = HasSizes(type.kind);
  const bool strided = ranked && type.strides;
  const Offset<Numbers> sizes = ranked ? builder.CreateVector(type.sizes, type.rank) : Offset<Numbers>();
  const Offset<Numbers> strides = strided ? builder.CreateVector(type.strides, type.rank) : Offset<Numbers>();
  return schemas::CreateValue(builder, static_cast<schemas::ValueKind>(type.kind), type.element_type,
                              static_cast<schemas::Role>(type.role), static_cast<schemas::Access>(type.access),
                              static_cast<schemas::Ownership>(type.ownership), sizes, strided, strides,
                              strided ? type.offset : 0);
}

Offset<Values> EncodeValues(FlatBufferBuilder& builder, std::span<const hal_value_type_t> types) {
  HostVector<Offset<schemas::Value>> values;
  values.reserve(types.size());
  for (const hal_value_type_t& type : types) values.push_back(EncodeValue(builder, type));
  return builder.CreateVector(values.data(), values.size());
}

}  // namespace

Status DecodeSignature(const schemas::Signature& given, OwnedSignature* out) {
  if (given.convention() > schemas::Convention::MAX) {
    return Fail(kBadMetadata, "convention: %u is unknown", static_cast<unsigned>(given.convention()));
  }
  Types arguments;
  Types results;
  HAL_TRY(DecodeValues("arguments", given.arguments(), &arguments));
  HAL_TRY(DecodeValues("results", given.results(), &results));
  hal_function_signature_t signature = HAL_INIT(hal_function_signature_t);
  signature.convention = static_cast<hal_calling_convention_t>(given.convention());
  signature.argument_count = static_cast<uint32_t>(arguments.types.size());
  signature.result_count = static_cast<uint32_t>(results.types.size());
  signature.arguments = arguments.types.data();
  signature.results = results.types.data();
  *out = OwnedSignature(signature);
  return kOk;
}

Offset<schemas::Signature> EncodeSignature(FlatBufferBuilder& builder, const hal_function_signature_t* signature) {
  if (!signature) return Offset<schemas::Signature>();
  const Offset<Values> arguments = EncodeValues(builder, ArgumentsOf(*signature));
  const Offset<Values> results = EncodeValues(builder, ResultsOf(*signature));
  return schemas::CreateSignature(builder, static_cast<schemas::Convention>(signature->convention), arguments, results);
}

}  // namespace halyard
