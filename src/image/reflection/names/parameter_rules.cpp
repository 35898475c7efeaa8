// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/reflection/names/parameter_rules.h"

#include "image/reflection/names/mangled_parameters.h"

namespace halyard {
namespace {

struct Decision {
  bool is_address = false;
  bool is_guess = false;
};

bool Agrees(const MangledParameter& mangled, const DeclaredParameter& declared) {
  switch (mangled.kind) {
    case MangledKind::kPointer:
      return declared.is_marked || declared.may_be_address;
    case MangledKind::kNumber:
      return !declared.is_marked && (mangled.size == 0 || mangled.size == declared.size);
    case MangledKind::kValue:
      return !declared.is_marked;
  }
  return false;
}

/// The name's parameters, if they may be those that are declared: compilers may add some that the name does not have.
HostVector<MangledParameter> ReadName(std::string_view name, std::span<const DeclaredParameter> declared) {
  HostVector<MangledParameter> mangled;
  if (!ReadMangledParameters(name, &mangled) || mangled.size() != declared.size()) return {};
  for (size_t i = 0; i < declared.size(); ++i) {
    if (!Agrees(mangled[i], declared[i])) return {};
  }
  return mangled;
}

/// Whether it may be a class that holds addresses.
bool IsOpaque(const MangledParameter& mangled) {
  return mangled.kind == MangledKind::kValue && mangled.element_type == HAL_ELEMENT_TYPE_NONE;
}

/// What the name tells, where the code does not tell that it is an address.
Decision DecideByName(const DeclaredParameter& parameter, const MangledParameter& mangled) {
  if (mangled.kind == MangledKind::kPointer) return {.is_address = true};
  return {.is_guess = IsOpaque(mangled) && parameter.use != ParameterUse::kNumber};
}

/// @param mangled  may be NULL
Decision Decide(const DeclaredParameter& parameter, const MangledParameter* mangled, bool module_marks) {
  if (parameter.is_marked) return {.is_address = true};
  if (!parameter.may_be_address) return {.is_guess = parameter.may_hold_addresses && (!mangled || IsOpaque(*mangled))};
  if (parameter.use == ParameterUse::kAddress) {
    return {.is_address = true, .is_guess = mangled && mangled->kind == MangledKind::kNumber};
  }
  if (mangled) return DecideByName(parameter, *mangled);
  const bool is_unknown = parameter.use == ParameterUse::kUnknown && !module_marks && !parameter.is_structure;
  return {.is_address = is_unknown || parameter.use == ParameterUse::kPartAddress, .is_guess = true};
}

}  // namespace

Status AddDeclaredParameters(std::span<const DeclaredParameter> parameters, bool module_marks,
                             ReflectedKernel* kernel) {
  const HostVector<MangledParameter> mangled = ReadName(kernel->name, parameters);
  for (size_t i = 0; i < parameters.size(); ++i) {
    const DeclaredParameter& parameter = parameters[i];
    const MangledParameter* const own = mangled.empty() ? nullptr : &mangled[i];
    const Decision decision = Decide(parameter, own, module_marks);
    if (decision.is_address) {
      AddBinding(kernel, HAL_BINDING_ACCESS_READ_WRITE, /*is_access_known=*/false, decision.is_guess);
    } else {
      HAL_TRY(AddConstant(kernel, parameter.size, decision.is_guess));
      kernel->parameters.back().element_type = parameter.element_type;
      kernel->parameters.back().addresses = parameter.addresses;
    }
    const bool is_as_named = own && decision.is_address == (own->kind == MangledKind::kPointer);
    if (is_as_named && own->element_type != HAL_ELEMENT_TYPE_NONE) {
      kernel->parameters.back().element_type = own->element_type;
    }
  }
  return kOk;
}

void AddMangledTypes(ReflectedKernel* kernel) {
  HostVector<DeclaredParameter> declared;
  for (const ReflectedParameter& parameter : kernel->parameters) {
    const bool is_address = parameter.value.kind == HAL_PARAMETER_KIND_BINDING;
    declared.push_back({.size = is_address ? kAddressSize : parameter.value.size, .is_marked = is_address});
  }
  const HostVector<MangledParameter> mangled = ReadName(kernel->name, declared);
  for (size_t i = 0; i < mangled.size(); ++i) {
    hal_element_type_t& type = kernel->parameters[i].element_type;
    if (type == HAL_ELEMENT_TYPE_NONE) type = mangled[i].element_type;
    if (!IsOpaque(mangled[i])) kernel->parameters[i].is_guess = false;
  }
}

}  // namespace halyard
