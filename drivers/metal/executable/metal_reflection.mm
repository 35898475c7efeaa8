// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "metal/executable/metal_reflection.h"

#include <algorithm>

#include "metal/native/metal_errors.h"

namespace halyard::metal {
namespace {

// The buffer index of a set: its number, unless one of the kernel's sets is too high. Then they are numbered again.
HostVector<uint32_t> SetsByIndex(std::span<const hal_parameter_t> parameters) {
  HostVector<uint32_t> sets;
  for (const hal_parameter_t& parameter : parameters) {
    if (parameter.kind == HAL_PARAMETER_KIND_BINDING) sets.push_back(parameter.set);
  }
  std::sort(sets.begin(), sets.end());
  sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
  if (!sets.empty() && sets.back() >= kMaxSets) return sets;
  HostVector<uint32_t> same;
  for (uint32_t i = 0; i < kMaxSets; ++i) same.push_back(i);
  return same;
}

bool FindBinding(const PipelineRequest& request, uint32_t set, uint64_t binding, uint32_t* out_flat) {
  for (size_t i = 0; i < request.parameters.size(); ++i) {
    const hal_parameter_t& parameter = request.parameters[i];
    if (parameter.kind != HAL_PARAMETER_KIND_BINDING || parameter.set != set || parameter.binding != binding) continue;
    *out_flat = request.parameter_bindings[i];
    return true;
  }
  return false;
}

Status AddMember(const PipelineRequest& request, uint32_t set, MTLStructMember* member, ArgumentSet* out) {
  const auto number = static_cast<uint32_t>([member argumentIndex]);
  uint32_t flat = 0;
  if ([member dataType] != MTLDataTypePointer) {
    return Fail(HAL_STATUS_INCOMPATIBLE, "binding %u of set %u is no buffer in the kernel", number, set);
  }
  if (!FindBinding(request, set, number, &flat)) {
    return Fail(HAL_STATUS_INCOMPATIBLE, "the kernel uses binding %u of set %u, which the export list lacks", number,
                set);
  }
  out->members.push_back({flat, number, static_cast<uint32_t>([member offset])});
  return kOk;
}

Status AddSet(id<MTLBufferBinding> binding, const PipelineRequest& request, std::span<const uint32_t> sets,
              id<MTLFunction> function, bool use_encoders, MetalPipeline* pipeline) {
  const auto index = static_cast<uint32_t>([binding index]);
  MTLStructType* const type = [binding bufferStructType];
  if (index >= sets.size() || !type) {
    return Fail(HAL_STATUS_INCOMPATIBLE,
                "the kernel takes the argument buffer '%.*s' at buffer index %u; those of sets are at 0 to %u",
                HALYARD_SV(FromNSString([binding name])), index, kMaxSets - 1);
  }
  ArgumentSet set{index, [binding bufferDataSize], {}, {}};
  for (MTLStructMember* member in [type members]) HAL_TRY(AddMember(request, sets[index], member, &set));
  if (use_encoders) {
    const id<MTLArgumentEncoder> encoder = [function newArgumentEncoderWithBufferIndex:index];
    if (!encoder) return FailNil("newArgumentEncoderWithBufferIndex");
    set.encoder = Owned<NativeArgumentEncoder>::Adopting(ToNative<NativeArgumentEncoder>(encoder));
    set.length = [encoder encodedLength];
  }
  pipeline->sets.push_back(std::move(set));
  return kOk;
}

// The members of a struct that is no argument buffer are numbers.
bool IsArgumentBuffer(id<MTLBufferBinding> binding) {
  if ([[binding bufferPointerType] elementIsArgumentBuffer]) return true;
  for (MTLStructMember* member in [[binding bufferStructType] members]) {
    if ([member dataType] == MTLDataTypePointer) return true;
  }
  return false;
}

// Buffer index N is binding N of set 0.
Status AddPlain(id<MTLBufferBinding> binding, const PipelineRequest& request, MetalPipeline* pipeline) {
  const auto index = static_cast<uint32_t>([binding index]);
  uint32_t flat = 0;
  if (!FindBinding(request, 0, index, &flat)) {
    return Fail(HAL_STATUS_INCOMPATIBLE,
                "the kernel takes '%.*s' at buffer index %u, and the export list has no binding %u of set 0",
                HALYARD_SV(FromNSString([binding name])), index, index);
  }
  pipeline->plain.push_back({flat, index, [binding bufferDataSize]});
  return kOk;
}

Status TakeConstants(id<MTLBufferBinding> binding, const PipelineRequest& request, MetalPipeline* pipeline) {
  const auto length = static_cast<uint32_t>([binding bufferDataSize]);
  const uint32_t most = (request.constants_size + 15) / 16 * 16;  // the struct's own padding
  if (length > most) {
    return Fail(HAL_STATUS_INCOMPATIBLE, "the kernel takes %u bytes of constants, the export has %u", length,
                request.constants_size);
  }
  pipeline->constants_length = length;
  return kOk;
}

// The buffer at the index of the constants is binding 8 of an export without constants.
Status TakeNinth(id<MTLBufferBinding> binding, const PipelineRequest& request, MetalPipeline* pipeline) {
  uint32_t flat = 0;
  const bool may_be_binding = pipeline->sets.empty() && FindBinding(request, 0, kConstantsIndex, &flat);
  if (!may_be_binding) return TakeConstants(binding, request, pipeline);
  if (request.constants_size == 0) return AddPlain(binding, request, pipeline);
  return Fail(HAL_STATUS_INCOMPATIBLE,
              "the kernel takes '%.*s' at buffer index %u, which the export list has both for binding %u and for the "
              "constants",
              HALYARD_SV(FromNSString([binding name])), kConstantsIndex, kConstantsIndex);
}

Status TakeThreadgroupMemory(id<MTLBinding> binding, MetalPipeline* pipeline) {
  if ([binding index] != 0 && [binding isUsed]) {
    return Fail(HAL_STATUS_INCOMPATIBLE,
                "the kernel takes '%.*s' at threadgroup index %u; a dispatch gives memory at 0",
                HALYARD_SV(FromNSString([binding name])), static_cast<uint32_t>([binding index]));
  }
  pipeline->takes_dynamic_memory |= [binding index] == 0;
  return kOk;
}

}  // namespace

Status ReflectArguments(MTLComputePipelineReflection* reflection, id<MTLFunction> function,
                        const PipelineRequest& request, bool use_encoders, MetalPipeline* pipeline) {
  const HostVector<uint32_t> sets = SetsByIndex(request.parameters);
  if (sets.size() > kMaxSets) {
    return Fail(HAL_STATUS_OUT_OF_RANGE, "the export has bindings in %zu sets; a kernel takes at most %u", sets.size(),
                kMaxSets);
  }
  id<MTLBufferBinding> ninth = nil;
  for (id<MTLBinding> binding in [reflection bindings]) {
    if ([binding type] == MTLBindingTypeThreadgroupMemory) {
      HAL_TRY(TakeThreadgroupMemory(binding, pipeline));
      continue;
    }
    if (![binding isUsed]) continue;
    if ([binding type] != MTLBindingTypeBuffer) {
      return Fail(HAL_STATUS_INCOMPATIBLE, "the kernel takes '%.*s', which is no buffer",
                  HALYARD_SV(FromNSString([binding name])));
    }
    const auto buffer = (id<MTLBufferBinding>)binding;
    if ([binding index] == kConstantsIndex) {
      ninth = buffer;  // constants may hold addresses, too
    } else if (IsArgumentBuffer(buffer)) {
      HAL_TRY(AddSet(buffer, request, sets, function, use_encoders, pipeline));
    } else {
      HAL_TRY(AddPlain(buffer, request, pipeline));
    }
  }
  if (ninth) HAL_TRY(TakeNinth(ninth, request, pipeline));
  if (pipeline->sets.empty() || pipeline->plain.empty()) return kOk;
  return Fail(
      HAL_STATUS_INCOMPATIBLE,
      "the kernel takes argument buffers, and another buffer at buffer index %u beside them; it can have one or "
      "the other",
      pipeline->plain.front().index);
}

}  // namespace halyard::metal
