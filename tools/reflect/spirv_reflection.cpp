// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reflect/spirv_reflection.h"

#include <algorithm>

#include "image/halx/container_contents.h"
#include "reflect/spirv_compiler.h"
#include "support/failure.h"

namespace halyard::tools {
namespace {

// The size is given by numbers, by specialisation constants that have these numbers as defaults, or some of each.
void ReflectSize(const SpirvCompiler& compiler, ReflectedKernel* kernel) {
  hal_dim3_t size = {0, 0, 0};
  uint32_t* const sizes[] = {&size.x, &size.y, &size.z};
  const std::array constants = compiler.SizeConstants();
  for (unsigned i = 0; i < 3; ++i) {
    *sizes[i] = spvc_compiler_get_execution_mode_argument_by_index(compiler.get(), SpvExecutionModeLocalSize, i);
    if (constants[i].id == 0) continue;
    const spvc_constant constant = spvc_compiler_get_constant_handle(compiler.get(), constants[i].id);
    *sizes[i] = spvc_constant_get_scalar_u32(constant, 0, 0);
    kernel->workgroup_size_ids[i] = constants[i].constant_id;
  }
  if (size.x != 0 && size.y != 0 && size.z != 0) kernel->workgroup_size = size;
}

// The members of the push constants, as far as they are scalars, vectors or arrays: each is one parameter.
void ReflectConstants(const SpirvCompiler& compiler, ReflectedKernel* kernel) {
  kernel->constants_size = 0;
  for (const spvc_reflected_resource& block : compiler.Resources(SPVC_RESOURCE_TYPE_PUSH_CONSTANT)) {
    const spvc_type type = spvc_compiler_get_type_handle(compiler.get(), block.base_type_id);
    for (unsigned member = 0; member < spvc_type_get_num_member_types(type); ++member) {
      unsigned offset = 0;
      size_t size = 0;
      compiler.Check(spvc_compiler_type_struct_member_offset(compiler.get(), type, member, &offset));
      compiler.Check(spvc_compiler_get_declared_struct_member_size(compiler.get(), type, member, &size));
      constexpr size_t kMost = ContainerLimits::kConstantsSize;
      if (size > kMost || offset > kMost - size) {
        compiler.Refuse(Concat("OpMemberDecorate Offset ", offset, ": member ", member, " of the push constants has ",
                               size, " bytes; they may have ", kMost, " in all"));
      }
      ReflectedParameter parameter;
      parameter.kind = HAL_PARAMETER_KIND_CONSTANT;
      parameter.offset = offset;
      parameter.size = static_cast<uint32_t>(size);
      parameter.name = spvc_compiler_get_member_name(compiler.get(), block.base_type_id, member);
      kernel->constants_size = std::max(*kernel->constants_size, offset + parameter.size);
      kernel->parameters.push_back(std::move(parameter));
    }
  }
}

// Variables at one place are one parameter, with all that any of them does.
void ReflectBindings(const SpirvCompiler& compiler, ReflectedKernel* kernel) {
  for (const SpirvBuffer& buffer : compiler.Buffers()) {
    if (!kernel->parameters.empty()) {
      ReflectedParameter& last = kernel->parameters.back();
      if (last.set == buffer.set && last.binding == buffer.binding) {
        if (last.access != buffer.access) last.access = HAL_BINDING_ACCESS_READ_WRITE;
        continue;
      }
    }
    ReflectedParameter& parameter = kernel->parameters.emplace_back();
    parameter.set = buffer.set;
    parameter.binding = buffer.binding;
    parameter.access = buffer.access;
    parameter.name = buffer.name;
  }
}

ReflectedKernel Reflect(const SpirvCompiler& compiler) {
  ReflectedKernel kernel;
  kernel.name = compiler.kernel();
  ReflectSize(compiler, &kernel);
  ReflectBindings(compiler, &kernel);
  ReflectConstants(compiler, &kernel);
  if (kernel.parameters.size() > ContainerLimits::kParameters) {
    compiler.Refuse(Concat("it has ", kernel.parameters.size(), " bindings and push constants; at most ",
                           ContainerLimits::kParameters, " may be"));
  }
  kernel.parameters_are_complete = false;  // compilers leave out what a kernel does not use
  return kernel;
}

}  // namespace

bool CanReadSpirv() { return true; }

ReflectedKernels ReflectSpirv(const std::string& path, std::span<const std::byte> image) {
  const SpirvModule module(path, image);
  ReflectedKernels kernels;
  for (const std::string& name : module.Kernels()) {
    kernels.push_back(SpirvCompiler(module.Only(name), name, SPVC_BACKEND_NONE).Examine(Reflect));
  }
  if (kernels.empty()) Fail(ExitCode::kInput, "'", path, "' has no compute kernel (OpEntryPoint GLCompute)");
  return kernels;
}

}  // namespace halyard::tools
