// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/executable/executable_container.h"

#include "core/executable/variant_ranking.h"
#include "image/halx/variant_choice.h"

namespace halyard {
namespace {

/// The file that a failure is about, if it has a name.
HostString Subject(const char* function, const hal_executable_params_t& params) {
  HostString subject = HostString(function) + ": ";
  if (params.path.size > 0) subject.append("'").append(View(params.path)).append("': ");
  return subject;
}

Status CheckGiven(const hal_executable_params_t& params) {
  if (params.export_count == 0) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT,
              "params->exports has %zu elements, but an executable file tells its exports "
              "itself; give none",
              params.export_count);
}

}  // namespace

Status ExecutableContainer::Resolve(const char* function, hal_device_t* device, hal_executable_params_t* params) {
  const std::string_view format = View(params->format);
  if (!format.empty() && format != HAL_EXECUTABLE_FORMAT_CONTAINER) return kOk;
  const HostString subject = Subject(function, *params);
  if (Status status = Load(*params); status != kOk) return Annotate(status, subject);
  if (Status status = CheckGiven(*params); status != kOk) return Annotate(status, subject);
  return Annotate(TakeVariant(device, params), subject);
}

Status ExecutableContainer::Load(const hal_executable_params_t& params) {
  std::span<const std::byte> file(static_cast<const std::byte*>(params.data), params.data_size);
  if (!params.data) {
    const HostString path(View(params.path));
    HAL_TRY(mapping_.Open(path.c_str()));
    file = mapping_.bytes();
  }
  if (params.format.size == 0 && !LooksLikeContainer(file)) {
    return FailWith(HAL_STATUS_INVALID_ARGUMENT,
                    "params->format is empty, which is for executable files (.halx), and this is none; name the format "
                    "of the image");
  }
  return container_.Parse(file);
}

Status ExecutableContainer::TakeVariant(hal_device_t* device, hal_executable_params_t* params) {
  size_t chosen = 0;
  const ContainerContents& contents = container_.contents();
  HAL_TRY(ChooseVariant(contents, DeviceRanker(device), &chosen));
  if (!params->unvalidated) {
    HAL_TRY(container_.CheckImage(chosen));
  }
  const ContainerVariant& variant = contents.variants[chosen];
  MakeExports(variant);
  params->format = ToC(variant.format);
  params->data = variant.image.data();
  params->data_size = variant.image.size();
  params->path = {nullptr, 0};
  params->exports = exports_.data();
  params->export_count = exports_.size();
  return kOk;
}

void ExecutableContainer::MakeExports(const ContainerVariant& variant) {
  exports_.assign(variant.symbols.size(), HAL_EXPORT_INFO_INIT);
  for (size_t i = 0; i < exports_.size(); ++i) {
    const ContainerExport& info = container_.contents().exports[i];
    exports_[i].name = ToC(info.name);
    exports_[i].symbol = ToC(variant.symbols[i]);
    exports_[i].workgroup_size = info.workgroup_size;
    exports_[i].local_memory_size = info.local_memory_size;
    exports_[i].constants_size = info.constants_size;
    exports_[i].parameter_count = static_cast<uint32_t>(info.parameters.size());
    exports_[i].parameters = info.parameters.empty() ? nullptr : info.parameters.data();
    exports_[i].signature = info.signature.Get();
  }
}

}  // namespace halyard
