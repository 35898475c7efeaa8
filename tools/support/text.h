// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers as people read them, and small helpers for text.
#ifndef HALYARD_TOOLS_SUPPORT_TEXT_H_
#define HALYARD_TOOLS_SUPPORT_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halyard::tools {

/// "512 bytes", "1.5 GiB".
std::string BytesText(uint64_t bytes);
/// "830 ns", "12.3 us", "1.25 ms", "3.0 s".
std::string DurationText(double nanoseconds);
/// "a, b, c".
std::string JoinText(std::span<const std::string> parts, std::string_view separator = ", ");
/// The text between separators: "1,2" is {"1", "2"}, "" is {""}.
std::vector<std::string_view> SplitText(std::string_view text, char separator);
/// `text` filled up with spaces on the right.
std::string Padded(std::string_view text, size_t width);
/// Reads a whole decimal or 0x number; nothing else may stand before or after it.
std::optional<uint64_t> ParseUint(std::string_view text);
/// The end of a message about a name that does not exist: "did you mean 'a'? known: a, b".
std::string SuggestionText(std::string_view wrong, std::span<const std::string_view> known);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_SUPPORT_TEXT_H_
