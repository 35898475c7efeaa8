// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the arguments of a function go and where its results come from, worked out once from its signature.
#ifndef HALYARD_FUNCTION_CALL_PLAN_H_
#define HALYARD_FUNCTION_CALL_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/host_memory.h"
#include "base/status.h"
#include "halyard/memref.h"

namespace halyard {

/// What a machine passes as one piece.
enum class ComponentClass : uint8_t {
  kInteger,
  kHalf,      ///< 16 bits in a vector register
  kFloat,     ///< 32 bits in a vector register
  kDouble,    ///< 64 bits in a vector register
  kQuad,      ///< 128 bits in a vector register
  kExtended,  ///< 80 bits, on the stack or in an x87 register
};

/// One piece of a result, and where in memory it lies when the results are written as a struct.
struct ResultComponent {
  /// Where a function returns it if it returns in registers.
  enum class Place : uint8_t { kMemory, kInteger, kVector, kX87 };

  uint32_t offset;  ///< bytes from the start of the struct
  uint8_t size;     ///< bytes that mean something
  ComponentClass kind;
  Place place;
  uint8_t index;  ///< which register of the place
};

/// What a scalar is made of: one piece, the two parts of a complex number, or the two halves of each wide integer.
struct ScalarPieces {
  ComponentClass kind;
  uint32_t size;  ///< bytes of one
  uint32_t count;
};
ScalarPieces PiecesOf(hal_element_type_t type);

/// How a function is called. A frame has the words of NativeFrame, and behind the stack what is passed by address: two
/// words for each unranked argument of the wrapper convention, the pair {rank, descriptor}, and Halide's buffers.
class CallPlan {
 public:
  /// Works it out for a signature that was checked. UNIMPLEMENTED if there are more words than a frame may have, or on
  /// machines whose registers are not known.
  Status Make(const hal_function_signature_t& signature);

  size_t FrameWords() const { return indirect_begin_ + indirect_words_; }
  size_t StackWords() const { return stack_words_; }
  /// The word of each piece of an argument.
  std::span<const uint16_t> Words(size_t argument) const {
    return std::span(words_).subspan(argument_begin_[argument],
                                     argument_begin_[argument + 1] - argument_begin_[argument]);
  }
  /// Where the words lie that an argument passes by address.
  size_t IndirectOf(size_t argument) const { return indirect_of_[argument]; }

  /// The function writes its results to memory whose address is in word ResultAddressWord().
  bool ReturnsInMemory() const { return returns_in_memory_; }
  size_t ResultAddressWord() const { return result_address_word_; }
  size_t X87Count() const { return x87_count_; }
  /// Bytes of the struct of all results.
  size_t ResultSize() const { return result_size_; }
  /// Where in it a result begins, in bytes.
  size_t ResultOffset(size_t result) const { return result_offsets_[result]; }
  std::span<const ResultComponent> Components() const { return components_; }

 private:
  void PlaceResultAddress(hal_calling_convention_t convention);
  Status PlaceArguments(const hal_function_signature_t& signature);
  bool PlaceArgument(const hal_value_type_t& type, hal_calling_convention_t convention);
  bool PlaceScalar(hal_element_type_t type);
  bool PlaceWideInteger();
  void PlaceInteger();
  void PlaceVector(size_t words);
  void PlaceOnStack(size_t words);
  void AlignWideInteger();
  void Append(size_t word);
  void LayOutResults(const hal_function_signature_t& signature);
  void AppendResult(const hal_value_type_t& type, hal_calling_convention_t convention, uint32_t* end);
  bool AssignReturnRegisters();
  Status CheckResults(const hal_function_signature_t& signature) const;

  HostVector<uint16_t> words_;           // of all arguments, one after the other
  HostVector<uint32_t> argument_begin_;  // [argument], and the end
  HostVector<uint16_t> indirect_of_;     // [argument]
  HostVector<uint32_t> result_offsets_;
  HostVector<ResultComponent> components_;
  size_t integers_used_ = 0;
  size_t vectors_used_ = 0;
  size_t stack_words_ = 0;
  size_t indirect_begin_ = 0;
  size_t indirect_words_ = 0;
  size_t result_size_ = 0;
  size_t result_address_word_ = 0;
  size_t x87_count_ = 0;
  uint32_t ambiguous_result_ = UINT32_MAX;  // the first that LLVM's versions put elsewhere in memory
  bool returns_in_memory_ = false;
};

}  // namespace halyard

#endif  // HALYARD_FUNCTION_CALL_PLAN_H_
