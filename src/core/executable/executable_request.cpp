// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/executable/executable_request.h"

#include "core/executable/composite_executable.h"
#include "core/validation/checks.h"

namespace halyard {

Status ExecutableRequest::Read(hal_device_t* device, const hal_executable_params_t* given) {
  hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
  HAL_TRY(ReadStruct("params", given, &params));
  HAL_TRY(CheckImage(params));
  HAL_TRY(container_.Resolve(device, params));
  if (container_.parts().empty()) return parts_.emplace_back().Read(device, params);
  for (const ExecutableContainer::Part& part : container_.parts()) {
    HAL_TRY(parts_.emplace_back().Read(device, part.params));
  }
  return kOk;
}

Status ExecutableRequest::AnnotatePart(Status status, size_t part) const {
  if (parts_.size() == 1) return status;
  const std::string_view name = View(container_.parts()[part].exports.front().name);
  const Failure failure(status);
  return Fail(failure.code(), "%s (the image of export '%.*s')", failure.message().data(), HALYARD_SV(name));
}

Status ExecutableRequest::Assemble(hal_device_t* device, std::span<Ref<hal_executable_t>> made,
                                   hal_executable_t** out_executable) const {
  if (made.size() == 1) {
    *out_executable = made.front().release();
    return kOk;
  }
  HostVector<CompositeExecutable::Part> parts;
  for (size_t i = 0; i < made.size(); ++i) {
    parts.push_back({std::move(made[i]), container_.parts()[i].ordinals});
  }
  return CompositeExecutable::Create(device, std::move(parts), out_executable);
}

}  // namespace halyard
