// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <vector>

#include "emitters.h"
#include "support/failure.h"

namespace halyard::tools {
namespace {

// The names of paths in #line are an extension of their own.
constexpr std::string_view kGlslPrelude = R"(#version 450
#extension GL_GOOGLE_cpp_style_line_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
// Made by halyard-kernels; changes are lost.
#define local_id gl_LocalInvocationID
#define global_id gl_GlobalInvocationID
#define workgroup_id gl_WorkGroupID
#define workgroup_count gl_NumWorkGroups
#define atomic_add(cell, value) atomicAdd(cell, value)
#define float_bits(value) floatBitsToUint(value)
#define float_of_bits(bits) uintBitsToFloat(bits)
// A loop of one pass, so that `continue` leaves the block everywhere.
#define each_item for (bool hal_once = true; hal_once; hal_once = false)
)";

// Constants with the numbers that docs/kernels.md promises. A module of several kernels cannot have the constants that
// GLSL itself provides for the size: they hold for all of a module. halyard-pack knows the size by these names.
std::string SizeText(const KernelSource& source, const Kernel& kernel) {
  const uint32_t x = std::max<uint32_t>(kernel.workgroup_size.x, 1);
  const uint32_t y = std::max<uint32_t>(kernel.workgroup_size.y, 1);
  const uint32_t z = std::max<uint32_t>(kernel.workgroup_size.z, 1);
  std::string fixed = Concat("layout(local_size_x = ", x, ", local_size_y = ", y, ", local_size_z = ", z, ") in;\n");
  constexpr std::string_view kWord = "workgroup_size";
  const bool is_used = kernel.body.find(kWord) != std::string::npos || source.shared.find(kWord) != std::string::npos;
  if (!is_used) return fixed;
  return Concat(fixed, "layout(constant_id = 0) const uint hal_size_x = ", x,
                ";\nlayout(constant_id = 1) const uint hal_size_y = ", y,
                ";\nlayout(constant_id = 2) const uint hal_size_z = ", z,
                ";\n#define workgroup_size uvec3(hal_size_x, hal_size_y, hal_size_z)\n");
}

std::string BindingText(const KernelParameter& binding) {
  const char* const access = binding.access == HAL_BINDING_ACCESS_READ    ? "readonly "
                             : binding.access == HAL_BINDING_ACCESS_WRITE ? "writeonly "
                                                                          : "";
  return Concat("layout(set = ", binding.set, ", binding = ", binding.place, ", std430) ", access, "buffer hal_",
                binding.name, " { ", binding.type, " ", binding.name, "[]; };\n");
}

// Members stand in the order of their offsets.
std::string ConstantsText(const Kernel& kernel) {
  std::vector<const KernelParameter*> constants;
  for (const KernelParameter& parameter : kernel.parameters) {
    if (parameter.kind == HAL_PARAMETER_KIND_CONSTANT) constants.push_back(&parameter);
  }
  if (constants.empty()) return "";
  std::ranges::sort(constants, {}, [](const KernelParameter* constant) { return constant->place; });
  std::string text = "layout(push_constant, std430) uniform hal_constants {\n";
  for (const KernelParameter* constant : constants) {
    text += Concat("  layout(offset = ", constant->place, ") ", constant->type, " ", constant->name);
    text += constant->count > 0 ? Concat("[", constant->count, "];\n") : ";\n";
  }
  return text + "};\n";
}

std::string GlslLocalText(const LocalArray& array) {
  if (array.count > 0) return Concat("shared ", array.type, " ", array.name, "[", array.count, "];\n");
  return Concat("layout(constant_id = 3) const uint hal_dynamic_local_memory = 16;\nshared ", array.type, " ",
                array.name, "[hal_dynamic_local_memory / ", SizeOfType(array.type), "];\n");
}

}  // namespace

std::string GlslText(const KernelSource& source, const Kernel& kernel) {
  std::string text = Concat(kGlslPrelude, SizeText(source, kernel));
  for (const KernelParameter& parameter : kernel.parameters) {
    if (parameter.kind == HAL_PARAMETER_KIND_BINDING) text += BindingText(parameter);
  }
  text += ConstantsText(kernel);
  for (const LocalArray& array : kernel.locals) text += GlslLocalText(array);
  return Concat(text, LineDirective(source, 1), source.shared, "\nvoid main()\n",
                LineDirective(source, kernel.body_line), kernel.body, "\n");
}

}  // namespace halyard::tools
