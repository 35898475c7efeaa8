// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "array_spec.h"

#include <algorithm>
#include <cctype>
#include <limits>

#include "support/element.h"
#include "support/failure.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

constexpr size_t kMaxRank = 64;  // as NumPy
constexpr uint64_t kMaxBytes = std::numeric_limits<int64_t>::max();

int64_t ParseSize(std::string_view text, std::string_view spec) {
  const std::optional<uint64_t> size = ParseUint(text);
  if (!size || *size > kMaxBytes) Fail(ExitCode::kUsage, "'", text, "' in '", spec, "' is no number of elements");
  return static_cast<int64_t>(*size);
}

std::vector<int64_t> ParseShape(std::string_view text, std::string_view spec) {
  std::vector<int64_t> shape;
  if (text.empty()) return shape;
  for (const std::string_view size : SplitText(text, ',')) shape.push_back(ParseSize(size, spec));
  if (shape.size() > kMaxRank) Fail(ExitCode::kUsage, "'", spec, "' has more than ", kMaxRank, " dimensions");
  return shape;
}

void CheckByteCount(const ArraySpec& spec, std::string_view text) {
  uint64_t bytes = hal_element_type_size(spec.type);
  for (const int64_t size : spec.shape) {
    if (size != 0 && bytes > kMaxBytes / static_cast<uint64_t>(size)) {
      Fail(ExitCode::kUsage, "'", text, "' has more than 2^63 bytes");
    }
    bytes *= static_cast<uint64_t>(size);
  }
}

}  // namespace

uint64_t ArraySpec::ByteCount() const {
  uint64_t bytes = hal_element_type_size(type);
  for (const int64_t size : shape) bytes *= static_cast<uint64_t>(size);
  return bytes;
}

bool LooksLikeArraySpec(std::string_view text) {
  const size_t bracket = text.find('[');
  if (bracket == 0 || bracket == std::string_view::npos || !text.ends_with(']')) return false;
  return std::ranges::all_of(text.substr(0, bracket),
                             [](unsigned char c) { return std::isalnum(c) || c == '<' || c == '>'; });
}

ArraySpec ParseArraySpec(std::string_view text) {
  if (!LooksLikeArraySpec(text)) Fail(ExitCode::kUsage, "'", text, "' is no type and shape; write it like f32[8,8]");
  const size_t bracket = text.find('[');
  ArraySpec spec;
  spec.type = ParseElementType(text.substr(0, bracket));
  spec.shape = ParseShape(text.substr(bracket + 1, text.size() - bracket - 2), text);
  CheckByteCount(spec, text);
  return spec;
}

std::string ArraySpecText(hal_element_type_t type, const std::vector<int64_t>& shape) {
  std::vector<std::string> sizes;
  sizes.reserve(shape.size());
  for (const int64_t size : shape) sizes.push_back(std::to_string(size));
  return ElementTypeText(type) + "[" + JoinText(sizes, ",") + "]";
}

}  // namespace halyard::tools
