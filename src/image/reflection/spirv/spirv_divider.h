// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Takes kernels out of a SPIR-V module, each with what it needs.
#ifndef HALYARD_IMAGE_REFLECTION_SPIRV_DIVIDER_H_
#define HALYARD_IMAGE_REFLECTION_SPIRV_DIVIDER_H_

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/host_memory.h"
#include "image/reflection/reading_budget.h"
#include "image/reflection/spirv/spirv_call_graph.h"
#include "image/reflection/spirv/spirv_definitions.h"
#include "image/reflection/spirv/spirv_reader.h"

namespace halyard {

/// A module that does not change.
using SpirvWords = std::shared_ptr<const HostVector<uint32_t>>;

/// What a kernel's module keeps: its entry point, the functions that it calls, and the declarations that any of these
/// mention, with their names and decorations. Any word that may name an id counts as a mention, numbers too: a
/// declaration too many is no harm. So a kernel costs what it is long, in time and memory.
class SpirvDivider {
 public:
  /// @param words  of a module, which must outlive the divider
  /// @return as ReadSpirv()
  Status Open(std::span<const uint32_t> words);

  /// A module of one kernel. One that cannot be divided safely (with debug information of the kind NonSemantic, or with
  /// decoration groups) is given whole, each time the same. No module says the size of subgroups: pipelines ask for it.
  ///
  /// @return NOT_FOUND if there is no such kernel; INCOMPATIBLE if kernels have so much in common that their modules
  ///         would be too large together. May throw std::bad_alloc.
  Status Take(std::string_view kernel, SpirvWords* out_words);
  /// Whether Take() gives modules of single kernels.
  bool can_divide() const { return can_divide_; }

 private:
  /// The places of its first word, and of that behind it.
  struct Range {
    size_t begin = 0;
    size_t end = 0;
  };
  /// A set of ids that can be emptied at little cost.
  class IdSet {
   public:
    void Resize(size_t bound) { is_in_.resize(bound); }
    void Add(uint32_t id);
    bool Has(uint32_t id) const { return id < is_in_.size() && is_in_[id]; }
    void Clear();

   private:
    HostVector<bool> is_in_;
    HostVector<uint32_t> ids_;
  };

  Status Examine(const SpirvInstruction& instruction);
  Status ExamineOutside(const SpirvInstruction& instruction);
  Status TakeEntryPoint(const SpirvInstruction& instruction);
  Status TakeWhole(SpirvWords* out_words);
  HostVector<uint32_t> WithoutSubgroups() const;
  Status TakePart(const SpirvInstruction& entry_point, HostVector<uint32_t>* out_words);
  void MarkFunctions(std::span<const size_t> functions);
  void MarkDeclarations(const SpirvInstruction& entry_point);
  bool IsKept(const SpirvInstruction& instruction, const SpirvInstruction& entry_point) const;
  void Use(const SpirvInstruction& instruction, size_t first_word);
  Status Append(Range range, HostVector<uint32_t>* out_words);

  std::span<const uint32_t> words_;
  SpirvReader reader_;
  const SpirvDecorations no_decorations_ = {};
  std::optional<SpirvDefinitions> definitions_;
  std::optional<SpirvCallGraph> calls_;
  std::optional<ReadingBudget> budget_;
  HostMap<std::string_view, SpirvInstruction> entry_points_;
  HostVector<uint32_t> outside_;  // places of the instructions before all functions
  HostVector<Range> functions_;
  HostVector<uint32_t> roots_;  // ids that are used, whatever the kernel
  bool can_divide_ = true;
  SpirvWords whole_;
  // Of the kernel that is taken.
  IdSet used_;
  IdSet kept_;     // definitions outside functions
  IdSet defined_;  // those, and what functions define; annotations of these are kept
};

}  // namespace halyard

#endif  // HALYARD_IMAGE_REFLECTION_SPIRV_DIVIDER_H_
