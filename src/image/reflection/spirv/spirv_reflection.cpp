// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/reflection/spirv/spirv_reflection.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "image/halx/container_contents.h"
#include "image/reflection/spirv/spirv_call_graph.h"
#include "image/reflection/spirv/spirv_definitions.h"
#include "image/reflection/spirv/spirv_kernel.h"
#include "image/reflection/spirv/spirv_reader.h"

namespace halyard {
namespace {

using enum spirv::Opcode;
using enum spirv::ExecutionMode;
using spirv::kGlCompute;
using spirv::kSpecId;
using spirv::kWorkgroupSize;

// Addressing and memory models.
constexpr uint32_t kLogical = 0;
constexpr uint32_t kPhysicalStorageBuffer64 = 5348;
constexpr uint32_t kGlsl450 = 1;
constexpr uint32_t kVulkan = 3;

bool IsDeclaration(uint32_t opcode) {
  return (opcode >= kOpExtension && opcode <= kOpCapability && opcode != kOpExtInst) || opcode == kOpDecorate ||
         opcode == kOpMemberDecorate || opcode == kOpExecutionModeId;
}

/// Reads a module in two passes, as OpEntryPoint and decorations come before what they name.
class SpirvModuleReader {
 public:
  explicit SpirvModuleReader(std::span<const hal_specialization_t> specializations)
      : specializations_(specializations) {}

  Status Read(Bytes module) {
    HAL_TRY(reader_.Open(module));
    image_.major_version = reader_.MajorVersion();
    image_.minor_version = reader_.MinorVersion();
    HAL_TRY(reader_.ForEach([this](const SpirvInstruction& instruction) { return TakeDeclaration(instruction); }));
    HAL_TRY(CheckDeclarations());
    decorations_.Sort();
    names_.Sort();
    SpirvDefinitions definitions(reader_.Bound(), decorations_, specializations_);
    SpirvCallGraph calls(definitions);
    SpirvAddresses addresses(definitions, decorations_);
    HAL_TRY(TakeDefinitions(&definitions, &calls, &addresses));
    if (has_addresses_) addresses.FindPointers();
    ReadConstants(definitions);
    image_.is_of_halyard = names_.HasBlocksOfHalyard();
    ReadingBudget budget(module.size());
    HAL_TRY(ReadKernels(definitions, calls, addresses, &budget));
    FinishCapabilities();
    return kOk;
  }
  SpirvImage Take() { return std::move(image_); }

 private:
  // Entry points list all that they use since 1.4; before, inputs and outputs only.
  bool InterfacesAreWhole() const { return image_.minor_version >= 4; }

  // --- The first pass ---

  Status TakeDeclaration(const SpirvInstruction& instruction) {
    HAL_TRY(FollowFunctions(instruction));
    if (is_in_functions_ && IsDeclaration(instruction.opcode)) {
      return FailAtWord(instruction.place, "instruction %u has to stand before all functions", instruction.opcode);
    }
    switch (instruction.opcode) {
      case kOpCapability:
        HAL_TRY(instruction.Require(2));
        image_.capabilities.push_back(instruction[1]);
        return kOk;
      case kOpExtension:
        return TakeExtension(instruction);
      case kOpMemoryModel:
        return TakeMemoryModel(instruction);
      case kOpEntryPoint:
        return TakeEntryPoint(instruction);
      case kOpExecutionMode:
      case kOpExecutionModeId:
        return TakeMode(instruction);
      case kOpName:
      case kOpMemberName:
        names_.Add(instruction);
        return kOk;
      default:
        return decorations_.Add(instruction);
    }
  }

  // A module that was cut short between two instructions ends inside a function.
  Status FollowFunctions(const SpirvInstruction& instruction) {
    if (instruction.opcode != kOpFunction && instruction.opcode != kOpFunctionEnd) return kOk;
    const bool begins = instruction.opcode == kOpFunction;
    if (is_in_function_ == begins) {
      return FailAtWord(instruction.place, "%s",
                        begins ? "a function begins inside another one" : "a function ends where none has begun");
    }
    is_in_function_ = begins;
    is_in_functions_ = true;
    return kOk;
  }

  Status TakeExtension(const SpirvInstruction& instruction) {
    std::string_view name;
    size_t end = 0;
    HAL_TRY(instruction.ReadText(1, &name, &end));
    image_.extensions.emplace_back(name);
    return kOk;
  }

  Status TakeMemoryModel(const SpirvInstruction& instruction) {
    HAL_TRY(instruction.Require(3));
    const uint32_t addressing = instruction[1], memory = instruction[2];
    has_memory_model_ = true;
    has_addresses_ = addressing == kPhysicalStorageBuffer64;
    if ((addressing == kLogical || addressing == kPhysicalStorageBuffer64) &&
        (memory == kGlsl450 || memory == kVulkan)) {
      return kOk;
    }
    return Fail(
        HAL_STATUS_INCOMPATIBLE,
        "word %zu: the module is for OpenCL (addressing model %u, memory model %u); Vulkan takes the addressing "
        "model Logical with the memory model GLSL450 or Vulkan",
        instruction.place, addressing, memory);
  }

  Status TakeEntryPoint(const SpirvInstruction& instruction) {
    HAL_TRY(instruction.Require(4));
    if (instruction[1] != kGlCompute) return kOk;
    SpirvEntryPoint entry_point;
    entry_point.instruction = instruction;
    HAL_TRY(instruction.ReadText(3, &entry_point.name, &entry_point.interface_word));
    entry_points_.push_back(entry_point);
    return kOk;
  }

  Status TakeMode(const SpirvInstruction& instruction) {
    HAL_TRY(instruction.Require(3));
    const uint32_t mode = instruction[2];
    const bool takes_ids = instruction.opcode == kOpExecutionModeId;
    if (mode == (takes_ids ? kLocalSizeId : kLocalSize)) {
      HAL_TRY(instruction.Require(6));
      sizes_.push_back(instruction);
    }
    const bool is_subgroup =
        takes_ids ? mode == kSubgroupsPerWorkgroupId : mode == kSubgroupSize || mode == kSubgroupsPerWorkgroup;
    if (!is_subgroup) return kOk;
    HAL_TRY(instruction.Require(4));
    subgroups_.push_back(instruction);
    return kOk;
  }

  Status CheckDeclarations() {
    if (is_in_function_) return FailWith(HAL_STATUS_DATA_LOSS, "the module ends inside a function");
    if (!has_memory_model_) return FailWith(HAL_STATUS_DATA_LOSS, "the module has no OpMemoryModel");
    if (entry_points_.empty()) {
      return FailWith(HAL_STATUS_INCOMPATIBLE, "the module has no compute kernel (OpEntryPoint GLCompute)");
    }
    if (entry_points_.size() > ContainerLimits::kExports) {
      return Fail(HAL_STATUS_INCOMPATIBLE, "the module has %zu kernels; at most %zu are possible: divide it",
                  entry_points_.size(), ContainerLimits::kExports);
    }
    HAL_TRY(Give(&sizes_, "size", &SpirvEntryPoint::size));
    return Give(&subgroups_, "size of subgroups", &SpirvEntryPoint::subgroup);
  }

  // Modes to the entry points that they name.
  Status Give(HostVector<SpirvInstruction>* modes, const char* what, SpirvInstruction SpirvEntryPoint::*member) {
    const auto target = [](const SpirvInstruction& mode) { return mode[1]; };
    std::sort(modes->begin(), modes->end(), [&](const SpirvInstruction& left, const SpirvInstruction& right) {
      return std::pair(target(left), left.place) < std::pair(target(right), right.place);
    });
    const auto twice = std::adjacent_find(
        modes->begin(), modes->end(),
        [&](const SpirvInstruction& left, const SpirvInstruction& right) { return target(left) == target(right); });
    if (twice != modes->end()) {
      return FailAtWord(twice[1].place, "a second %s for the entry point %u", what, target(*twice));
    }
    for (SpirvEntryPoint& entry_point : entry_points_) {
      const auto found =
          std::lower_bound(modes->begin(), modes->end(), entry_point.function(),
                           [&](const SpirvInstruction& mode, uint32_t function) { return target(mode) < function; });
      if (found != modes->end() && target(*found) == entry_point.function()) entry_point.*member = *found;
    }
    return kOk;
  }

  // --- The second pass ---

  Status TakeDefinitions(SpirvDefinitions* definitions, SpirvCallGraph* calls, SpirvAddresses* addresses) {
    bool is_in_functions = false;
    return reader_.ForEach([&](const SpirvInstruction& instruction) {
      is_in_functions |= instruction.opcode == kOpFunction;
      if (!is_in_functions || instruction.opcode == kOpFunction) HAL_TRY(definitions->Add(instruction));
      if (is_in_functions && !InterfacesAreWhole()) calls->Add(instruction);
      if (is_in_functions && has_addresses_) addresses->Add(instruction);
      return kOk;
    });
  }

  Status ReadKernels(const SpirvDefinitions& definitions, const SpirvCallGraph& calls, const SpirvAddresses& addresses,
                     ReadingBudget* budget) {
    const SpirvFacts facts = {
        decorations_,         definitions,     names_, addresses, decorations_.FindBuiltIn(kWorkgroupSize),
        image_.is_of_halyard, specializations_};
    image_.kernels.reserve(entry_points_.size());
    for (const SpirvEntryPoint& entry_point : entry_points_) {
      const SpirvDefinition* const function = definitions.Find(entry_point.function());
      if (!function || function->instruction.opcode != kOpFunction) {
        return FailAtWord(entry_point.instruction.place + 2, "the entry point %u is no function",
                          entry_point.function());
      }
      HostVector<uint32_t> variables;
      HAL_TRY(FindVariables(entry_point, calls, budget, &variables));
      HAL_TRY(ReadSpirvKernel(facts, entry_point, std::move(variables), budget, &image_.kernels.emplace_back()));
    }
    return kOk;
  }

  Status FindVariables(const SpirvEntryPoint& entry_point, const SpirvCallGraph& calls, ReadingBudget* budget,
                       HostVector<uint32_t>* out_variables) const {
    if (!InterfacesAreWhole()) return calls.VariablesOf(entry_point.function(), budget, out_variables);
    for (size_t word = entry_point.interface_word; word < entry_point.instruction.size(); ++word) {
      out_variables->push_back(entry_point.instruction[word]);
    }
    return kOk;
  }

  /// Nothing else is the type of a specialisation constant with a number, in a module that is right.
  static bool IsScalar(const SpirvDefinition& type) {
    const uint32_t opcode = type.instruction.opcode;
    return opcode == kOpTypeBool || opcode == kOpTypeInt || opcode == kOpTypeFloat;
  }

  void ReadConstants(const SpirvDefinitions& definitions) {
    HostVector<SpirvConstant>& constants = image_.constants;
    for (const SpirvDefinition& definition : definitions.all()) {
      const uint32_t opcode = definition.instruction.opcode;
      if (opcode < kOpSpecConstantTrue || opcode > kOpSpecConstant) continue;
      const std::optional<uint32_t> id = decorations_.Find(definition.id, kSpecId);
      const SpirvDefinition* const type = definitions.Find(definition.instruction[1]);
      if (!id || !type || !IsScalar(*type)) continue;
      constants.push_back({*id, static_cast<uint32_t>(type->size), definition.value, ToName(names_.Find(definition.id)),
                           definitions.ElementTypeOf(type->id)});
    }
    // Several may have one id: that with a name comes first.
    std::sort(constants.begin(), constants.end(), [](const SpirvConstant& left, const SpirvConstant& right) {
      return left.id != right.id ? left.id < right.id : left.name > right.name;
    });
    const auto same = [](const SpirvConstant& left, const SpirvConstant& right) { return left.id == right.id; };
    constants.erase(std::unique(constants.begin(), constants.end(), same), constants.end());
  }

  void FinishCapabilities() {
    HostVector<uint32_t>& capabilities = image_.capabilities;
    std::sort(capabilities.begin(), capabilities.end());
    capabilities.erase(std::unique(capabilities.begin(), capabilities.end()), capabilities.end());
  }

  SpirvReader reader_;
  SpirvDecorations decorations_;
  SpirvNames names_;
  HostVector<SpirvEntryPoint> entry_points_;
  const std::span<const hal_specialization_t> specializations_;
  HostVector<SpirvInstruction> sizes_;      // OpExecutionMode LocalSize, OpExecutionModeId LocalSizeId
  HostVector<SpirvInstruction> subgroups_;  // SubgroupSize, SubgroupsPerWorkgroup, SubgroupsPerWorkgroupId
  bool has_memory_model_ = false;
  bool has_addresses_ = false;    // so that kernels may follow addresses of buffers
  bool is_in_functions_ = false;  // behind the first
  bool is_in_function_ = false;
  SpirvImage image_;
};

ReflectedParameter ToParameter(const hal_parameter_t& value, const HostString& name, hal_element_type_t type) {
  ReflectedParameter parameter;
  parameter.value = value;
  parameter.name = name;
  parameter.element_type = type;
  parameter.is_access_known = value.kind == HAL_PARAMETER_KIND_BINDING;
  parameter.is_place_fixed = true;
  return parameter;
}

hal_dim3_t FixedSides(const SpirvKernel& kernel) {
  const hal_dim3_t& size = kernel.workgroup_size;
  const auto& open = kernel.is_open;
  return hal_dim3(open[0] ? 0 : size.x, open[1] ? 0 : size.y, open[2] ? 0 : size.z);
}

ReflectedKernel ToReflected(const SpirvKernel& given) {
  ReflectedKernel kernel;
  kernel.name = given.name;
  kernel.obstacle = given.obstacle;
  kernel.has_argument_list = false;
  kernel.is_workgroup_size_known = true;
  const bool is_open = std::count(given.is_open.begin(), given.is_open.end(), true) > 0;
  kernel.is_workgroup_size_exact = !is_open && !given.takes_any_size;
  if (!is_open) {
    kernel.workgroup_size = given.workgroup_size;
  } else {
    kernel.workgroup_size_ids = given.size_ids;
    kernel.default_workgroup_size = given.workgroup_size;
    kernel.fixed_sides = FixedSides(given);
  }
  kernel.subgroup_size = given.subgroup_size;
  kernel.uses_dynamic_local_memory = given.has_dynamic_local_memory;
  kernel.local_memory_size = given.local_memory_size;
  kernel.constants_size = given.constants_size;
  if (!given.obstacle.empty()) return kernel;
  for (const SpirvBinding& binding : given.bindings) {
    hal_parameter_t value = hal_parameter_binding(binding.binding, binding.access);
    value.set = binding.set;
    kernel.parameters.push_back(ToParameter(value, binding.name, binding.element_type));
  }
  for (const SpirvPushConstant& constant : given.push_constants) {
    kernel.parameters.push_back(
        ToParameter(hal_parameter_constant(constant.offset, constant.size), constant.name, constant.element_type));
    kernel.parameters.back().addresses = constant.addresses;
  }
  return kernel;
}

}  // namespace

const char* SpirvCapabilityName(uint32_t capability) {
  switch (static_cast<SpirvCapability>(capability)) {
#define HALYARD_SPIRV_CASE(name, number) \
  case SpirvCapability::k##name:         \
    return #name;
    HALYARD_SPIRV_CAPABILITIES(HALYARD_SPIRV_CASE)
#undef HALYARD_SPIRV_CASE
  }
  return nullptr;
}

Status ReadSpirv(Bytes module, SpirvImage* out_image, std::span<const hal_specialization_t> specializations) {
  SpirvModuleReader reader(specializations);
  HAL_TRY(reader.Read(module));
  *out_image = reader.Take();
  return kOk;
}

Status ReflectSpirv(Bytes module, std::span<const hal_specialization_t> specializations, ReflectedImage* out_image) {
  SpirvImage facts;
  HAL_TRY(ReadSpirv(module, &facts, specializations));
  ReflectedImage image;
  char producer[32];
  std::snprintf(producer, sizeof(producer), "SPIR-V %u.%u", facts.major_version, facts.minor_version);
  image.producer = producer;
  for (const SpirvConstant& constant : facts.constants) {
    image.constants.push_back({constant.id, constant.name, constant.type, constant.size, constant.default_value});
  }
  image.kernels.reserve(facts.kernels.size());
  for (const SpirvKernel& kernel : facts.kernels) image.kernels.push_back(ToReflected(kernel));
  HAL_TRY(CheckKernelNames(image));
  *out_image = std::move(image);
  return kOk;
}

}  // namespace halyard
