// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emitters.h"
#include "support/kernels/export_description.h"

namespace halyard::tools {
namespace {

ExportDescription Describe(const Kernel& kernel) {
  ExportDescription description;
  description.name = kernel.name;
  description.workgroup_size = kernel.workgroup_size;
  description.local_memory_size = LocalOffset(kernel, kernel.locals.size());
  description.constants_size = ConstantsSize(kernel);
  for (const KernelParameter& parameter : kernel.parameters) {
    if (parameter.kind == HAL_PARAMETER_KIND_CONSTANT) {
      description.parameters.push_back(hal_parameter_constant(parameter.place, SizeOf(parameter)));
      continue;
    }
    description.parameters.push_back(hal_parameter_binding(parameter.place, parameter.access));
    description.parameters.back().set = parameter.set;
  }
  return description;
}

}  // namespace

std::string ExportsText(const KernelSource& source) {
  std::vector<ExportDescription> descriptions;
  for (const Kernel& kernel : source.kernels) descriptions.push_back(Describe(kernel));
  Json exports = Json::array();
  for (const hal_export_info_t& info : ToExportInfos(descriptions, "")) exports.push_back(ToJson(info));
  return JsonText({{"exports", exports}});
}

}  // namespace halyard::tools
