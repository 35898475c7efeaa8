// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The mark that some editors put before text in UTF-8, and that compilers of PTX refuse.
#ifndef HALYARD_BASE_TEXT_BYTE_ORDER_MARK_H_
#define HALYARD_BASE_TEXT_BYTE_ORDER_MARK_H_

#include <string_view>

namespace halyard {

inline std::string_view WithoutByteOrderMark(std::string_view text) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

}  // namespace halyard

#endif  // HALYARD_BASE_TEXT_BYTE_ORDER_MARK_H_
