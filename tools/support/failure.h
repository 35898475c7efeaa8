// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the tools fail: an exception that carries the exit code, and the codes themselves.
#ifndef HALYARD_TOOLS_SUPPORT_FAILURE_H_
#define HALYARD_TOOLS_SUPPORT_FAILURE_H_

#include <sstream>
#include <stdexcept>
#include <string>

namespace halyard::tools {

/// What a tool's exit code means. The same in all tools; docs/tools.md lists them.
enum class ExitCode : int {
  kOk = 0,
  kDifferent = 1,  ///< it ran, but the results are not what was expected
  kUsage = 2,      ///< the command line makes no sense
  kInput = 3,      ///< a file is missing, malformed or does not fit
  kDevice = 4,     ///< no such driver or device, or it cannot be used here
  kRun = 5,        ///< the work failed on the device
  kOutput = 6,     ///< a result could not be written
  kInternal = 7,   ///< out of host memory, or a bug of the tool
};

/// What ends a tool early. The message is a whole sentence without its full stop: what was wrong, what would be right.
class Failure : public std::runtime_error {
 public:
  Failure(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

/// The parts one after the other, as a stream prints them.
template <class... Parts>
std::string Concat(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  return text.str();
}

/// Throws a Failure whose message is put together from `parts`.
template <class... Parts>
[[noreturn]] void Fail(ExitCode code, const Parts&... parts) {
  throw Failure(code, Concat(parts...));
}

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_SUPPORT_FAILURE_H_
