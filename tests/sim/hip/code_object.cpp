// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/code_object.h"

#include <elf.h>

#include "engine/runtime.h"
#include "image/reflection/amd/hsaco_reflection.h"
#include "stream_api/elf_image.h"

namespace halyard::hip::abi {
namespace {

using sim::Error;

// Parameters lie one after the other, each aligned to its size.
std::vector<sim::ParameterPlace> PlacesOf(const ReflectedKernel& kernel) {
  sim::KernelCode code;
  for (const ReflectedParameter& parameter : kernel.parameters) {
    const bool is_binding = parameter.value.kind == HAL_PARAMETER_KIND_BINDING;
    code.parameters.push_back({is_binding, 0, is_binding ? 8U : parameter.value.size});
  }
  return sim::NaturalLayout(code);
}

sim::Entry EntryOf(const ReflectedKernel& kernel) {
  const hal_dim3_t& size = kernel.workgroup_size;
  return {std::string(kernel.name), PlacesOf(kernel), {size.x, size.y, size.z}, kernel.max_workgroup_volume};
}

}  // namespace

Error ReadCodeObject(const void* image, CodeObject* code, std::string* why) {
  if (!sim::BeginsAs(image, ELFMAG, SELFMAG)) {
    *why = "the image is no code object";
    return Error::kInvalidImage;
  }
  code->bytes = {static_cast<const std::byte*>(image), sim::ElfSize(image)};
  ReflectedImage reflected;
  if (const Failure failure(ReflectHsaco(code->bytes, &reflected)); failure) {
    *why = failure.message();
    sim::Runtime::Get().reports.Add(sim::Rule::kDamagedImage, *why);
    return Error::kInvalidImage;
  }
  code->target = reflected.target;
  for (const ReflectedKernel& kernel : reflected.kernels) {
    if (kernel.obstacle.empty()) code->kernels.push_back(EntryOf(kernel));
  }
  return Error::kSuccess;
}

}  // namespace halyard::hip::abi
