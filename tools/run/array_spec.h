// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element type and shape as they are written on the command line: "f32[8,8]".
#ifndef HALYARD_TOOLS_RUN_ARRAY_SPEC_H_
#define HALYARD_TOOLS_RUN_ARRAY_SPEC_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halyard/buffer_view.h"

namespace halyard::tools {

struct ArraySpec {
  hal_element_type_t type = HAL_ELEMENT_TYPE_NONE;
  std::vector<int64_t> shape;

  /// Bytes of a dense array.
  uint64_t ByteCount() const;
};

/// Whether text looks like a spec: letters and digits, then numbers in brackets. It may still be none.
bool LooksLikeArraySpec(std::string_view text);

/// Reads a spec; "f32[]" is a scalar. Throws Failure (kUsage): an unknown type, a size that is no number, more bytes
/// than 2^63.
ArraySpec ParseArraySpec(std::string_view text);

/// "f32[8,8]".
std::string ArraySpecText(hal_element_type_t type, const std::vector<int64_t>& shape);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_RUN_ARRAY_SPEC_H_
