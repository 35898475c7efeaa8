// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the library's statuses to the tools' failures.
#ifndef HALYARD_TOOLS_SUPPORT_CHECK_H_
#define HALYARD_TOOLS_SUPPORT_CHECK_H_

#include <string>
#include <string_view>

#include "halyard/base.h"
#include "halyard/status.h"
#include "support/failure.h"

namespace halyard::tools {

/// A view of text, which must outlive it.
inline hal_string_view_t View(std::string_view text) { return {text.data(), text.size()}; }
/// The text of a view, copied.
inline std::string Text(hal_string_view_t view) {
  return view.size ? std::string(view.data, view.size) : std::string();
}

/// What the library said about the last failure on this thread: without the name of the function that said it, and with
/// the tools' options in the place of the C API's fields.
std::string LastError();

/// Throws if a call failed: "cannot <doing>: <the library's message> (<STATUS>)". The exit code is `code`, but a lost
/// device is always kDevice and a lack of memory never the input's fault.
void Check(hal_status_t status, ExitCode code, std::string_view doing);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_SUPPORT_CHECK_H_
