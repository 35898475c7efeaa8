// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/reflection/spirv/spirv_addresses.h"

#include <algorithm>

#include "image/reflection/reflected_image.h"
#include "image/reflection/spirv/spirv_opcodes.h"

namespace halyard {
namespace {

using enum spirv::Opcode;
using enum spirv::Decoration;
using enum spirv::StorageClass;

bool IsAddress(const SpirvDefinition* type) {
  return type && type->instruction.opcode == kOpTypePointer && type->instruction[2] == kPhysicalStorageBuffer;
}

uint32_t AddOffset(uint32_t offset, uint64_t more) {
  return offset == kAnyOffset || more >= kAnyOffset - offset ? kAnyOffset : offset + static_cast<uint32_t>(more);
}

}  // namespace

const SpirvAddresses::Place* SpirvAddresses::PlaceOf(uint32_t id) const {
  const auto found = places_.find(id);
  return found == places_.end() ? nullptr : &found->second;
}

void SpirvAddresses::Add(const SpirvInstruction& instruction) {
  if (instruction.size() < 4) {
    // A variable of a function has one value, as compilers use them for what they read once.
    if (instruction.opcode == kOpStore && instruction.size() == 3) Copy(instruction[2], instruction[1]);
    return;
  }
  switch (instruction.opcode) {
    case kOpAccessChain:
    case kOpInBoundsAccessChain:
      return TakeAccessChain(instruction);
    case kOpLoad:
    case kOpCopyObject:
    case kOpIAdd:
      if (instruction.opcode == kOpIAdd && !PlaceOf(instruction[3]) && instruction.size() > 4) {
        return Copy(instruction[4], instruction[2]);
      }
      return Copy(instruction[3], instruction[2]);
    case kOpStore:
      return Copy(instruction[2], instruction[1]);
    case kOpCompositeExtract:
      return TakeExtract(instruction);
    case kOpConvertUToPtr:
    case kOpBitcast: {
      const Place* const place = PlaceOf(instruction[3]);
      if (!place) return;
      if (!IsAddress(definitions_.Find(instruction[1]))) return Copy(instruction[3], instruction[2]);
      converted_[place->variable][place->offset] |= place->is_computed;
      return;
    }
    default:
      return;
  }
}

void SpirvAddresses::Copy(uint32_t from, uint32_t to) {
  const Place* const place = PlaceOf(from);
  if (!place || PlaceOf(to)) return;
  const Place copied = *place;
  places_[to] = copied;
}

// One index further into what lies at a place.
void SpirvAddresses::Step(Place* place, const SpirvDefinition* index) const {
  const SpirvDefinition* const type = definitions_.Find(place->type);
  const bool is_known = index && index->is_known;
  if (!type || type->instruction.size() < 3) {
    *place = {place->variable, place->offset, 0, true};
    return;
  }
  const SpirvInstruction& instruction = type->instruction;
  if (instruction.opcode == kOpTypeStruct) {
    const uint64_t member = is_known ? index->value : UINT64_MAX;
    if (member >= instruction.size() - 2) {
      *place = {place->variable, place->offset, 0, true};
      return;
    }
    const auto number = static_cast<uint32_t>(member);
    if (!place->is_computed) {
      place->offset = AddOffset(place->offset, decorations_.FindMember(type->id, number, kOffset).value_or(0));
    }
    place->type = instruction[number + 2];
    return;
  }
  const SpirvDefinition* const element = definitions_.Find(instruction[2]);
  const uint64_t stride =
      decorations_.Find(type->id, kArrayStride)
          .value_or(static_cast<uint32_t>(element ? std::min<uint64_t>(element->size, UINT32_MAX) : 0));
  place->is_computed |= !is_known || index->value >= kAnyOffset;
  if (!place->is_computed) place->offset = AddOffset(place->offset, stride * index->value);
  place->type = instruction[2];
}

// From the variable itself, or from what another chain points to.
void SpirvAddresses::TakeAccessChain(const SpirvInstruction& instruction) {
  Place place;
  if (const Place* const base = PlaceOf(instruction[3])) {
    place = *base;
  } else {
    const SpirvDefinition* const variable = definitions_.Find(instruction[3]);
    const bool is_variable = variable && variable->instruction.opcode == kOpVariable;
    if (!is_variable || variable->instruction[3] != kPushConstant) return;
    const SpirvDefinition* const pointer = definitions_.Find(variable->instruction[1]);
    if (!pointer || pointer->instruction.opcode != kOpTypePointer) return;
    place = {variable->id, 0, pointer->instruction[3]};
  }
  for (size_t word = 4; word < instruction.size(); ++word) Step(&place, definitions_.Find(instruction[word]));
  places_[instruction[2]] = place;
}

void SpirvAddresses::TakeExtract(const SpirvInstruction& instruction) {
  const Place* const base = PlaceOf(instruction[3]);
  if (!base) return;
  Place place = *base;
  for (size_t word = 4; word < instruction.size(); ++word) {
    SpirvDefinition index;
    index.value = instruction[word];
    index.is_known = true;
    Step(&place, &index);
  }
  places_[instruction[2]] = place;
}

// In the module's order, where every type comes before those that it is in: so nothing recurses.
void SpirvAddresses::FindPointers() {
  for (const SpirvDefinition& definition : definitions_.all()) {
    HostVector<uint32_t> offsets;
    const SpirvInstruction& instruction = definition.instruction;
    if (instruction.opcode == kOpTypeStruct) {
      for (uint32_t member = 0; member + 2 < instruction.size(); ++member) {
        const uint32_t offset = decorations_.FindMember(definition.id, member, kOffset).value_or(0);
        AddPointers(instruction[member + 2], offset, &offsets);
      }
    } else if (instruction.opcode == kOpTypeArray && instruction.size() > 2) {
      const uint64_t stride = decorations_.Find(definition.id, kArrayStride).value_or(0);
      const uint64_t count = stride == 0 ? 1 : std::min<uint64_t>(definition.size / stride, kMost + 1);
      for (uint64_t i = 0; i < count; ++i) AddPointers(instruction[2], i * stride, &offsets);
    }
    if (!offsets.empty()) pointers_[definition.id] = std::move(offsets);
  }
}

// Those of a type at an offset. A pointer may come later than what has it, as it was announced.
void SpirvAddresses::AddPointers(uint32_t type, uint64_t offset, HostVector<uint32_t>* offsets) const {
  const auto add = [&](uint32_t place) {
    if (offsets->size() <= kMost) offsets->push_back(offsets->size() == kMost ? kAnyOffset : AddOffset(place, offset));
  };
  if (IsAddress(definitions_.Find(type))) return add(0);
  const auto found = pointers_.find(type);
  if (found == pointers_.end()) return;
  for (const uint32_t place : found->second) add(place);
}

HostVector<uint32_t> SpirvAddresses::Find(uint32_t variable, uint32_t type, uint32_t begin, uint32_t size) const {
  HostVector<uint32_t> offsets;
  AddPointers(type, 0, &offsets);
  const auto found = converted_.find(variable);
  if (found != converted_.end()) {
    for (const auto& [offset, is_computed] : found->second) {
      if (offset >= begin && offset - begin < size) offsets.push_back(is_computed ? kAnyOffset : offset - begin);
    }
  }
  std::sort(offsets.begin(), offsets.end());
  offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
  return offsets;
}

}  // namespace halyard
