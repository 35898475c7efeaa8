// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "export_merger.h"

#include <algorithm>

#include "function/parameter_checks.h"
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
  const uint32_t size = constant.value.size;
  return (constant.is_place_fixed ? constant.value.offset : PlaceOfConstant(end, size)) + size;
}

bool IsBinding(const ReflectedParameter& parameter) { return parameter.value.kind == HAL_PARAMETER_KIND_BINDING; }

/// Whether two constants that both know their place, or two bindings, are at the same one.
bool IsSamePlace(const ReflectedParameter& left, const ReflectedParameter& right) {
  if (!IsBinding(left)) return left.value.offset == right.value.offset;
  return left.value.set == right.value.set && left.value.binding == right.value.binding;
}

uint64_t VolumeOf(const hal_dim3_t& size) { return uint64_t{size.x} * size.y * size.z; }

/// Whether only a description can tell of the kind.
bool IsOther(const hal_parameter_t& given) {
  return given.kind != HAL_PARAMETER_KIND_BINDING && given.kind != HAL_PARAMETER_KIND_CONSTANT;
}

/// Takes over offset, or set and number.
void TakePlace(const ReflectedParameter& given, ReflectedParameter* own) {
  own->value.offset = given.value.offset;
  own->value.set = given.value.set;
  own->value.binding = given.value.binding;
  own->is_place_fixed = given.is_place_fixed;
}

/// What an image tells of such a parameter; nothing if it is no argument of the kernel.
std::optional<ReflectedParameter> AsImagesTell(const hal_parameter_t& given) {
  ReflectedParameter parameter;
  parameter.value.kind = HAL_PARAMETER_KIND_BINDING;
  if (given.kind == HAL_PARAMETER_KIND_BINDING_ADDRESS) return std::nullopt;
  if (given.kind == HAL_PARAMETER_KIND_TENSOR_MAP) {
    parameter.value.kind = HAL_PARAMETER_KIND_CONSTANT;
    parameter.value.size = kTensorMapSize;
  }
  return parameter;  // else a pointer
}

ReflectedParameter Known(const hal_parameter_t& given) {
  ReflectedParameter parameter;
  parameter.value = given;
  parameter.is_place_fixed = true;
  parameter.is_access_known = given.kind == HAL_PARAMETER_KIND_BINDING;
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
    parameters_.push_back({*value, origin, /*is_described=*/true});
    if (i >= description.notes.size()) continue;
    parameters_.back().value.name = ToName(description.notes[i].name);
    parameters_.back().value.element_type = description.notes[i].element_type;
  }
}

void ExportMerger::TakeImage(const ReflectedKernel& kernel, const std::string& origin) {
  if (!kernel.obstacle.empty()) {
    Fail(ExitCode::kInput, "export '", name_, "' cannot be called in ", origin, ": ", kernel.obstacle);
  }
  is_told_ = true;
  // A size that specialisation constants give is what each dispatch says, unless the image is made for one.
  const auto is_given = [](const auto& id) { return id.has_value(); };
  const bool is_known = kernel.is_workgroup_size_known &&
                        (kernel.is_workgroup_size_exact || std::ranges::none_of(kernel.workgroup_size_ids, is_given));
  // SPIR-V has no way to leave the size open: kernels whose dispatches say it have 1 x 1 x 1, which drivers replace.
  const bool is_left_open = workgroup_size_.has_value() && workgroup_size_->value.x == 0 && !kernel.has_argument_list &&
                            VolumeOf(kernel.workgroup_size) == 1;
  if (is_known && !is_left_open) TakeWorkgroupSize(kernel.workgroup_size, origin);
  const uint32_t most = kernel.max_workgroup_volume;
  if (most > 0 && (!max_volume_ || most < max_volume_->value)) max_volume_ = {most, origin};
  local_memory_size_ = std::max(local_memory_size_, kernel.local_memory_size);
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
    are_ordered_ = kernel.has_argument_list;
    parameters_origin_ = origin;
    for (const ReflectedParameter& parameter : kernel.parameters) parameters_.push_back({parameter, origin});
    if (!kernel.has_argument_list) constants_size_ = {kernel.constants_size, origin};
    return;
  }
  if (are_ordered_ && kernel.has_argument_list) return TakeOrdered(kernel, origin);
  if (are_ordered_) return TakeUnordered(kernel, origin);
  // The new list has the order that the old one lacks.
  ExportMerger ordered(name_);
  ordered.TakeParameters(kernel, origin);
  ReflectedKernel old;
  old.has_argument_list = false;
  old.constants_size = constants_size_ ? constants_size_->value : 0;
  for (const Parameter& parameter : parameters_) old.parameters.push_back(parameter.value);
  ordered.TakeUnordered(old, parameters_origin_);
  parameters_ = std::move(ordered.parameters_);
  are_ordered_ = kernel.has_argument_list;
}

void ExportMerger::CheckCount(const char* what, size_t own, size_t given, const std::string& origin) const {
  if (own == given) return;
  Fail(ExitCode::kInput, "export '", name_, "' has ", own, " ", what, " in ", parameters_origin_, ", but ", given,
       " in ", origin);
}

void ExportMerger::TakeOrdered(const ReflectedKernel& kernel, const std::string& origin) {
  CheckCount("parameters", parameters_.size(), kernel.parameters.size(), origin);
  for (size_t i = 0; i < parameters_.size(); ++i) {
    TakeParameter(i, kernel.parameters[i], kernel.takes_addresses, origin);
  }
}

// Whether a parameter stays of its kind, although another image says otherwise.
bool ExportMerger::TakeKind(size_t index, const ReflectedParameter& given, bool takes_addresses,
                            const std::string& origin) {
  const Parameter& own = parameters_[index];
  const bool may_be_same = (IsBinding(given) ? own.value : given).value.size == kAddressSize;
  if (own.is_described && takes_addresses && may_be_same) return true;
  // Of two guesses, that it is a constant is the one that has reasons.
  const bool takes_given = own.value.is_guess && (!given.is_guess || !IsBinding(given));
  if (!takes_given && given.is_guess) return true;
  if (takes_given && may_be_same) return false;
  Fail(ExitCode::kInput, "parameter ", index, " of export '", name_, "' is ", KindText(own.value.value.kind), " in ",
       own.origin, ", but ", KindText(given.value.kind), " in ", origin);
}

void ExportMerger::TakeParameter(size_t index, const ReflectedParameter& given, bool takes_addresses,
                                 const std::string& origin) {
  Parameter& own = parameters_[index];
  const hal_parameter_t &known = own.value.value, &told = given.value;
  if (known.kind != told.kind) {
    if (!TakeKind(index, given, takes_addresses, origin)) own = {given, origin};
    return;
  }
  own.value.is_guess = own.value.is_guess && given.is_guess;
  if (own.value.name.empty()) own.value.name = given.name;
  if (own.value.element_type == HAL_ELEMENT_TYPE_NONE) own.value.element_type = given.element_type;
  if (IsBinding(given)) return TakeBindingPlace(index, given, origin);
  const bool know_both = own.value.is_place_fixed && given.is_place_fixed;
  if (known.size != told.size || (know_both && !IsSamePlace(own.value, given))) {
    const auto place = [](const ReflectedParameter& constant) {
      const hal_parameter_t& value = constant.value;
      return Concat(value.size, " bytes", constant.is_place_fixed ? Concat(" at ", value.offset) : "");
    };
    Fail(ExitCode::kInput, "parameter ", index, " of export '", name_, "' is a constant of ", place(own.value), " in ",
         own.origin, ", but of ", place(given), " in ", origin);
  }
  if (!own.value.is_place_fixed) TakePlace(given, &own.value);
  TakeAddresses(index, given);
}

// What one image tells of addresses in a constant, others may not see.
void ExportMerger::TakeAddresses(size_t index, const ReflectedParameter& given) {
  Parameter& own = parameters_[index];
  if (own.is_described) return;
  const auto unite = [](HostVector<uint32_t>* all, const HostVector<uint32_t>& more) {
    all->insert(all->end(), more.begin(), more.end());
    std::sort(all->begin(), all->end());
    all->erase(std::unique(all->begin(), all->end()), all->end());
  };
  unite(&own.value.addresses, given.addresses);
  unite(&own.value.bindings_at, given.bindings_at);
}

void ExportMerger::TakeBindingPlace(size_t index, const ReflectedParameter& given, const std::string& origin) {
  Parameter& own = parameters_[index];
  if (given.is_access_known && !own.is_described) {
    const bool differs = own.value.is_access_known && own.value.value.access != given.value.access;
    own.value.value.access = differs ? HAL_BINDING_ACCESS_READ_WRITE : given.value.access;
    own.value.is_access_known = true;
  }
  if (!given.is_place_fixed) return;
  if (!own.value.is_place_fixed) TakePlace(given, &own.value);
  if (IsSamePlace(own.value, given)) return;
  Fail(ExitCode::kInput, "parameter ", index, " of export '", name_, "' is binding ", own.value.value.binding,
       " of set ", own.value.value.set, " in ", own.origin, ", but binding ", given.value.binding, " of set ",
       given.value.set, " in ", origin);
}

std::vector<ExportMerger::Parameter*> ExportMerger::ParametersOf(hal_parameter_kind_t kind) {
  std::vector<Parameter*> found;
  for (Parameter& parameter : parameters_) {
    if (parameter.value.value.kind == kind) found.push_back(&parameter);
  }
  return found;
}

// Bindings by number; constants as members of one block, whose order is that of their offsets.
void ExportMerger::TakeUnordered(const ReflectedKernel& kernel, const std::string& origin) {
  std::vector<ReflectedParameter> bindings;
  std::vector<ReflectedParameter> constants;
  for (const ReflectedParameter& parameter : kernel.parameters) {
    (IsBinding(parameter) ? bindings : constants).push_back(parameter);
  }
  const std::vector<Parameter*> own = ParametersOf(HAL_PARAMETER_KIND_BINDING);
  if (kernel.has_argument_list || bindings.size() > own.size()) {
    CheckCount("bindings", own.size(), bindings.size(), origin);
  }
  for (size_t i = 0; i < bindings.size(); ++i) {
    const auto same = std::ranges::find_if(own, [&](const Parameter* parameter) {
      return parameter->value.is_place_fixed && IsSamePlace(parameter->value, bindings[i]);
    });
    // Where the list has no numbers, its order gives them.
    Parameter* const match = same != own.end() ? *same : own[i];
    TakeBindingPlace(static_cast<size_t>(match - parameters_.data()), bindings[i], origin);
  }
  const std::vector<Parameter*> own_constants = ParametersOf(HAL_PARAMETER_KIND_CONSTANT);
  if (constants.size() != own_constants.size()) return CheckConstantsSize(kernel, origin);
  for (size_t i = 0; i < constants.size(); ++i) {
    const auto same = std::ranges::find_if(own_constants, [&](const Parameter* parameter) {
      return parameter->value.is_place_fixed && IsSamePlace(parameter->value, constants[i]);
    });
    // Where the list has no offsets, its order gives them.
    Parameter* const match = same != own_constants.end() ? *same : own_constants[i];
    TakeParameter(static_cast<size_t>(match - parameters_.data()), constants[i], /*takes_addresses=*/false, origin);
  }
  if (!kernel.has_argument_list && !constants_size_) constants_size_ = {kernel.constants_size, origin};
}

// One block may have the same bytes in other portions, or may have been left out as nothing in it is used.
void ExportMerger::CheckConstantsSize(const ReflectedKernel& kernel, const std::string& origin) const {
  const uint32_t own = ConstantsSize();
  const uint32_t given = kernel.constants_size;
  if (own == given || (given == 0 && !kernel.has_argument_list)) return;
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
    if (!IsBinding(parameter.value)) end = std::max(end, EndOfConstant(parameter.value, end));
  }
  return std::max(static_cast<uint32_t>(end), constants_size_ ? constants_size_->value : 0);
}

// The number of the next binding that no image has a number for: behind those that are numbered.
uint32_t ExportMerger::FirstFreeBinding() const {
  uint32_t next = 0;
  for (const Parameter& parameter : parameters_) {
    const hal_parameter_t& value = parameter.value.value;
    const bool is_numbered = IsBinding(parameter.value) && parameter.value.is_place_fixed && value.set == 0;
    if (is_numbered) next = std::max(next, value.binding + 1);
  }
  return next;
}

// Each constant, with the bindings behind it whose addresses are put into it.
void ExportMerger::AddParameters(ExportDescription* result) const {
  result->parameters.clear();
  result->notes.clear();
  uint32_t next_binding = FirstFreeBinding();
  uint64_t end = 0;  // of the constants so far
  for (const Parameter& parameter : parameters_) {
    const ReflectedParameter& told = parameter.value;
    result->notes.push_back({std::string(told.name),
                             told.element_type,
                             told.is_guess || !told.addresses.empty(),
                             {told.addresses.begin(), told.addresses.end()}});
    hal_parameter_t value = told.value;
    if (IsBinding(told)) {
      if (!told.is_place_fixed) value.set = 0, value.binding = next_binding++;
      if (!told.is_access_known) value.access = HAL_BINDING_ACCESS_READ_WRITE;
      result->parameters.push_back(value);
      continue;
    }
    const uint64_t own_end = EndOfConstant(told, end);
    value = hal_parameter_constant(static_cast<uint32_t>(own_end - value.size), value.size);
    result->parameters.push_back(value);
    end = std::max(end, own_end);
    for (const uint32_t place : told.bindings_at) {
      auto& address =
          result->parameters.emplace_back(hal_parameter_binding(next_binding++, HAL_BINDING_ACCESS_READ_WRITE));
      address.kind = HAL_PARAMETER_KIND_BINDING_ADDRESS;
      address.offset = value.offset + place;
      result->notes.emplace_back();
    }
  }
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
  AddParameters(&result);
  result.constants_size = ConstantsSize();
  return result;
}

}  // namespace halyard::tools
