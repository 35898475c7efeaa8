// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HALYARD_TOOLS_SUPPORT_BYTES_TEXT_H_
#define HALYARD_TOOLS_SUPPORT_BYTES_TEXT_H_

#include <cstddef>
#include <span>
#include <string_view>

namespace halyard::tools {

/// A view of bytes as text.
inline std::string_view AsText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_SUPPORT_BYTES_TEXT_H_
