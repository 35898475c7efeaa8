// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reflect/spirv_compiler.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>

#include "image/reflection/spirv/spirv_reflection.h"
#include "support/failure.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

// What kernels of Halyard do not have.
struct Unknown {
  spvc_resource_type type;
  const char* what;
};
constexpr std::array kUnknown = {
    Unknown{SPVC_RESOURCE_TYPE_STORAGE_IMAGE, "OpTypeImage"},
    Unknown{SPVC_RESOURCE_TYPE_SAMPLED_IMAGE, "OpTypeSampledImage"},
    Unknown{SPVC_RESOURCE_TYPE_SEPARATE_IMAGE, "OpTypeImage"},
    Unknown{SPVC_RESOURCE_TYPE_SEPARATE_SAMPLERS, "OpTypeSampler"},
    Unknown{SPVC_RESOURCE_TYPE_ACCELERATION_STRUCTURE, "OpTypeAccelerationStructureKHR"},
};

// What SPIRV-Cross says of types and instructions that it does not know: no more than how it failed.
constexpr std::array<std::string_view, 5> kUntold = {"", "nullptr", "Bad cast", "Cannot resolve expression type.",
                                                     "Currently no block to insert opcode."};

// SPIRV-Cross keeps about 40 bytes for each id that a module announces, whether anything has it or not.
constexpr uint64_t kIdsForEachWord = 4;
constexpr uint64_t kFreeIds = 65536;

// All but Shader, which every kernel has.
std::vector<std::string> CapabilitiesOf(const SpirvModule& module) {
  std::vector<std::string> names;
  for (const SpirvInstruction& instruction : module.Instructions()) {
    if (instruction.opcode != SpvOpCapability || instruction.words[1] == SpvCapabilityShader) continue;
    const char* const name = SpirvCapabilityName(instruction.words[1]);
    names.push_back(name ? name : Concat(instruction.words[1]));
  }
  return names;
}

}  // namespace

SpirvCompiler::SpirvCompiler(const SpirvModule& module, const std::string& kernel, spvc_backend backend)
    : path_(module.path()), kernel_(kernel), capabilities_(CapabilitiesOf(module)) {
  const std::vector<uint32_t>& words = module.words();
  if (words[3] > kIdsForEachWord * words.size() + kFreeIds) {
    Refuse(Concat("ids up to ", words[3], " in ", words.size(),
                  " words: SPIRV-Cross keeps a table of all; number them anew with spirv-opt --compact-ids"));
  }
  spvc_context context = nullptr;
  if (spvc_context_create(&context) != SPVC_SUCCESS) Fail(ExitCode::kInternal, "SPIRV-Cross does not start");
  context_.reset(context);
  spvc_parsed_ir parsed = nullptr;
  Check(spvc_context_parse_spirv(context, words.data(), words.size(), &parsed));
  Check(spvc_context_create_compiler(context, backend, parsed, SPVC_CAPTURE_MODE_TAKE_OWNERSHIP, &compiler_));
  Check(spvc_compiler_set_entry_point(compiler_, kernel.c_str(), SpvExecutionModelGLCompute));
  Check(spvc_compiler_create_shader_resources(compiler_, &resources_));
}

void SpirvCompiler::Check(spvc_result result) const {
  if (result != SPVC_SUCCESS) RefuseAsSaid(spvc_context_get_last_error_string(context_.get()));
}

void SpirvCompiler::Refuse(const std::string& what) const {
  Fail(ExitCode::kInput, "'", path_, "': kernel '", kernel_, "': ", what);
}

void SpirvCompiler::RefuseAsSaid(const std::string& said) const {
  if (std::ranges::find(kUntold, said) == kUntold.end()) Refuse(said);
  if (capabilities_.empty()) Refuse(Concat("SPIRV-Cross fails and says no more than '", said, "'"));
  Refuse(Concat("OpCapability ", JoinText(capabilities_), ": SPIRV-Cross does not know what one of them brings ('",
                said, "')"));
}

std::vector<spvc_reflected_resource> SpirvCompiler::Resources(spvc_resource_type type) const {
  const spvc_reflected_resource* list = nullptr;
  size_t count = 0;
  Check(spvc_resources_get_resource_list_for_type(resources_, type, &list, &count));
  return {list, list + count};
}

std::vector<SpirvBuffer> SpirvCompiler::Buffers() const {
  for (const Unknown& unknown : kUnknown) {
    if (!Resources(unknown.type).empty()) Refuse(Concat(unknown.what, ": kernels take buffers alone"));
  }
  std::vector<SpirvBuffer> buffers;
  for (const spvc_resource_type type : {SPVC_RESOURCE_TYPE_STORAGE_BUFFER, SPVC_RESOURCE_TYPE_UNIFORM_BUFFER}) {
    for (const spvc_reflected_resource& resource : Resources(type)) {
      if (spvc_type_get_num_array_dimensions(spvc_compiler_get_type_handle(compiler_, resource.type_id)) > 0) {
        Refuse(Concat("OpTypeArray of buffers at '", resource.name, "': a binding is one buffer"));
      }
      const bool is_constant = type == SPVC_RESOURCE_TYPE_UNIFORM_BUFFER;
      buffers.push_back({resource.id, spvc_compiler_get_decoration(compiler_, resource.id, SpvDecorationDescriptorSet),
                         spvc_compiler_get_decoration(compiler_, resource.id, SpvDecorationBinding),
                         is_constant ? HAL_BINDING_ACCESS_READ : AccessOf(resource), resource.name, is_constant});
    }
  }
  std::ranges::sort(buffers, {},
                    [](const SpirvBuffer& buffer) { return std::tuple(buffer.set, buffer.binding, buffer.variable); });
  CheckAliases(buffers);
  return buffers;
}

void SpirvCompiler::CheckAliases(const std::vector<SpirvBuffer>& buffers) const {
  const auto is_contradiction = [](const SpirvBuffer& left, const SpirvBuffer& right) {
    return left.set == right.set && left.binding == right.binding && left.is_uniform != right.is_uniform;
  };
  const auto found = std::ranges::adjacent_find(buffers, is_contradiction);
  if (found == buffers.end()) return;
  const SpirvBuffer& uniform = found->is_uniform ? found[0] : found[1];
  const SpirvBuffer& storage = found->is_uniform ? found[1] : found[0];
  Refuse(Concat("OpVariable: binding ", uniform.binding, " of set ", uniform.set, " is a storage buffer, '",
                storage.name, "', and a uniform buffer, '", uniform.name, "'"));
}

std::array<spvc_specialization_constant, 3> SpirvCompiler::SizeConstants() const {
  std::array<spvc_specialization_constant, 3> constants = {};
  spvc_compiler_get_work_group_size_specialization_constants(compiler_, &constants[0], &constants[1], &constants[2]);
  return constants;
}

hal_binding_access_t SpirvCompiler::AccessOf(const spvc_reflected_resource& resource) const {
  const SpvDecoration* decorations = nullptr;
  size_t count = 0;
  Check(spvc_compiler_get_buffer_block_decorations(compiler_, resource.id, &decorations, &count));
  const auto has = [&](SpvDecoration decoration) {
    return std::find(decorations, decorations + count, decoration) != decorations + count;
  };
  if (has(SpvDecorationNonWritable)) return HAL_BINDING_ACCESS_READ;
  return has(SpvDecorationNonReadable) ? HAL_BINDING_ACCESS_WRITE : HAL_BINDING_ACCESS_READ_WRITE;
}

}  // namespace halyard::tools
