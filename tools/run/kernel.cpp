// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel.h"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "function/fixed_sides.h"
#include "function/signature.h"
#include "image/reflection/reflection.h"
#include "imports.h"
#include "support/failure.h"
#include "support/functions/host_conventions.h"
#include "support/input_file.h"
#include "support/kernels/export_description.h"
#include "support/kernels/image_format.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

Executable LoadContainer(hal_device_t* device, const RunOptions& options, const Imports& imports,
                         std::span<const hal_specialization_t> specializations) {
  if (!options.exports.empty()) {
    Fail(ExitCode::kUsage, "--exports is for raw images; '", options.executable, "' says itself what it exports");
  }
  hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
  params.format = hal_string_view(kContainerFormat);
  params.path = View(options.executable);
  params.specializations = specializations.data();
  params.specialization_count = specializations.size();
  imports.SetIn(&params);
  return Create<Executable>(ExitCode::kInput, "load '" + options.executable + "'", hal_executable_create, device,
                            &params);
}

// Whether an image says what it exports. What is wrong with it, loading it says.
bool Tells(const std::string& path, const std::string& format) {
  if (!CanReflect(format)) return false;
  ReflectedImage image;
  const halyard::Failure failure(Reflect(format, ReadFile(path), &image));
  return failure.code() != HAL_STATUS_NOT_FOUND;
}

Executable LoadImage(hal_device_t* device, const RunOptions& options, const std::string& format,
                     const DescriptionFile& file, const Imports& imports,
                     std::span<const hal_specialization_t> specializations) {
  const std::vector<ExportDescription> descriptions = ReadExportDescriptions(file);
  if (descriptions.empty() && !Tells(options.executable, format)) {
    Fail(ExitCode::kUsage, "'", options.executable, "' is a raw image (", format,
         ") that does not tell what it exports; describe it with --exports=FILE, or put both into a .halx with "
         "halyard-pack");
  }
  if (format == HAL_EXECUTABLE_FORMAT_HOST_SHARED_OBJECT) {
    CheckHostConventions(options.executable, ReadFile(options.executable), descriptions);
  }
  const std::vector<hal_export_info_t> exports = ToExportInfos(descriptions, format);
  hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
  params.format = View(format);
  params.path = View(options.executable);
  params.exports = exports.data();
  params.export_count = exports.size();
  params.specializations = specializations.data();
  params.specialization_count = specializations.size();
  imports.SetIn(&params);
  return Create<Executable>(ExitCode::kInput, "load '" + options.executable + "'", hal_executable_create, device,
                            &params);
}

std::string ExportNames(hal_executable_t* executable) {
  std::vector<std::string> names;
  for (uint32_t i = 0; i < hal_executable_export_count(executable); ++i) {
    names.push_back(Text(hal_executable_export_info(executable, i)->name));
  }
  return JoinText(names);
}

std::vector<KernelBinding> BindingsOf(hal_pipeline_layout_t* layout) {
  std::vector<KernelBinding> result;
  for (size_t set = 0; set < hal_pipeline_layout_set_count(layout); ++set) {
    size_t count = 0;
    const hal_descriptor_binding_t* const bindings =
        hal_descriptor_set_layout_bindings(hal_pipeline_layout_set(layout, set), &count);
    for (size_t i = 0; i < count; ++i) result.push_back({.access = bindings[i].access});
  }
  return result;
}

std::vector<hal_parameter_t> ConstantsOf(const hal_export_info_t& info) {
  std::vector<hal_parameter_t> constants;
  for (uint32_t i = 0; i < info.parameter_count; ++i) {
    if (info.parameters[i].kind == HAL_PARAMETER_KIND_CONSTANT) constants.push_back(info.parameters[i]);
  }
  std::ranges::sort(constants, {}, &hal_parameter_t::offset);
  return constants;
}

bool TakesBinding(const hal_parameter_t& parameter) {
  return parameter.kind == HAL_PARAMETER_KIND_BINDING || parameter.kind == HAL_PARAMETER_KIND_BINDING_ADDRESS ||
         parameter.kind == HAL_PARAMETER_KIND_TENSOR_MAP;
}

// How many constants, or bindings, come before one.
uint32_t PositionOf(const hal_export_info_t& info, const hal_parameter_t& parameter) {
  const auto place = [](const hal_parameter_t& one) {
    return TakesBinding(one) ? std::pair(one.set, one.binding) : std::pair(one.offset, 0u);
  };
  std::set<std::pair<uint32_t, uint32_t>> before;
  for (const hal_parameter_t& other : std::span(info.parameters, info.parameter_count)) {
    const bool is_alike = TakesBinding(parameter) ? TakesBinding(other) : other.kind == parameter.kind;
    if (is_alike && place(other) < place(parameter)) before.insert(place(other));
  }
  return static_cast<uint32_t>(before.size());
}

// What the file says of the kernel's parameters, also to its bindings.
void AddParameters(const hal_export_info_t& info, Kernel* kernel) {
  for (uint32_t i = 0; i < info.parameter_count; ++i) {
    const hal_parameter_t& given = info.parameters[i];
    KernelParameter& parameter = kernel->parameters.emplace_back();
    parameter.kind = given.kind;
    parameter.size = given.size;
    parameter.position = PositionOf(info, given);
    if (!info.parameter_infos) continue;
    parameter.is_guess = (info.parameter_infos[i].flags & HAL_PARAMETER_GUESSED) != 0;
    parameter.name = Text(info.parameter_infos[i].name);
    parameter.element_type = info.parameter_infos[i].element_type;
    if (!TakesBinding(given) || parameter.position >= kernel->bindings.size()) continue;
    kernel->bindings[parameter.position].name = parameter.name;
    kernel->bindings[parameter.position].element_type = parameter.element_type;
  }
}

// A function's memrefs are its bindings and its scalars its constants, in their order; then come its results.
void AddSignature(const hal_function_signature_t& signature, Kernel* kernel) {
  kernel->signature = &signature;
  size_t binding = 0;
  const auto bind = [&](const hal_value_type_t& type, bool is_result, uint32_t position) {
    if (binding == kernel->bindings.size()) Fail(ExitCode::kInternal, "a function has more memrefs than bindings");
    KernelBinding& bound = kernel->bindings[binding++];
    bound.type = &type;
    bound.is_result = is_result;
    bound.position = position;
  };
  for (uint32_t i = 0; i < signature.argument_count; ++i) {
    const hal_value_type_t& type = signature.arguments[i];
    if (IsBound(type)) bind(type, false, i);
    if (type.kind == HAL_VALUE_KIND_SCALAR && type.role == HAL_ARGUMENT_ROLE_DATA) kernel->scalars.push_back(i);
  }
  for (uint32_t i = 0; i < signature.result_count; ++i) bind(signature.results[i], true, i);
}

// "; guesses: parameter 1"; nothing if the file knows all.
std::string GuessText(const Kernel& kernel) {
  std::vector<std::string> guesses;
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    if (kernel.parameters[i].is_guess) guesses.push_back(Concat("parameter ", i));
  }
  return guesses.empty() ? ""
                         : Concat("; guesses, as the image does not tell addresses from numbers: ", JoinText(guesses));
}

std::string KernelText(const Kernel& kernel) {
  std::vector<std::string> parts;
  parts.reserve(kernel.bindings.size());
  for (size_t i = 0; i < kernel.bindings.size(); ++i) {
    const KernelBinding& binding = kernel.bindings[i];
    const std::string name = binding.name.empty() ? "" : Concat(" '", binding.name, "'");
    parts.push_back(Concat("binding ", i, name, ": ", AccessText(binding.access)));
  }
  std::string text = kernel.name + "(" + JoinText(parts);
  if (kernel.constants_size > 0)
    text += Concat(parts.empty() ? "" : "; ", BytesText(kernel.constants_size), " of constants");
  return text + ")" + GuessText(kernel);
}

std::string FunctionText(const Kernel& kernel) {
  size_t binding = 0;
  const auto describe = [&](const hal_value_type_t& type, bool is_result) {
    const bool is_bound = is_result || IsBound(type);
    return (is_bound ? Concat("binding ", binding++, ": ") : "") + ValueTypeText(type);
  };
  std::vector<std::string> arguments;
  std::vector<std::string> results;
  const hal_function_signature_t& signature = *kernel.signature;
  for (uint32_t i = 0; i < signature.argument_count; ++i) arguments.push_back(describe(signature.arguments[i], false));
  for (uint32_t i = 0; i < signature.result_count; ++i) results.push_back(describe(signature.results[i], true));
  if (signature.convention == HAL_CALLING_CONVENTION_C_STATUS) results.emplace_back("status");
  return Concat(kernel.name, "(", JoinText(arguments), ") -> (", JoinText(results), ")");
}

// A specialisation constant and --workgroup-size may both say the size: then they have to agree.
void CheckSize(const RunOptions& options, const hal_export_info_t& info) {
  const hal_dim3_t &asked = options.workgroup_size, &own = info.workgroup_size;
  const bool is_exact = (info.flags & HAL_EXPORT_EXACT_WORKGROUP_SIZE) != 0;
  if (asked.x == 0 || !is_exact || options.specializations.empty()) return;
  const bool is_part = IsAnyFixed(info.fixed_sides);
  const bool is_same = asked.x == own.x && asked.y == own.y && asked.z == own.z;
  if (is_part ? HasFixedSides(asked, info.fixed_sides) : own.x == 0 || is_same) return;
  std::vector<std::string> given;
  for (const SpecializeArgument& argument : options.specializations) given.push_back(argument.text);
  const hal_dim3_t& size = is_part ? info.fixed_sides : own;
  Fail(ExitCode::kUsage, "--workgroup-size=", asked.x, ",", asked.y, ",", asked.z, " contradicts ", JoinText(given),
       ": with that '", Text(info.name), "' runs in workgroups of (", size.x, ", ", size.y, ", ", size.z, ")",
       is_part ? ", where 0 is a side that is open" : " alone");
}

}  // namespace

Executable LoadExecutable(hal_device_t* device, const RunOptions& options) {
  const std::string format = options.format.empty() ? DetectFileFormat(options.executable).format : options.format;
  const DescriptionFile file = ReadDescriptionFile(options.exports);
  const std::vector<hal_specialization_t> specializations =
      ResolveSpecializations(ReadDescribedConstants(file), options.specializations, options.executable, format);
  const Imports imports(options, format);
  if (format == kContainerFormat) return LoadContainer(device, options, imports, specializations);
  return LoadImage(device, options, format, file, imports, specializations);
}

uint32_t FindExport(hal_executable_t* executable, const RunOptions& options) {
  if (options.function.empty()) {
    if (hal_executable_export_count(executable) == 1) return 0;
    Fail(ExitCode::kUsage, "--function=NAME is missing; '", options.executable, "' has ", ExportNames(executable));
  }
  uint32_t ordinal = 0;
  Check(hal_executable_find_export(executable, View(options.function), &ordinal), ExitCode::kInput,
        "find the function in '" + options.executable + "'");
  return ordinal;
}

Kernel LoadKernel(hal_device_t* device, const RunOptions& options) {
  Kernel kernel;
  kernel.executable = LoadExecutable(device, options);
  kernel.ordinal = FindExport(kernel.executable.get(), options);
  const hal_export_info_t* const info = hal_executable_export_info(kernel.executable.get(), kernel.ordinal);
  CheckSize(options, *info);
  kernel.name = Text(info->name);
  kernel.workgroup_size = info->workgroup_size;
  kernel.constants_size = info->constants_size;
  kernel.constants = ConstantsOf(*info);
  kernel.bindings = BindingsOf(info->layout);
  if (info->signature) {
    AddSignature(*info->signature, &kernel);
  } else {
    AddParameters(*info, &kernel);
  }
  return kernel;
}

std::string SignatureText(const Kernel& kernel) { return kernel.signature ? FunctionText(kernel) : KernelText(kernel); }

std::string BindingText(const Kernel& kernel, size_t binding) {
  const KernelBinding& bound = kernel.bindings[binding];
  std::string text = Concat("binding ", binding);
  if (!bound.name.empty()) return Concat("'", bound.name, "' (", text, ")");
  if (!bound.type) return text;
  return Concat(bound.is_result ? "result " : "argument ", bound.position, " (", text, ")");
}

}  // namespace halyard::tools
