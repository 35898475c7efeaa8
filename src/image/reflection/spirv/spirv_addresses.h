// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the push constants of a SPIR-V module hold addresses of memory: members that are pointers, and numbers that its
// functions turn into pointers.
#ifndef HALYARD_IMAGE_REFLECTION_SPIRV_ADDRESSES_H_
#define HALYARD_IMAGE_REFLECTION_SPIRV_ADDRESSES_H_

#include <cstdint>

#include "base/host_memory.h"
#include "image/reflection/spirv/spirv_definitions.h"
#include "image/reflection/spirv/spirv_reader.h"

namespace halyard {

class SpirvAddresses {
 public:
  SpirvAddresses(const SpirvDefinitions& definitions, const SpirvDecorations& decorations)
      : definitions_(definitions), decorations_(decorations) {}

  /// Takes each instruction from the first OpFunction on.
  void Add(const SpirvInstruction& instruction);
  /// Looks through the types, which are complete by then.
  void FindPointers();

  /// The addresses in `size` bytes of a variable from `begin` on, as offsets from there; sorted, kAnyOffset last.
  /// @param type  of what lies there
  HostVector<uint32_t> Find(uint32_t variable, uint32_t type, uint32_t begin, uint32_t size) const;

 private:
  /// Where a value was loaded from, or what a pointer points to.
  struct Place {
    uint32_t variable = 0;
    uint32_t offset = 0;  // if it is computed, where that begins which it lies in
    uint32_t type = 0;
    bool is_computed = false;
  };

  const Place* PlaceOf(uint32_t id) const;
  void TakeAccessChain(const SpirvInstruction& instruction);
  void TakeExtract(const SpirvInstruction& instruction);
  void Step(Place* place, const SpirvDefinition* index) const;
  void Copy(uint32_t from, uint32_t to);
  void AddPointers(uint32_t type, uint64_t offset, HostVector<uint32_t>* offsets) const;

  static constexpr size_t kMost = 16;  // in one member; more are kAnyOffset

  const SpirvDefinitions& definitions_;
  const SpirvDecorations& decorations_;
  HostMap<uint32_t, HostVector<uint32_t>> pointers_;  // [type]: the offsets of those in it
  HostMap<uint32_t, Place> places_;                   // of pointers into push constants, and of values from there
  // [variable][offset]: turned into a pointer; whether that lies at a computed place from there on.
  HostMap<uint32_t, HostMap<uint32_t, bool>> converted_;
};

}  // namespace halyard

#endif  // HALYARD_IMAGE_REFLECTION_SPIRV_ADDRESSES_H_
