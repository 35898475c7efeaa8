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
    return Fail(HAL_STATUS_INCOMPATIBLE, "the kernel takes '%.*s' at buffer index %u, which is no argument buffer",
                HALYARD_SV(FromNSString([binding name])), index);
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

}  // namespace

Status ReflectArguments(MTLComputePipelineReflection* reflection, id<MTLFunction> function,
                        const PipelineRequest& request, bool use_encoders, MetalPipeline* pipeline) {
  const HostVector<uint32_t> sets = SetsByIndex(request.parameters);
  if (sets.size() > kMaxSets) {
    return Fail(HAL_STATUS_OUT_OF_RANGE, "the export has bindings in %zu sets; a kernel takes at most %u", sets.size(),
                kMaxSets);
  }
  for (id<MTLBinding> binding in [reflection bindings]) {
    if ([binding type] == MTLBindingTypeThreadgroupMemory) {
      pipeline->takes_dynamic_memory |= [binding index] == 0;
      continue;
    }
    if ([binding type] != MTLBindingTypeBuffer || ![binding isUsed]) continue;
    const auto buffer = (id<MTLBufferBinding>)binding;
    if ([binding index] == kConstantsIndex) {
      HAL_TRY(TakeConstants(buffer, request, pipeline));
    } else {
      HAL_TRY(AddSet(buffer, request, sets, function, use_encoders, pipeline));
    }
  }
  return kOk;
}

}  // namespace halyard::metal
