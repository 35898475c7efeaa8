// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "export_merger.h"

#include <algorithm>

#include "function/tensor_map_checks.h"
#include "image/reflection/reflected_image.h"
#include "size_text.h"
#include "support/failure.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

const char* KindText(hal_parameter_kind_t kind) {
  return kind == HAL_PARAMETER_KIND_BINDING ? "a binding" : "a constant";
}

std::string SizeOrGivenText(const hal_dim3_t& size) {
  return size.x == 0 ? "that each dispatch gives" : SizeText(size);
}

/// Where a constant ends that comes after others, which end at `end`.
uint64_t EndOfConstant(const ReflectedParameter& constant, uint64_t end) {
  return (constant.offset ? *constant.offset : PlaceOfConstant(end, constant.size)) + constant.size;
}

uint64_t VolumeOf(const hal_dim3_t& size) { return uint64_t{size.x} * size.y * size.z; }

/// Whether only a description can tell of the kind.
bool IsOther(const hal_parameter_t& given) {
  return given.kind != HAL_PARAMETER_KIND_BINDING && given.kind != HAL_PARAMETER_KIND_CONSTANT;
}

/// What an image tells of such a parameter; nothing if it is no argument of the kernel.
std::optional<ReflectedParameter> AsImagesTell(const hal_parameter_t& given) {
  ReflectedParameter parameter;
  if (given.kind == HAL_PARAMETER_KIND_BINDING_ADDRESS) return std::nullopt;
  if (given.kind == HAL_PARAMETER_KIND_TENSOR_MAP) {
    parameter.kind = HAL_PARAMETER_KIND_CONSTANT;
    parameter.size = kTensorMapSize;
  }
  return parameter;  // else a pointer
}

ReflectedParameter Known(const hal_parameter_t& given) {
  ReflectedParameter parameter;
  parameter.kind = given.kind;
  if (given.kind == HAL_PARAMETER_KIND_CONSTANT) {
    parameter.size = given.size;
    parameter.offset = given.offset;
  } else {
    parameter.set = given.set;
    parameter.binding = given.binding;
    parameter.access = given.access;
  }
  return parameter;
}

}  // namespace

void ExportMerger::TakeDescription(const ExportDescription& description, const std::string& origin) {
  description_ = description;
  if (description.says_workgroup_size) workgroup_size_ = {description.workgroup_size, origin};
  if (!description.says_parameters) return;
  has_parameters_ = true;
  are_ordered_ = true;
  parameters_origin_ = origin;
  constants_size_ = {description.constants_size, origin};
  for (size_t i = 0; i < description.parameters.size(); ++i) {
    const hal_parameter_t& given = description.parameters[i];
    const std::optional<ReflectedParameter> value = IsOther(given) ? AsImagesTell(given) : Known(given);
    if (!value) continue;
    parameters_.push_back({*value, origin, /*is_access_final=*/true});
    if (i >= description.notes.size()) continue;
    parameters_.back().value.name = description.notes[i].name;
    parameters_.back().value.element_type = description.notes[i].element_type;
  }
}

void ExportMerger::TakeImage(const ReflectedKernel& kernel, const std::string& origin) {
  if (!kernel.obstacle.empty()) {
    Fail(ExitCode::kInput, "export '", name_, "' cannot be called in ", origin, ": ", kernel.obstacle);
  }
  is_told_ = true;
  // A size that specialisation constants give is what each dispatch says.
  const auto is_open = [](const auto& id) { return id.has_value(); };
  const bool is_fixed = std::none_of(kernel.workgroup_size_ids.begin(), kernel.workgroup_size_ids.end(), is_open);
  // SPIR-V has no way to leave the size open: kernels whose dispatches say it have 1 x 1 x 1, which drivers replace.
  const bool is_left_open = workgroup_size_.has_value() && workgroup_size_->value.x == 0 &&
                            !kernel.parameters_are_ordered && kernel.workgroup_size &&
                            VolumeOf(*kernel.workgroup_size) == 1;
  if (kernel.workgroup_size && is_fixed && !is_left_open) TakeWorkgroupSize(*kernel.workgroup_size, origin);
  if (kernel.max_workgroup_volume && (!max_volume_ || *kernel.max_workgroup_volume < max_volume_->value)) {
    max_volume_ = {*kernel.max_workgroup_volume, origin};
  }
  local_memory_size_ = std::max(local_memory_size_, kernel.local_memory_size.value_or(0));
  TakeParameters(kernel, origin);
}

void ExportMerger::TakeWorkgroupSize(const hal_dim3_t& size, const std::string& origin) {
  if (!workgroup_size_) workgroup_size_ = {size, origin};
  const hal_dim3_t& known = workgroup_size_->value;
  if (known.x == size.x && (size.x == 0 || (known.y == size.y && known.z == size.z))) return;
  Fail(ExitCode::kInput, "export '", name_, "' has a workgroup size ", SizeOrGivenText(known), " in ",
       workgroup_size_->origin, ", but ", SizeOrGivenText(size), " in ", origin);
}

void ExportMerger::TakeParameters(const ReflectedKernel& kernel, const std::string& origin) {
  if (!has_parameters_) {
    has_parameters_ = true;
    are_ordered_ = kernel.parameters_are_ordered;
    parameters_origin_ = origin;
    for (const ReflectedParameter& parameter : kernel.parameters) parameters_.push_back({parameter, origin});
    if (kernel.constants_size) constants_size_ = {*kernel.constants_size, origin};
    return;
  }
  if (are_ordered_ && kernel.parameters_are_ordered) return TakeOrdered(kernel, origin);
  if (are_ordered_) return TakeUnordered(kernel, origin);
  // The new list has the order that the old one lacks.
  ExportMerger ordered(name_);
  ordered.TakeParameters(kernel, origin);
  ReflectedKernel old;
  old.constants_size = constants_size_ ? std::optional(constants_size_->value) : std::nullopt;
  for (const Parameter& parameter : parameters_) old.parameters.push_back(parameter.value);
  ordered.TakeUnordered(old, parameters_origin_);
  parameters_ = std::move(ordered.parameters_);
  are_ordered_ = kernel.parameters_are_ordered;
}

void ExportMerger::CheckCount(const char* what, size_t own, size_t given, const std::string& origin) const {
  if (own == given) return;
  Fail(ExitCode::kInput, "export '", name_, "' has ", own, " ", what, " in ", parameters_origin_, ", but ", given,
       " in ", origin);
}

void ExportMerger::TakeOrdered(const ReflectedKernel& kernel, const std::string& origin) {
  CheckCount("parameters", parameters_.size(), kernel.parameters.size(), origin);
  for (size_t i = 0; i < parameters_.size(); ++i) TakeParameter(i, kernel.parameters[i], origin);
}

void ExportMerger::TakeParameter(size_t index, const ReflectedParameter& given, const std::string& origin) {
  Parameter& own = parameters_[index];
  if (own.value.kind != given.kind) {
    // Of two guesses, that it is a constant is the one that has reasons.
    const bool takes_given =
        own.value.kind_is_guess && (!given.kind_is_guess || given.kind == HAL_PARAMETER_KIND_CONSTANT);
    if (!takes_given && given.kind_is_guess) return;
    const bool may_be_same = given.kind == HAL_PARAMETER_KIND_BINDING || given.size == 8;
    if (!takes_given || !may_be_same) {
      Fail(ExitCode::kInput, "parameter ", index, " of export '", name_, "' is ", KindText(own.value.kind), " in ",
           own.origin, ", but ", KindText(given.kind), " in ", origin);
    }
    own = {given, origin};
    return;
  }
  own.value.kind_is_guess = own.value.kind_is_guess && given.kind_is_guess;
  if (own.value.name.empty()) own.value.name = given.name;
  if (own.value.element_type == HAL_ELEMENT_TYPE_NONE) own.value.element_type = given.element_type;
  if (given.kind == HAL_PARAMETER_KIND_BINDING) return TakeBindingPlace(index, given, origin);
  if (own.value.size != given.size || (own.value.offset && given.offset && *own.value.offset != *given.offset)) {
    const auto place = [](const ReflectedParameter& constant) {
      return Concat(constant.size, " bytes", constant.offset ? Concat(" at ", *constant.offset) : "");
    };
    Fail(ExitCode::kInput, "parameter ", index, " of export '", name_, "' is a constant of ", place(own.value), " in ",
         own.origin, ", but of ", place(given), " in ", origin);
  }
  if (!own.value.offset) own.value.offset = given.offset;
}

void ExportMerger::TakeBindingPlace(size_t index, const ReflectedParameter& given, const std::string& origin) {
  Parameter& own = parameters_[index];
  if (given.access && !own.is_access_final) {
    const bool differs = own.value.access && *own.value.access != *given.access;
    own.value.access = differs ? HAL_BINDING_ACCESS_READ_WRITE : *given.access;
  }
  if (!given.binding) return;
  if (!own.value.binding) {
    own.value.set = given.set;
    own.value.binding = given.binding;
  }
  if (own.value.binding == given.binding && own.value.set.value_or(0) == given.set.value_or(0)) return;
  Fail(ExitCode::kInput, "parameter ", index, " of export '", name_, "' is binding ", *own.value.binding, " of set ",
       own.value.set.value_or(0), " in ", own.origin, ", but binding ", *given.binding, " of set ",
       given.set.value_or(0), " in ", origin);
}

std::vector<ExportMerger::Parameter*> ExportMerger::ParametersOf(hal_parameter_kind_t kind) {
  std::vector<Parameter*> found;
  for (Parameter& parameter : parameters_) {
    if (parameter.value.kind == kind) found.push_back(&parameter);
  }
  return found;
}

// Bindings by number; constants as members of one block, whose order is that of their offsets.
void ExportMerger::TakeUnordered(const ReflectedKernel& kernel, const std::string& origin) {
  std::vector<ReflectedParameter> bindings;
  std::vector<ReflectedParameter> constants;
  for (const ReflectedParameter& parameter : kernel.parameters) {
    (parameter.kind == HAL_PARAMETER_KIND_BINDING ? bindings : constants).push_back(parameter);
  }
  const std::vector<Parameter*> own = ParametersOf(HAL_PARAMETER_KIND_BINDING);
  if (kernel.parameters_are_complete || bindings.size() > own.size()) {
    CheckCount("bindings", own.size(), bindings.size(), origin);
  }
  for (size_t i = 0; i < bindings.size(); ++i) {
    const auto same = std::ranges::find_if(own, [&](const Parameter* parameter) {
      return parameter->value.binding == bindings[i].binding &&
             parameter->value.set.value_or(0) == bindings[i].set.value_or(0);
    });
    // Where the list has no numbers, its order gives them.
    Parameter* const match = same != own.end() ? *same : own[i];
    TakeBindingPlace(static_cast<size_t>(match - parameters_.data()), bindings[i], origin);
  }
  const std::vector<Parameter*> own_constants = ParametersOf(HAL_PARAMETER_KIND_CONSTANT);
  if (constants.size() != own_constants.size()) return CheckConstantsSize(kernel, origin);
  for (size_t i = 0; i < constants.size(); ++i) {
    const auto same = std::ranges::find_if(own_constants, [&](const Parameter* parameter) {
      return parameter->value.offset && parameter->value.offset == constants[i].offset;
    });
    // Where the list has no offsets, its order gives them.
    Parameter* const match = same != own_constants.end() ? *same : own_constants[i];
    TakeParameter(static_cast<size_t>(match - parameters_.data()), constants[i], origin);
  }
  if (kernel.constants_size && !constants_size_) constants_size_ = {*kernel.constants_size, origin};
}

// One block may have the same bytes in other portions, or may have been left out as nothing in it is used.
void ExportMerger::CheckConstantsSize(const ReflectedKernel& kernel, const std::string& origin) const {
  const uint32_t own = ConstantsSize();
  const uint32_t given = kernel.constants_size.value_or(0);
  if (own == given || (given == 0 && !kernel.parameters_are_complete)) return;
  Fail(ExitCode::kInput, "export '", name_, "' has ", own, " bytes of constants in ", parameters_origin_, ", but ",
       given, " in ", origin);
}

void ExportMerger::CheckMaxVolume() const {
  if (!workgroup_size_ || !max_volume_ || VolumeOf(workgroup_size_->value) <= max_volume_->value) return;
  Fail(ExitCode::kInput, "export '", name_, "' has a workgroup size ", SizeOrGivenText(workgroup_size_->value), " in ",
       workgroup_size_->origin, ", but was compiled for at most ", max_volume_->value, " work-items in ",
       max_volume_->origin);
}

// Once the remaining constants are placed.
uint32_t ExportMerger::ConstantsSize() const {
  uint64_t end = 0;
  for (const Parameter& parameter : parameters_) {
    if (parameter.value.kind == HAL_PARAMETER_KIND_CONSTANT) end = std::max(end, EndOfConstant(parameter.value, end));
  }
  return std::max(static_cast<uint32_t>(end), constants_size_ ? constants_size_->value : 0);
}

ExportDescription ExportMerger::Finish() {
  CheckMaxVolume();
  ExportDescription result;
  if (description_) result = *description_;
  result.name = name_;
  const bool is_whole = std::ranges::any_of(result.parameters, IsOther);  // so that nothing can be added to it
  if (is_told_) result.workgroup_size = hal_dim3(0, 1, 1);                // unless another image knows it
  if (workgroup_size_) result.workgroup_size = workgroup_size_->value;
  if (!result.says_local_memory_size) result.local_memory_size = local_memory_size_;
  if (is_whole) return result;
  result.parameters.clear();
  result.notes.clear();
  uint32_t binding_count = 0;
  uint64_t end = 0;  // of the constants so far
  for (const Parameter& parameter : parameters_) {
    const ReflectedParameter& value = parameter.value;
    result.notes.push_back({value.name, value.element_type, value.kind_is_guess});
    if (value.kind == HAL_PARAMETER_KIND_BINDING) {
      auto& binding = result.parameters.emplace_back(hal_parameter_binding(
          value.binding.value_or(binding_count), value.access.value_or(HAL_BINDING_ACCESS_READ_WRITE)));
      binding.set = value.set.value_or(0);
      ++binding_count;
    } else {
      const uint64_t own_end = EndOfConstant(value, end);
      result.parameters.push_back(hal_parameter_constant(static_cast<uint32_t>(own_end - value.size), value.size));
      end = std::max(end, own_end);
    }
  }
  result.constants_size = ConstantsSize();
  return result;
}

}  // namespace halyard::tools
