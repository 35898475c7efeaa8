// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel.h"

#include <algorithm>

#include "support/export_description.h"
#include "support/failure.h"
#include "support/image_format.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

Executable LoadContainer(hal_device_t* device, const RunOptions& options) {
  if (!options.exports.empty()) {
    Fail(ExitCode::kUsage, "--exports is for raw images; '", options.executable, "' says itself what it exports");
  }
  hal_executable_params_t params = HAL_EXECUTABLE_PARAMS_INIT;
  params.format = hal_string_view(kContainerFormat);
  params.path = View(options.executable);
  return Create<Executable>(ExitCode::kInput, "load '" + options.executable + "'", hal_executable_create, device,
                            &params);
}

Executable LoadImage(hal_device_t* device, const RunOptions& options, const std::string& format) {
  if (options.exports.empty()) {
    Fail(ExitCode::kUsage, "'", options.executable, "' is a raw image (", format,
         "); describe its exports with --exports=FILE, or put both into a .halx with halyard-pack");
  }
  const std::vector<ExportDescription> descriptions = ReadExportDescriptions(options.exports);
  const std::vector<hal_export_info_t> exports = ToExportInfos(descriptions, format);
  hal_executable_params_t params = HAL_EXECUTABLE_PARAMS_INIT;
  params.format = View(format);
  params.path = View(options.executable);
  params.exports = exports.data();
  params.export_count = exports.size();
  return Create<Executable>(ExitCode::kInput, "load '" + options.executable + "'", hal_executable_create, device,
                            &params);
}

Executable Load(hal_device_t* device, const RunOptions& options) {
  const std::string format = options.format.empty() ? DetectFileFormat(options.executable).format : options.format;
  return format == kContainerFormat ? LoadContainer(device, options) : LoadImage(device, options, format);
}

std::string ExportNames(hal_executable_t* executable) {
  std::vector<std::string> names;
  for (uint32_t i = 0; i < hal_executable_export_count(executable); ++i) {
    names.push_back(Text(hal_executable_export_info(executable, i)->name));
  }
  return JoinText(names);
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

std::vector<hal_binding_access_t> BindingsOf(hal_pipeline_layout_t* layout) {
  std::vector<hal_binding_access_t> accesses;
  for (size_t set = 0; set < hal_pipeline_layout_set_count(layout); ++set) {
    size_t count = 0;
    const hal_descriptor_binding_t* const bindings =
        hal_descriptor_set_layout_bindings(hal_pipeline_layout_set(layout, set), &count);
    for (size_t i = 0; i < count; ++i) accesses.push_back(bindings[i].access);
  }
  return accesses;
}

std::vector<hal_parameter_t> ConstantsOf(const hal_export_info_t& info) {
  std::vector<hal_parameter_t> constants;
  for (uint32_t i = 0; i < info.parameter_count; ++i) {
    if (info.parameters[i].kind == HAL_PARAMETER_KIND_CONSTANT) constants.push_back(info.parameters[i]);
  }
  std::ranges::sort(constants, {}, &hal_parameter_t::offset);
  return constants;
}

}  // namespace

Kernel LoadKernel(hal_device_t* device, const RunOptions& options) {
  Kernel kernel;
  kernel.executable = Load(device, options);
  kernel.ordinal = FindExport(kernel.executable.get(), options);
  const hal_export_info_t* const info = hal_executable_export_info(kernel.executable.get(), kernel.ordinal);
  kernel.name = Text(info->name);
  kernel.workgroup_size = info->workgroup_size;
  kernel.constants_size = info->constants_size;
  kernel.constants = ConstantsOf(*info);
  kernel.bindings = BindingsOf(info->layout);
  return kernel;
}

std::string SignatureText(const Kernel& kernel) {
  std::vector<std::string> parts;
  parts.reserve(kernel.bindings.size());
  for (size_t i = 0; i < kernel.bindings.size(); ++i) {
    parts.push_back(Concat("binding ", i, ": ", AccessText(kernel.bindings[i])));
  }
  std::string text = kernel.name + "(" + JoinText(parts);
  if (kernel.constants_size > 0)
    text += Concat(parts.empty() ? "" : "; ", BytesText(kernel.constants_size), " of constants");
  return text + ")";
}

}  // namespace halyard::tools
