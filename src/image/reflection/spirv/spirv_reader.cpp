// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/reflection/spirv/spirv_reader.h"

#include <cstdarg>
#include <cstdio>

namespace halyard {
namespace {

constexpr uint32_t kSpirvMagic = 0x07230203;
constexpr uint32_t kSwappedMagic = 0x03022307;

}  // namespace

Status FailAtWord(size_t place, const char* format, ...) noexcept {
  char text[200];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  return Fail(HAL_STATUS_DATA_LOSS, "word %zu: %s", place, text);
}

Status SpirvInstruction::Require(size_t count) const {
  if (size() >= count) return kOk;
  return FailAtWord(place, "instruction %u has %zu words; it needs %zu", opcode, size(), count);
}

Status SpirvInstruction::ReadText(size_t word, std::string_view* out_text, size_t* out_end) const {
  HAL_TRY(Require(word + 1));
  const std::string_view rest = AsText(bytes.subspan(word * sizeof(uint32_t)));
  const size_t end = rest.find('\0');
  if (end == std::string_view::npos) return FailAtWord(place + word, "a text does not end inside its instruction");
  *out_text = rest.substr(0, end);
  *out_end = word + end / sizeof(uint32_t) + 1;
  return kOk;
}

Status SpirvReader::Open(Bytes module) {
  const size_t count = module.size() / sizeof(uint32_t);
  if (module.size() % sizeof(uint32_t) != 0 || count < kHeadWords || count > kMaxWords) {
    return Fail(HAL_STATUS_DATA_LOSS, "the %zu bytes are no SPIR-V, which has 5 to %zu words of 4 bytes", module.size(),
                kMaxWords);
  }
  module_ = module;
  if (Word(0) == kSwappedMagic) return FailAtWord(0, "it is SPIR-V of the other byte order; little-endian is needed");
  if (Word(0) != kSpirvMagic) return FailAtWord(0, "it is no SPIR-V, which begins with 0x%08x", kSpirvMagic);
  version_ = Word(1);
  if ((version_ & 0xFF0000FF) != 0 || MajorVersion() != 1 || MinorVersion() > 6) {
    return Fail(HAL_STATUS_INCOMPATIBLE, "word 1: version %u.%u of SPIR-V; versions 1.0 to 1.6 are known",
                MajorVersion(), MinorVersion());
  }
  bound_ = Word(3);
  if (bound_ == 0 || bound_ > kMaxBound) {
    return FailAtWord(3, "the bound of ids is %u; it may be 1 to %u", bound_, kMaxBound);
  }
  return kOk;
}

Status SpirvReader::Next(SpirvInstruction* out_instruction) {
  const uint32_t first = Word(at_);
  const size_t size = first >> 16;
  const size_t left = WordCount() - at_;
  if (size == 0 || size > left) {
    return FailAtWord(at_, "instruction %u has %zu words, of %zu that are left", first & 0xFFFF, size, left);
  }
  *out_instruction = {first & 0xFFFF, at_, module_.subspan(at_ * sizeof(uint32_t), size * sizeof(uint32_t))};
  at_ += size;
  return kOk;
}

}  // namespace halyard
