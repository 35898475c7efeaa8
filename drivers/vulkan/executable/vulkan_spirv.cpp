// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/executable/vulkan_spirv.h"

#include <cstring>

namespace halyard::vulkan {
namespace {

constexpr size_t kHeader = 5;  // words
constexpr uint32_t kMagic = 0x07230203;
constexpr uint32_t kEntryPoint = 15;
constexpr uint32_t kExecutionMode = 16;
constexpr uint32_t kGlCompute = 5;
constexpr uint32_t kLocalSize = 17;

std::string_view NameAt(std::span<const uint32_t> words) {
  const auto* const text = reinterpret_cast<const char*>(words.data());
  return {text, strnlen(text, words.size() * sizeof(uint32_t))};
}

}  // namespace

Status FindEntryPoint(std::span<const uint32_t> words, std::string_view name, size_t* out_size) {
  *out_size = 0;
  if (words.size() < kHeader || words[0] != kMagic) {
    return FailWith(HAL_STATUS_DATA_LOSS, "the image is no SPIR-V module");
  }
  uint32_t id = 0;
  for (size_t at = kHeader; at < words.size();) {
    const size_t length = words[at] >> 16;
    const uint32_t code = words[at] & 0xffff;
    if (length == 0 || length > words.size() - at) {
      return Fail(HAL_STATUS_DATA_LOSS, "the SPIR-V module is cut short at word %zu", at);
    }
    const std::span<const uint32_t> operands = words.subspan(at + 1, length - 1);
    if (code == kEntryPoint && operands.size() > 2 && operands[0] == kGlCompute &&
        NameAt(operands.subspan(2)) == name) {
      id = operands[1];
    }
    if (code == kExecutionMode && operands.size() == 5 && id != 0 && operands[0] == id && operands[1] == kLocalSize) {
      *out_size = at + 3;
    }
    at += length;
  }
  if (id != 0) return kOk;
  return Fail(HAL_STATUS_NOT_FOUND, "the SPIR-V module has no kernel '%.*s'", HALYARD_SV(name));
}

}  // namespace halyard::vulkan
