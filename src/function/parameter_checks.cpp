// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "function/parameter_checks.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

#include "base/host_memory.h"

namespace halyard {
namespace {

Status CheckNoBinding(const char* kind, const hal_parameter_t& parameter, hal_status_t failure) {
  if (parameter.set == 0 && parameter.binding == 0) return kOk;
  return Fail(failure, "set: a %s has set 0 and binding 0, not %u and %u", kind, parameter.set, parameter.binding);
}

Status CheckNull(const hal_parameter_t& parameter, hal_status_t failure) {
  HAL_TRY(CheckNoBinding("null pointer", parameter, failure));
  if (parameter.offset == 0 && parameter.size == 0) return kOk;
  return Fail(failure, "offset: a null pointer has offset 0 and size 0, not %u and %u", parameter.offset,
              parameter.size);
}

Status CheckScratch(const hal_parameter_t& parameter, hal_status_t failure) {
  HAL_TRY(CheckNoBinding("scratch parameter", parameter, failure));
  if (parameter.size == 0) return FailWith(failure, "size: scratch of 0 bytes; what gets none is a null pointer");
  if (parameter.size > kMaxScratchSize) {
    return Fail(failure, "size: %u bytes of scratch for each workgroup; at most %u are possible", parameter.size,
                kMaxScratchSize);
  }
  if (std::has_single_bit(parameter.offset) && parameter.offset <= kMaxScratchAlignment) return kOk;
  return Fail(failure, "offset: %u, the alignment of scratch; it must be a power of two up to %u", parameter.offset,
              kMaxScratchAlignment);
}

Status CheckBindingAddress(const hal_parameter_t& parameter, uint32_t constants_size, hal_status_t failure) {
  if (parameter.size != 0) return Fail(failure, "size: the address of a binding has size 0, not %u", parameter.size);
  if (parameter.offset % kAddressSize != 0) {
    return Fail(failure, "offset: %u, of an address among the constants; it must be a multiple of %u", parameter.offset,
                kAddressSize);
  }
  if (parameter.offset <= constants_size && kAddressSize <= constants_size - parameter.offset) return kOk;
  return Fail(failure, "offset: %u + size %u exceeds constants_size, which is %u", parameter.offset, kAddressSize,
              constants_size);
}

Status CheckTensorMapParameter(const hal_parameter_t& parameter, hal_status_t failure) {
  if (parameter.offset == 0 && parameter.size == 0) return kOk;
  return Fail(failure, "offset: a tensor map has offset 0 and size 0, not %u and %u", parameter.offset, parameter.size);
}

}  // namespace

Status CheckOtherParameter(const hal_parameter_t& parameter, uint32_t constants_size, hal_status_t failure) {
  switch (parameter.kind) {
    case HAL_PARAMETER_KIND_NULL:
      return CheckNull(parameter, failure);
    case HAL_PARAMETER_KIND_SCRATCH:
      return CheckScratch(parameter, failure);
    case HAL_PARAMETER_KIND_BINDING_ADDRESS:
      return CheckBindingAddress(parameter, constants_size, failure);
    case HAL_PARAMETER_KIND_TENSOR_MAP:
      return CheckTensorMapParameter(parameter, failure);
    default:
      return Fail(failure, "kind: %u is unknown", static_cast<unsigned>(parameter.kind));
  }
}

Status CheckAddressPlaces(std::span<const hal_parameter_t> parameters, hal_status_t failure) {
  HostVector<std::pair<uint32_t, size_t>> places;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].kind == HAL_PARAMETER_KIND_BINDING_ADDRESS) places.emplace_back(parameters[i].offset, i);
  }
  std::sort(places.begin(), places.end());
  const auto twice =
      std::adjacent_find(places.begin(), places.end(), [](const auto& a, const auto& b) { return a.first == b.first; });
  if (twice == places.end()) return kOk;
  return Fail(failure, "parameters[%zu]: constant byte %u has the address of parameters[%zu] already",
              std::next(twice)->second, twice->first, twice->second);
}

}  // namespace halyard
