// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executable images: which fit the device, how they are loaded, what is in them.
#include <algorithm>
#include <cinttypes>
#include <memory>
#include <utility>

#include "hip/hip_api.h"
#include "image/reflection/amd/amd_target.h"
#include "image/reflection/amd/hsaco_reflection.h"

namespace halyard::hip {
namespace {

/// A loaded code object, and what its metadata tells, which HIP does not.
struct Module : HostObject {
  NativeModule loaded = nullptr;
  ReflectedImage image;
  HostMap<std::string_view, const ReflectedKernel*> by_name;
  HostMap<NativeFunction, const ReflectedKernel*> kernels;  // of functions that were found
};

Module& Of(NativeModule handle) { return *reinterpret_cast<Module*>(handle); }

}  // namespace

Status HipApi::RankImage(const ImageKind& image, uint32_t* out_rank) {
  if (image.format == HAL_EXECUTABLE_FORMAT_HIP_SOURCE) {  // after all that is compiled already
    *out_rank = 2000;
    return kOk;
  }
  if (image.format != "hsaco") {
    return Fail(HAL_STATUS_INCOMPATIBLE,
                "the hip driver takes executables of format 'hsaco' or 'hip-source', not '%.*s'",
                HALYARD_SV(image.format));
  }
  *out_rank = 0;
  return image.target.empty() ? kOk : RankAmdTarget(architecture_, image.target, 0, out_rank);
}

// HIP takes no length and believes what it reads, so nothing reaches it that was not walked before.
Status HipApi::LoadModule(std::string_view /*format*/, std::span<const std::byte> image, const hal_blob_store_t*,
                          NativeModule* out_module) {
  std::span<const std::byte> code = image;
  OffloadBundle bundle;
  if (LooksLikeOffloadBundle(image)) {
    HAL_TRY(ReadOffloadBundle(image, &bundle));
    HAL_TRY(PickCodeObject(architecture_, bundle, &code));
  }
  auto module = std::make_unique<Module>();
  HAL_TRY(CheckHsaco(code, &module->image));
  for (const ReflectedKernel& kernel : module->image.kernels) module->by_name.try_emplace(kernel.name, &kernel);
  uint32_t rank = 0;
  HAL_TRY(RankAmdTarget(architecture_, module->image.target, module->image.generic_version, &rank));
  const Exemption exempt(library_);
  HAL_TRY(HALYARD_HIP(library_, hipModuleLoadData, (reinterpret_cast<hipModule_t*>(&module->loaded), code.data())));
  *out_module = reinterpret_cast<NativeModule>(module.release());
  return kOk;
}

void HipApi::UnloadModule(NativeModule module) {
  const std::unique_ptr<Module> ended(&Of(module));
  VendorApi::UnloadModule(ended->loaded);
}

void HipApi::AbandonModule(NativeModule module) { delete &Of(module); }

Status HipApi::FindFunction(NativeModule module, const char* symbol, NativeFunction* out_function) {
  Module& in = Of(module);
  HAL_TRY(VendorApi::FindFunction(in.loaded, symbol, out_function));
  const auto found = in.by_name.find(std::string_view(symbol));
  if (found == in.by_name.end()) return Fail(HAL_STATUS_NOT_FOUND, "the image's metadata has no kernel '%s'", symbol);
  const ReflectedKernel& kernel = *found->second;
  if (!kernel.obstacle.empty()) {
    return Fail(HAL_STATUS_UNIMPLEMENTED, "the kernel '%s': %s", symbol, kernel.obstacle.c_str());
  }
  in.kernels[*out_function] = &kernel;
  return kOk;
}

Status HipApi::FindVariable(NativeModule module, const char* symbol, NativeAddress* out_address, uint64_t* out_size) {
  return VendorApi::FindVariable(Of(module).loaded, symbol, out_address, out_size);
}

Status HipApi::ParameterSize(NativeModule module, NativeFunction function, uint32_t index, uint64_t* out_size) {
  const auto& parameters = Of(module).kernels.at(function)->parameters;
  if (index >= parameters.size()) return Fail(HAL_STATUS_NOT_FOUND, "the kernel has no parameter %" PRIu32, index);
  const hal_parameter_t& value = parameters[index].value;
  *out_size = value.kind == HAL_PARAMETER_KIND_CONSTANT ? value.size : sizeof(NativeAddress);
  return kOk;
}

}  // namespace halyard::hip
