// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <cstring>
#include <set>

#include "reflect/msl_dispatch_values.h"
#include "reflect/msl_pieces.h"
#include "reflect/msl_selectors.h"
#include "reflect/spirv_compiler.h"
#include "reflect/spirv_reflection.h"
#include "support/failure.h"

namespace halyard::tools {
namespace {

constexpr uint32_t kOpTypeFloat = 22;
constexpr uint32_t kOpTypeStruct = 30;
constexpr uint32_t kOpSpecConstantTrue = 48;
constexpr uint32_t kOpSpecConstantOp = 52;
constexpr uint32_t kOpFunction = 54;
constexpr uint32_t kOpEntryPoint = 15;
constexpr uint32_t kOpArrayLength = 68;

// Blocks in workgroup memory (SPV_KHR_workgroup_memory_explicit_layout) lie at the same bytes. SPIRV-Cross makes
// variables of their own of them.
void RefuseSharedBlocks(const SpirvModule& module, const SpirvCompiler& compiler) {
  std::set<uint32_t> blocks;    // types that are decorated so
  std::set<uint32_t> pointers;  // to them
  int count = 0;
  for (const SpirvInstruction& instruction : module.Instructions()) {
    const std::span<const uint32_t> words = instruction.words;
    if (instruction.opcode == SpvOpDecorate && words[2] == SpvDecorationBlock) blocks.insert(words[1]);
    const bool is_pointer = instruction.opcode == SpvOpTypePointer && words[2] == SpvStorageClassWorkgroup;
    if (is_pointer && blocks.contains(words[3])) pointers.insert(words[1]);
    if (instruction.opcode != SpvOpVariable || !pointers.contains(words[1]) || ++count < 2) continue;
    compiler.Refuse(Concat("OpVariable '", spvc_compiler_get_name(compiler.get(), words[2]),
                           "': blocks in workgroup memory share their bytes, which Metal's variables do not"));
  }
}

// What Metal has no counterpart for, or only one that would need another argument.
void RefuseUntranslatable(const SpirvModule& module, const SpirvCompiler& compiler) {
  for (const SpirvInstruction& instruction : module.Instructions()) {
    if (instruction.opcode == kOpArrayLength) {
      compiler.Refuse("OpArrayLength: Metal does not tell the length of a buffer; pass it as a constant");
    }
    if (instruction.opcode == kOpTypeFloat && instruction.words[2] == 64) {
      compiler.Refuse("OpTypeFloat 64: Metal has no doubles");
    }
  }
  RefuseSharedBlocks(module, compiler);
}

// SPIRV-Cross does not take a side that is computed, and a value for one of the constants in it would change the side.
void RefuseComputedSides(const SpirvModule& module, const SpirvCompiler& compiler) {
  std::set<uint32_t> vectors;  // that are the size of a workgroup
  std::set<uint32_t> sides;
  std::set<uint32_t> computed;
  for (const SpirvInstruction& instruction : module.Instructions()) {
    const std::span<const uint32_t> words = instruction.words;
    const bool is_mode = instruction.opcode == SpvOpExecutionModeId && words[2] == SpvExecutionModeLocalSizeId;
    const bool is_built_in = instruction.opcode == SpvOpDecorate && words[2] == SpvDecorationBuiltIn;
    if (is_built_in && words[3] == SpvBuiltInWorkgroupSize) vectors.insert(words[1]);
    const bool is_vector = instruction.opcode == SpvOpSpecConstantComposite && vectors.contains(words[2]);
    if (is_mode || is_vector) sides.insert(words.begin() + 3, words.end());
    if (instruction.opcode == SpvOpSpecConstantOp) computed.insert(words[2]);
  }
  for (const uint32_t side : sides) {
    if (!computed.contains(side)) continue;
    compiler.Refuse("OpSpecConstantOp: a side of its workgroups is computed; Metal's can be numbers or constants");
  }
}

// The sets of a kernel as buffer indices: their own numbers, or, if one is too large, the order in which they come.
void PlaceSets(const SpirvCompiler& compiler, std::vector<SpirvBuffer>* buffers) {
  std::set<uint32_t> sets;
  for (const SpirvBuffer& buffer : *buffers) sets.insert(buffer.set);
  if (sets.size() > kMslSets) compiler.Refuse(Concat("it uses ", sets.size(), " sets; at most ", kMslSets, " may be"));
  if (sets.empty() || *sets.rbegin() < kMslSets) return;
  for (SpirvBuffer& buffer : *buffers) {
    buffer.set = static_cast<uint32_t>(std::distance(sets.begin(), sets.find(buffer.set)));
    spvc_compiler_set_decoration(compiler.get(), buffer.variable, SpvDecorationDescriptorSet, buffer.set);
  }
}

void Pin(const SpirvCompiler& compiler, uint32_t set, uint32_t binding, uint32_t place) {
  spvc_msl_resource_binding entry;
  spvc_msl_resource_binding_init(&entry);
  entry.stage = SpvExecutionModelGLCompute;
  entry.desc_set = set;
  entry.binding = binding;
  entry.msl_buffer = entry.msl_texture = entry.msl_sampler = place;
  compiler.Check(spvc_compiler_msl_add_resource_binding(compiler.get(), &entry));
}

void PinEverything(const SpirvCompiler& compiler) {
  std::vector<SpirvBuffer> buffers = compiler.Buffers();
  PlaceSets(compiler, &buffers);
  for (const SpirvBuffer& buffer : buffers) {
    Pin(compiler, buffer.set, buffer.binding, buffer.binding);
    Pin(compiler, buffer.set, SPVC_MSL_ARGUMENT_BUFFER_BINDING, buffer.set);
  }
  Pin(compiler, SPVC_MSL_PUSH_CONSTANT_DESC_SET, SPVC_MSL_PUSH_CONSTANT_BINDING, kMslConstantsIndex);
}

void SetOptions(const SpirvCompiler& compiler, MslVersion version) {
  spvc_compiler_options options = nullptr;
  compiler.Check(spvc_compiler_create_compiler_options(compiler.get(), &options));
  const unsigned number = version.major * 10000 + version.minor * 100;
  compiler.Check(spvc_compiler_options_set_uint(options, SPVC_COMPILER_OPTION_MSL_VERSION, number));
  for (const spvc_compiler_option option :
       {SPVC_COMPILER_OPTION_MSL_ARGUMENT_BUFFERS, SPVC_COMPILER_OPTION_MSL_FORCE_ACTIVE_ARGUMENT_BUFFER_RESOURCES}) {
    compiler.Check(spvc_compiler_options_set_bool(options, option, SPVC_TRUE));
  }
  compiler.Check(spvc_compiler_install_compiler_options(compiler.get(), options));
}

// Types, functions and constants of two kernels may have one name: they get that of their kernel in front.
void PrefixNames(const SpirvModule& module, const SpirvCompiler& compiler) {
  uint32_t entry = 0;
  for (const SpirvInstruction& instruction : module.Instructions()) {
    if (instruction.opcode == kOpEntryPoint) entry = instruction.words[2];
    uint32_t id = 0;
    if (instruction.opcode == kOpTypeStruct) id = instruction.words[1];
    const bool is_constant = instruction.opcode >= kOpSpecConstantTrue && instruction.opcode <= kOpSpecConstantOp;
    if (is_constant || instruction.opcode == kOpFunction) id = instruction.words[2];
    if (id == 0 || id == entry) continue;
    const std::string name = spvc_compiler_get_name(compiler.get(), id);
    const std::string unique = Concat(compiler.kernel(), "_", name.empty() ? std::to_string(id) : name);
    spvc_compiler_set_name(compiler.get(), id, unique.c_str());
  }
}

// A name that nothing else has.
void NameDynamicMemory(const SpirvCompiler& compiler, uint32_t variable) {
  const std::string given = spvc_compiler_get_name(compiler.get(), variable);
  const std::string name = Concat(compiler.kernel(), "_", given.empty() ? "local_memory" : given);
  spvc_compiler_set_name(compiler.get(), variable, name.c_str());
}

// The kernel's name in the text: "main" and what is no identifier become something else.
std::string SymbolOf(const SpirvCompiler& compiler) {
  return spvc_compiler_get_cleansed_entry_point_name(compiler.get(), compiler.kernel().c_str(),
                                                     SpvExecutionModelGLCompute);
}

// Completes what SPIRV-Cross made of a kernel.
std::string Complete(const SpirvCompiler& compiler, std::string text, uint32_t dynamic_memory) {
  text = MendBoolVectors(UseWorkgroupSize(std::move(text)));
  if (text.find("unsupported-built-in") != std::string::npos) {
    compiler.Refuse("OpDecorate BuiltIn: Metal has no such built-in variable");
  }
  if (dynamic_memory != 0) {
    const std::string name = spvc_compiler_get_name(compiler.get(), dynamic_memory);
    if (!UseDynamicMemory(name, &text)) {
      compiler.Refuse(Concat("OpVariable: SPIRV-Cross declares dynamic local memory, '", name, "', in an unknown way"));
    }
  }
  return MakeNamesUnique(std::move(text), SymbolOf(compiler));
}

std::string Translate(const SpirvCompiler& compiler, const DynamicMemory& kernel, MslVersion version) {
  RefuseUntranslatable(kernel.module, compiler);
  SetOptions(compiler, version);
  PinEverything(compiler);
  PrefixNames(kernel.module, compiler);
  if (kernel.variable != 0) NameDynamicMemory(compiler, kernel.variable);
  const char* text = nullptr;
  compiler.Check(spvc_compiler_compile(compiler.get(), &text));
  if (spvc_compiler_msl_needs_buffer_size_buffer(compiler.get())) {
    compiler.Refuse("OpArrayLength: Metal does not tell the length of a buffer; pass it as a constant");
  }
  if (spvc_compiler_msl_needs_swizzle_buffer(compiler.get()))
    compiler.Refuse("OpTypeImage: kernels take buffers alone");
  return Complete(compiler, text, kernel.variable);
}

// The kernel of a module without the constants that would have Metal compile at dispatch.
DynamicMemory Prepare(const SpirvModule& module, const std::string& kernel, const hal_dim3_t& size, MslSource* source) {
  const SpirvCompiler compiler(module, kernel, SPVC_BACKEND_NONE);
  return compiler.Examine([&](const SpirvCompiler& self) {
    RefuseComputedSides(module, self);
    const SizedKernel sized = LoadWorkgroupSize(module, self, size);
    if (sized.fixed != std::array<uint32_t, 3>{}) source->sizes[kernel] = sized.fixed;
    return ShortenDynamicMemory(sized.module, self);
  });
}

}  // namespace

MslSource TranslateSpirvToMsl(const std::string& path, std::span<const std::byte> image, MslVersion version,
                              const std::map<std::string, hal_dim3_t>& sizes) {
  const SpirvModule module(path, image);
  MslSource source;
  MslJoiner joiner;
  for (const std::string& kernel : module.Kernels()) {
    const auto size = sizes.find(kernel);
    const hal_dim3_t wanted = size == sizes.end() ? hal_dim3(0, 1, 1) : size->second;
    const DynamicMemory prepared = Prepare(CopySelectors(module.Only(kernel)), kernel, wanted, &source);
    const SpirvCompiler compiler(prepared.module, kernel, SPVC_BACKEND_MSL);
    joiner.Add(compiler.Examine([&](const SpirvCompiler& self) { return Translate(self, prepared, version); }));
    const std::string name = compiler.Examine(SymbolOf);
    if (name != kernel) source.symbols[kernel] = name;
  }
  if (joiner.text().empty()) Fail(ExitCode::kInput, "'", path, "' has no compute kernel (OpEntryPoint GLCompute)");
  source.text = joiner.text();
  return source;
}

}  // namespace halyard::tools
