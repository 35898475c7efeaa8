// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/reflection/spirv/spirv_kernel.h"

#include <algorithm>
#include <cstdio>
#include <tuple>
#include <utility>

#include "image/halx/container_contents.h"

namespace halyard {
namespace {

using enum spirv::Opcode;
using enum spirv::Decoration;
using enum spirv::StorageClass;

const char* WordsOfType(uint32_t opcode) {
  switch (opcode) {
    case kOpTypeArray:
    case kOpTypeRuntimeArray:
      return "is an array of descriptors";
    case kOpTypeImage:
      return "is an image";
    case kOpTypeSampledImage:
      return "is an image with a sampler";
    case kOpTypeSampler:
      return "is a sampler";
    case kOpTypeAccelerationStructureKHR:
      return "is an acceleration structure";
    default:
      return "is no buffer";
  }
}

hal_binding_access_t AccessOf(bool reads, bool writes) {
  if (reads && writes) return HAL_BINDING_ACCESS_READ_WRITE;
  return writes ? HAL_BINDING_ACCESS_WRITE : HAL_BINDING_ACCESS_READ;
}

/// Reads one entry point.
class SpirvKernelReader {
 public:
  SpirvKernelReader(const SpirvFacts& facts, const SpirvEntryPoint& entry_point, ReadingBudget* budget)
      : facts_(facts), entry_point_(entry_point), budget_(*budget) {}

  Status Read(HostVector<uint32_t> variables) {
    HAL_TRY(budget_.Take(ReadingBudget::kKernel + entry_point_.name.size()));
    kernel_.name = entry_point_.name;
    HAL_TRY(ReadSize());
    HAL_TRY(ReadSubgroup());
    std::sort(variables.begin(), variables.end());
    variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
    for (const uint32_t id : variables) HAL_TRY(TakeVariable(id));
    HAL_TRY(FinishLocalMemory());
    MergeBindings();
    FinishPushConstants();
    if (kernel_.bindings.size() + kernel_.push_constants.size() > ContainerLimits::kParameters) {
      Refuse("it has more bindings and push constants than 4096");
    }
    return kOk;
  }
  SpirvKernel Take() { return std::move(kernel_); }

 private:
  void Refuse(std::string_view why) {
    if (kernel_.obstacle.empty()) kernel_.obstacle = why;
  }
  const SpirvDefinition* Find(uint32_t id) const { return facts_.definitions.Find(id); }

  // --- The size of a workgroup ---

  Status ReadSize() {
    const SpirvDefinition* const constant = Find(facts_.workgroup_size);
    if (constant && IsComposite(constant->instruction)) return TakeSizeIds(constant->instruction);
    const SpirvInstruction& mode = entry_point_.size;
    if (mode.bytes.empty()) {
      return FailAtWord(entry_point_.instruction.place,
                        "the entry point has no LocalSize, LocalSizeId or WorkgroupSize");
    }
    if (mode.opcode == kOpExecutionModeId) return TakeSizeIds(mode);
    kernel_.size_word = mode.place + 3;
    for (unsigned axis = 0; axis < 3; ++axis) HAL_TRY(TakeSide(mode, axis, mode[3 + axis]));
    return facts_.is_of_halyard ? TakeNamedSizes() : kOk;
  }

  // The constants 0, 1 and 2 are the size then: a value that the caller gives says it.
  Status TakeNamedSizes() {
    kernel_.takes_any_size = true;
    uint32_t* const sides[] = {&kernel_.workgroup_size.x, &kernel_.workgroup_size.y, &kernel_.workgroup_size.z};
    for (const hal_specialization_t& given : facts_.specializations) {
      if (given.id > 2) continue;
      if (given.value == 0 || given.value > UINT32_MAX) {
        return Fail(HAL_STATUS_INVALID_ARGUMENT,
                    "specialisation constant %u is the size of a workgroup in %c, which cannot be %llu", given.id,
                    "xyz"[given.id], static_cast<unsigned long long>(given.value));
      }
      *sides[given.id] = static_cast<uint32_t>(given.value);
      kernel_.takes_any_size = false;
    }
    return kOk;
  }

  Status TakeSizeIds(const SpirvInstruction& instruction) {
    kernel_.size_source = SpirvSizeSource::kFixed;
    for (unsigned axis = 0; axis < 3; ++axis) {
      const SpirvDefinition* const constant = Find(instruction[3 + axis]);
      if (!constant || !constant->is_known) {
        return FailAtWord(instruction.place + 3 + axis, "%u is no constant with a known value", instruction[3 + axis]);
      }
      HAL_TRY(TakeSide(instruction, axis, constant->value));
      if (constant->instruction.opcode != kOpSpecConstant || constant->is_given) continue;
      kernel_.size_ids[axis] = facts_.decorations.Find(constant->id, kSpecId);
      kernel_.is_open[axis] = kernel_.size_ids[axis].has_value();
      if (kernel_.is_open[axis]) kernel_.size_source = SpirvSizeSource::kConstants;
    }
    return kOk;
  }

  Status TakeSide(const SpirvInstruction& instruction, unsigned axis, uint64_t side) {
    if (side == 0 || side > UINT32_MAX) {
      return FailAtWord(instruction.place + 3 + axis, "a side of a workgroup is %llu",
                        static_cast<unsigned long long>(side));
    }
    uint32_t* const sides[] = {&kernel_.workgroup_size.x, &kernel_.workgroup_size.y, &kernel_.workgroup_size.z};
    *sides[axis] = static_cast<uint32_t>(side);
    return kOk;
  }

  // With the size of a workgroup their number says how large subgroups are.
  Status ReadSubgroup() {
    const SpirvInstruction& mode = entry_point_.subgroup;
    if (mode.bytes.empty()) return kOk;
    uint64_t number = mode[3];
    if (mode[2] == spirv::kSubgroupsPerWorkgroupId) {
      const SpirvDefinition* const constant = Find(mode[3]);
      if (!constant || !constant->is_known) {
        return FailAtWord(mode.place + 3, "%u is no constant with a known value", mode[3]);
      }
      number = constant->value;
    }
    const hal_dim3_t& size = kernel_.workgroup_size;
    const uint64_t volume = uint64_t{size.x} * size.y * size.z;
    const bool is_size = mode[2] == spirv::kSubgroupSize;
    if (number == 0 || (!is_size && volume % number != 0)) {
      return FailAtWord(mode.place + 3, "%llu subgroups do not divide a workgroup of %llu work-items",
                        static_cast<unsigned long long>(number), static_cast<unsigned long long>(volume));
    }
    const uint64_t subgroup = is_size ? number : volume / number;
    if (subgroup > UINT32_MAX || (subgroup & (subgroup - 1)) != 0) {
      return FailAtWord(mode.place + 3, "a subgroup of %llu work-items, which is no power of two",
                        static_cast<unsigned long long>(subgroup));
    }
    kernel_.subgroup_size = static_cast<uint32_t>(subgroup);
    return kOk;
  }

  static bool IsComposite(const SpirvInstruction& constant) {
    const bool is_composite = constant.opcode == kOpConstantComposite || constant.opcode == kOpSpecConstantComposite;
    return is_composite && constant.size() == 6;
  }

  // --- Variables ---

  Status TakeVariable(uint32_t id) {
    constexpr size_t kSteps = 8;
    HAL_TRY(budget_.Take(kSteps));
    const SpirvDefinition* const variable = Find(id);
    if (!variable || variable->instruction.opcode != kOpVariable) return kOk;
    const uint32_t storage = variable->instruction[3];
    const bool is_resource = storage == kStorageBuffer || storage == kUniform || storage == kUniformConstant;
    if (!is_resource && storage != kPushConstant && storage != kWorkgroup) return kOk;
    const SpirvDefinition* const pointer = Find(variable->instruction[1]);
    const bool is_pointer = pointer && pointer->instruction.opcode == kOpTypePointer;
    const SpirvDefinition* const type = is_pointer ? Find(pointer->instruction[3]) : nullptr;
    if (!type)
      return FailAtWord(variable->instruction.place + 1, "the type of variable %u is no pointer to a type", id);
    if (storage == kWorkgroup) return TakeLocalMemory(*type);
    if (storage == kPushConstant) return TakePushConstants(id, *type);
    return TakeResource(*variable, *type, storage);
  }

  Status TakeResource(const SpirvDefinition& variable, const SpirvDefinition& type, uint32_t storage) {
    const std::optional<uint32_t> set = facts_.decorations.Find(variable.id, kDescriptorSet);
    const std::optional<uint32_t> binding = facts_.decorations.Find(variable.id, kBinding);
    if (!set || !binding) {
      Refuse("a buffer has no DescriptorSet or no Binding");
      return kOk;
    }
    const char* wrong = nullptr;
    if (type.instruction.opcode != kOpTypeStruct) {
      wrong = WordsOfType(type.instruction.opcode);
    } else if (storage == kUniformConstant) {
      wrong = WordsOfType(kOpTypeStruct);
    } else if (*set >= ContainerLimits::kSets) {
      wrong = "is in a set above 255";
    }
    const std::string_view name = NameOf(variable, type);
    HAL_TRY(budget_.TakeParameter(name));
    if (wrong) {
      char text[128];
      std::snprintf(text, sizeof(text), "binding %u of set %u %s; kernels take storage buffers and uniform buffers",
                    *binding, *set, wrong);
      Refuse(text);
      return kOk;
    }
    const bool is_uniform = storage == kUniform && !facts_.decorations.Find(type.id, kBufferBlock);
    // Of a block that is declared so each member is.
    const bool reads = is_uniform || (!type.is_never_read && !facts_.decorations.Find(variable.id, kNonReadable));
    const bool writes = !is_uniform && !type.is_never_written && !facts_.decorations.Find(variable.id, kNonWritable);
    kernel_.bindings.push_back({*set, *binding, AccessOf(reads, writes), variable.id, ToName(name),
                                facts_.definitions.ElementTypeOf(type.id), is_uniform, type.size});
    return kOk;
  }

  // What the source calls a buffer: its instance, the only member of a block without one, or the block.
  std::string_view NameOf(const SpirvDefinition& variable, const SpirvDefinition& block) const {
    const std::string_view name = facts_.names.Find(variable.id);
    if (!name.empty()) return name;
    const bool has_one = block.instruction.opcode == kOpTypeStruct && block.instruction.size() == 3;
    const std::string_view member = has_one ? facts_.names.FindMember(block.id, 0) : std::string_view();
    return member.empty() ? facts_.names.Find(block.id) : member;
  }

  static std::tuple<uint32_t, uint32_t> PlaceOf(const SpirvBinding& binding) { return {binding.set, binding.binding}; }

  // Variables at one place are one binding, with all that any of them does.
  void MergeBindings() {
    HostVector<SpirvBinding>& bindings = kernel_.bindings;
    std::sort(bindings.begin(), bindings.end(), [](const SpirvBinding& left, const SpirvBinding& right) {
      return std::tie(left.set, left.binding, left.variable) < std::tie(right.set, right.binding, right.variable);
    });
    HostVector<SpirvBinding> merged;
    for (SpirvBinding& next : bindings) {
      if (!merged.empty() && PlaceOf(merged.back()) == PlaceOf(next)) {
        Merge(next, &merged.back());
      } else {
        merged.push_back(std::move(next));
      }
    }
    bindings = std::move(merged);
  }

  void Merge(const SpirvBinding& alias, SpirvBinding* binding) {
    if (alias.is_uniform != binding->is_uniform) RefuseTwoKinds(alias, *binding);
    binding->size = std::max(binding->size, alias.size);
    if (binding->access != alias.access) binding->access = HAL_BINDING_ACCESS_READ_WRITE;
    if (binding->name.empty()) binding->name = alias.name;
    if (binding->element_type != alias.element_type) binding->element_type = HAL_ELEMENT_TYPE_NONE;
  }

  // Both would need one descriptor of two kinds.
  void RefuseTwoKinds(const SpirvBinding& one, const SpirvBinding& other) {
    const SpirvBinding& uniform = one.is_uniform ? one : other;
    const SpirvBinding& storage = one.is_uniform ? other : one;
    char text[64];
    std::snprintf(text, sizeof(text), "binding %u of set %u is a storage buffer, '", one.binding, one.set);
    Refuse(text + storage.name + "', and a uniform buffer, '" + uniform.name + "'");
  }

  Status TakePushConstants(uint32_t variable, const SpirvDefinition& block) {
    if (block.instruction.opcode != kOpTypeStruct) {
      return FailAtWord(block.instruction.place, "the push constants are no struct");
    }
    HAL_TRY(budget_.Take(block.instruction.size()));
    if (block.has_unknown) Refuse("the size of its push constants depends on a constant that is not computed");
    for (uint32_t member = 0; member + 2 < block.instruction.size(); ++member) {
      const std::optional<uint32_t> offset = facts_.decorations.FindMember(block.id, member, kOffset);
      if (!offset) return FailAtWord(block.instruction.place, "member %u of the push constants has no Offset", member);
      const uint64_t size = facts_.definitions.MemberSize(block.instruction, member);
      const uint64_t end = *offset + size;
      if (end > ContainerLimits::kConstantsSize) {
        return FailAtWord(block.instruction.place, "member %u of the push constants ends at byte %llu; %u are possible",
                          member, static_cast<unsigned long long>(end), ContainerLimits::kConstantsSize);
      }
      if (size == 0) continue;
      const std::string_view name = facts_.names.FindMember(block.id, member);
      HAL_TRY(budget_.TakeParameter(name));
      const uint32_t type = block.instruction[member + 2];
      HostVector<uint32_t> addresses = facts_.addresses.Find(variable, type, *offset, static_cast<uint32_t>(size));
      HAL_TRY(budget_.Take(addresses.size() * sizeof(uint32_t)));
      kernel_.push_constants.push_back({*offset, static_cast<uint32_t>(size), ToName(name),
                                        facts_.definitions.ElementTypeOf(type), std::move(addresses)});
    }
    return kOk;
  }

  void FinishPushConstants() {
    HostVector<SpirvPushConstant>& constants = kernel_.push_constants;
    const auto place = [](const SpirvPushConstant& constant) { return std::tuple(constant.offset, constant.size); };
    std::sort(constants.begin(), constants.end(), [&](const SpirvPushConstant& left, const SpirvPushConstant& right) {
      return place(left) != place(right) ? place(left) < place(right) : left.name > right.name;  // with a name first
    });
    const auto same = [&](const SpirvPushConstant& left, const SpirvPushConstant& right) {
      return place(left) == place(right);
    };
    constants.erase(std::unique(constants.begin(), constants.end(), same), constants.end());
    for (const SpirvPushConstant& constant : constants) {
      kernel_.constants_size = std::max(kernel_.constants_size, constant.offset + constant.size);
    }
  }

  // Constant 3 may as well be one of those that give the size: then it says nothing of memory.
  Status TakeLocalMemory(const SpirvDefinition& type) {
    const auto& ids = kernel_.size_ids;
    const bool is_size = std::find(ids.begin(), ids.end(), kSpirvDynamicLocalMemoryId) != ids.end();
    if (type.has_unknown) Refuse("the size of its workgroup memory depends on a constant that is not computed");
    if (type.needs_dynamic && !is_size) kernel_.has_dynamic_local_memory = true;
    local_memory_ += is_size ? type.packed_size : type.fixed_size;
    return kOk;
  }

  Status FinishLocalMemory() {
    if (local_memory_ > ContainerLimits::kLocalMemorySize) {
      return FailAtWord(entry_point_.instruction.place, "it declares %llu bytes of workgroup memory; %u are possible",
                        static_cast<unsigned long long>(local_memory_), ContainerLimits::kLocalMemorySize);
    }
    kernel_.local_memory_size = static_cast<uint32_t>(local_memory_);
    return kOk;
  }

  const SpirvFacts& facts_;
  const SpirvEntryPoint& entry_point_;
  ReadingBudget& budget_;
  SpirvKernel kernel_;
  uint64_t local_memory_ = 0;
};

}  // namespace

Status ReadSpirvKernel(const SpirvFacts& facts, const SpirvEntryPoint& entry_point, HostVector<uint32_t> variables,
                       ReadingBudget* budget, SpirvKernel* out_kernel) {
  SpirvKernelReader reader(facts, entry_point, budget);
  if (Status status = reader.Read(std::move(variables)); status != kOk) {
    return Annotate(status, "kernel '", entry_point.name, "': ");
  }
  *out_kernel = reader.Take();
  return kOk;
}

}  // namespace halyard
