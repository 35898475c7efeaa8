// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The decorations, types, constants and variables of a SPIR-V module.
#ifndef HALYARD_IMAGE_REFLECTION_SPIRV_DEFINITIONS_H_
#define HALYARD_IMAGE_REFLECTION_SPIRV_DEFINITIONS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>

#include "base/host_memory.h"
#include "halyard/buffer_view.h"
#include "halyard/executable.h"
#include "image/reflection/spirv/spirv_reader.h"

namespace halyard {

/// What decorates ids and members of structs. Add all, then Sort(), then ask.
class SpirvDecorations {
 public:
  /// Takes OpDecorate and OpMemberDecorate, as far as they are of interest; ignores all else.
  Status Add(const SpirvInstruction& instruction);
  void Sort();

  /// The first number behind a decoration, 0 if it has none. Nothing if the id is not decorated so.
  std::optional<uint32_t> Find(uint32_t id, uint32_t kind) const;
  std::optional<uint32_t> FindMember(uint32_t type, uint32_t member, uint32_t kind) const;
  /// The first id with a built-in; 0 if none.
  uint32_t FindBuiltIn(uint32_t built_in) const;

 private:
  struct Decoration {
    uint32_t id;
    uint32_t member;  // kNoMember, or of the struct
    uint32_t kind;
    uint32_t value;
  };
  static bool IsBefore(const Decoration& left, const Decoration& right) {
    return std::tie(left.id, left.member, left.kind, left.value) <
           std::tie(right.id, right.member, right.kind, right.value);
  }
  static constexpr uint32_t kNoMember = UINT32_MAX;

  HostVector<Decoration> decorations_;
};

/// What OpName and OpMemberName call ids and members of structs. Add all, then Sort(), then ask.
class SpirvNames {
 public:
  /// Ignores all other instructions, and names that do not end inside of theirs.
  void Add(const SpirvInstruction& instruction);
  void Sort();

  /// Empty if there is none.
  std::string_view Find(uint32_t id) const { return FindMember(id, kNoMember); }
  std::string_view FindMember(uint32_t type, uint32_t member) const;
  /// Whether a block is named as halyard-kernels names those of bindings: "hal_" and the name of the first member.
  bool HasBlocksOfHalyard() const;

 private:
  struct Name {
    uint32_t id;
    uint32_t member;  // kNoMember, or of the struct
    std::string_view text;
  };
  static constexpr uint32_t kNoMember = UINT32_MAX;

  HostVector<Name> names_;
};

/// A type, constant, variable or function of a module.
struct SpirvDefinition {
  uint32_t id = 0;
  SpirvInstruction instruction;
  uint64_t size = 0;              ///< type: bytes, as decorations lay it out
  uint64_t packed_size = 0;       ///< type: bytes without padding, as in memory that nothing lays out
  uint64_t fixed_size = 0;        ///< type: the same without what depends on constant 3
  uint64_t value = 0;             ///< constant: with the values of specialisation constants. Function: its index
  bool is_known = false;          ///< constant: `value` is right
  bool is_given = false;          ///< constant: the caller's specialisation gives its value
  bool has_unknown = false;       ///< type: an array in it has a length that is not known, so that sizes are too small
  bool needs_dynamic = false;     ///< type, constant: depends on specialisation constant 3
  bool is_never_read = false;     ///< struct: all members are decorated so
  bool is_never_written = false;  ///< struct: the same
};

/// Finds definitions by their ids. A module that defines few of many possible ids takes little memory.
class SpirvIdIndex {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  explicit SpirvIdIndex(uint32_t bound) : pages_(bound / kPageSize + 1) {}

  /// An index in the list; kNone if the id, which is below the bound, has none.
  uint32_t Find(uint32_t id) const {
    const uint32_t page = pages_[id / kPageSize];
    return page == 0 ? kNone : indices_[size_t{page - 1} * kPageSize + id % kPageSize];
  }
  void Insert(uint32_t id, uint32_t index);

 private:
  static constexpr uint32_t kPageSize = 8;

  HostVector<uint32_t> pages_;    // [id / kPageSize]: its number, from 1; 0 if none of its ids is there
  HostVector<uint32_t> indices_;  // of one page after the other
};

/// Sizes and values are computed in the module's order, where every operand comes before its use: so nothing recurses.
class SpirvDefinitions {
 public:
  /// @param specializations  values that take the place of defaults; must outlive this
  SpirvDefinitions(uint32_t bound, const SpirvDecorations& decorations,
                   std::span<const hal_specialization_t> specializations)
      : decorations_(decorations), specializations_(specializations), bound_(bound), indices_(bound) {}

  /// Takes what stands outside of functions, and OpFunction; ignores what is of no interest.
  Status Add(const SpirvInstruction& instruction);

  const SpirvDefinition* Find(uint32_t id) const;
  /// Bytes of a struct's member, as the struct lays it out.
  uint64_t MemberSize(const SpirvInstruction& type, uint32_t member) const;
  /// Of a number, or of those in a vector, matrix or array, or in a struct of one such member.
  hal_element_type_t ElementTypeOf(uint32_t type) const;
  /// In the module's order.
  const HostVector<SpirvDefinition>& all() const { return all_; }

 private:
  Status Insert(size_t id_word, size_t word_count, SpirvDefinition definition);
  Status AddNumberType(const SpirvInstruction& instruction);
  Status AddVector(const SpirvInstruction& instruction);
  Status AddArray(const SpirvInstruction& instruction);
  Status AddStruct(const SpirvInstruction& instruction);
  Status AddConstant(const SpirvInstruction& instruction);
  Status AddComputed(const SpirvInstruction& instruction);
  Status AddFunction(const SpirvInstruction& instruction);
  SpirvDefinition TypeOf(uint32_t id) const;
  void Specialize(SpirvDefinition* constant) const;
  void Compute(SpirvDefinition* constant) const;
  void Extract(SpirvDefinition* constant) const;
  /// Bits of an integer or boolean type; 0 of any other.
  uint32_t WidthOf(uint32_t type) const;

  const SpirvDecorations& decorations_;
  const std::span<const hal_specialization_t> specializations_;
  HostVector<SpirvDefinition> all_;
  const uint32_t bound_;
  SpirvIdIndex indices_;  // in all_
  uint32_t function_count_ = 0;
};

}  // namespace halyard

#endif  // HALYARD_IMAGE_REFLECTION_SPIRV_DEFINITIONS_H_
