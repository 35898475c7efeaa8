// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPIR-V as a list of instructions, read from bytes that may be anything.
#ifndef HALYARD_IMAGE_REFLECTION_SPIRV_READER_H_
#define HALYARD_IMAGE_REFLECTION_SPIRV_READER_H_

#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "image/shared_object/bytes.h"

namespace halyard {

/// One instruction. Words are counted from its first, which has opcode and length.
struct SpirvInstruction {
  uint32_t opcode = 0;
  size_t place = 0;  ///< the number of its first word in the module
  Bytes bytes;       ///< all of it

  size_t size() const { return bytes.size() / sizeof(uint32_t); }
  uint32_t operator[](size_t word) const { return ReadUint<uint32_t>(bytes, word * sizeof(uint32_t)); }

  /// Fails unless it has `count` words at least.
  Status Require(size_t count) const;
  /// The text that begins at a word, and the word behind it.
  Status ReadText(size_t word, std::string_view* out_text, size_t* out_end) const;
};

/// Fails with DATA_LOSS and "word 17: …".
[[nodiscard]] Status FailAtWord(size_t place, const char* format, ...) noexcept __attribute__((format(printf, 2, 3)));

/// The header of a module, and its instructions one after the other. Nothing is copied. What is malformed is DATA_LOSS,
/// with the number of the word.
class SpirvReader {
 public:
  static constexpr size_t kHeadWords = 5;
  static constexpr uint32_t kMaxBound = 0x3FFFFF;  ///< the universal limit of SPIR-V
  static constexpr size_t kMaxWords = size_t{16} << 20;

  /// @return INCOMPATIBLE if its version is above 1.6
  Status Open(Bytes module);

  uint32_t MajorVersion() const { return version_ >> 16 & 0xFF; }
  uint32_t MinorVersion() const { return version_ >> 8 & 0xFF; }
  uint32_t Bound() const { return bound_; }  ///< all ids are below
  size_t WordCount() const { return module_.size() / sizeof(uint32_t); }
  /// An instruction that ForEach() has seen, by its place.
  SpirvInstruction At(size_t place) const {
    return {Word(place) & 0xFFFF, place,
            module_.subspan(place * sizeof(uint32_t), (Word(place) >> 16) * sizeof(uint32_t))};
  }

  /// Calls `use` with each instruction, from the first on.
  template <class Use>
  Status ForEach(const Use& use) {
    at_ = kHeadWords;
    while (at_ < WordCount()) {
      SpirvInstruction instruction;
      HAL_TRY(Next(&instruction));
      HAL_TRY(use(instruction));
    }
    return kOk;
  }

 private:
  Status Next(SpirvInstruction* out_instruction);
  uint32_t Word(size_t index) const { return ReadUint<uint32_t>(module_, index * sizeof(uint32_t)); }

  Bytes module_;
  size_t at_ = kHeadWords;
  uint32_t version_ = 0;
  uint32_t bound_ = 0;
};

}  // namespace halyard

#endif  // HALYARD_IMAGE_REFLECTION_SPIRV_READER_H_
