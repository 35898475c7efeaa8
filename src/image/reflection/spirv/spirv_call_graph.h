// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which global variables the functions of a SPIR-V module mention. Modules before 1.4 list only some at an entry point.
#ifndef HALYARD_IMAGE_REFLECTION_SPIRV_CALL_GRAPH_H_
#define HALYARD_IMAGE_REFLECTION_SPIRV_CALL_GRAPH_H_

#include <cstdint>
#include <optional>
#include <span>

#include "base/host_memory.h"
#include "image/reflection/reading_budget.h"
#include "image/reflection/spirv/spirv_definitions.h"
#include "image/reflection/spirv/spirv_reader.h"

namespace halyard {

class SpirvCallGraph {
 public:
  explicit SpirvCallGraph(const SpirvDefinitions& definitions) : definitions_(definitions) {}

  /// Takes each instruction from the first OpFunction on. The definitions have the OpFunction by then.
  void Add(const SpirvInstruction& instruction);

  size_t FunctionCount() const { return functions_.size(); }
  /// The function with that id and all that it calls, directly or not, by their numbers in the module's order; rising.
  HostVector<size_t> ReachedFrom(uint32_t function) const;
  /// The variables that a function and all that it calls mention; some more than once. A word that is a number may be
  /// taken for an id: rather too many variables than too few.
  /// INCOMPATIBLE if the budget does not suffice.
  Status VariablesOf(uint32_t function, ReadingBudget* budget, HostVector<uint32_t>* out_variables) const;

 private:
  /// Its part of mentions_.
  struct Function {
    size_t begin;
    size_t end;
  };
  /// Its index in functions_.
  std::optional<size_t> Find(uint32_t id) const;
  std::span<const uint32_t> MentionsOf(size_t index) const {
    return std::span(mentions_).subspan(functions_[index].begin, functions_[index].end - functions_[index].begin);
  }

  const SpirvDefinitions& definitions_;
  HostVector<Function> functions_;  // in the module's order
  HostVector<uint32_t> mentions_;   // ids of variables, and of functions that are called
};

}  // namespace halyard

#endif  // HALYARD_IMAGE_REFLECTION_SPIRV_CALL_GRAPH_H_
