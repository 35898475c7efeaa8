// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of texts that come from files and go to people's terminals and to loaders.
#ifndef HALYARD_BASE_TEXT_TEXT_CHECKS_H_
#define HALYARD_BASE_TEXT_TEXT_CHECKS_H_

#include <cstddef>
#include <string_view>

#include "base/host_memory.h"
#include "base/status.h"

namespace halyard {

/// Fails with `bad` unless a text is not empty, of at most `most` bytes, well-formed UTF-8, and free of control
/// characters (so of zero bytes too).
Status CheckText(hal_status_t bad, const char* field, std::string_view text, size_t most);

/// Fails with `bad` unless a text is not empty, of at most `most` bytes, and made of letters, digits and "-._+:".
Status CheckToken(hal_status_t bad, const char* field, std::string_view text, size_t most);

/// Whether a text is well-formed UTF-8 and free of control characters.
bool IsReadable(std::string_view text);

/// At most `most` bytes of a text, from its start, as people may see them: what is not UTF-8 becomes U+FFFD, a control
/// character a space. Never cut within a character. Reads no more of a longer text than it returns.
HostString ReadableText(std::string_view text, size_t most);

}  // namespace halyard

#endif  // HALYARD_BASE_TEXT_TEXT_CHECKS_H_
