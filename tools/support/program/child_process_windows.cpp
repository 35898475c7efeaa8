// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#if defined(_WIN32)
#include <string_view>

#include "platform/windows/system_headers.h"
#include "platform/windows/wide_text.h"
#include "support/failure.h"
#include "support/program/child_process.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

/// A handle that closes itself.
class Handle {
 public:
  explicit Handle(HANDLE handle) : handle_(handle) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { CloseHandle(handle_); }
  HANDLE get() const { return handle_; }

 private:
  HANDLE handle_;
};

/// As programs take their command line apart: backslashes count only before a quotation mark.
std::string Quoted(std::string_view argument) {
  std::string text = "\"";
  size_t slashes = 0;
  for (const char c : argument) {
    if (c == '"') text.append(slashes + 1, '\\');
    slashes = c == '\\' ? slashes + 1 : 0;
    text += c;
  }
  return text.append(slashes, '\\') + "\"";
}

HANDLE OpenForChild(const std::string& path, DWORD access, DWORD disposition) {
  SECURITY_ATTRIBUTES inherited = {sizeof(inherited), nullptr, TRUE};
  const WidePath wide(path.c_str());
  const HANDLE file = wide ? CreateFileW(wide.get(), access, FILE_SHARE_READ | FILE_SHARE_WRITE, &inherited,
                                         disposition, FILE_ATTRIBUTE_NORMAL, nullptr)
                           : INVALID_HANDLE_VALUE;
  if (file == INVALID_HANDLE_VALUE) Fail(ExitCode::kOutput, "cannot open '", path, "': ", TextOfError(GetLastError()));
  return file;
}

}  // namespace

int RunChild(const std::vector<std::string>& command, const std::string& output, const std::string& errors) {
  std::string line;
  for (const std::string& argument : command) line += (line.empty() ? "" : " ") + Quoted(argument);
  const WideText wide(line);
  const Handle in(OpenForChild("NUL", GENERIC_READ, OPEN_EXISTING));
  const Handle out(OpenForChild(output, GENERIC_WRITE, CREATE_ALWAYS));
  const Handle err(OpenForChild(errors, GENERIC_WRITE, CREATE_ALWAYS));
  STARTUPINFOW start = {};
  start.cb = sizeof(start);
  start.dwFlags = STARTF_USESTDHANDLES;
  start.hStdInput = in.get();
  start.hStdOutput = out.get();
  start.hStdError = err.get();
  PROCESS_INFORMATION child = {};
  std::wstring writable(wide ? wide.get() : L"");
  if (!CreateProcessW(nullptr, writable.data(), nullptr, nullptr, TRUE, 0, nullptr, nullptr, &start, &child)) {
    Fail(ExitCode::kInput, "cannot run '", command[0], "': ", TextOfError(GetLastError()));
  }
  const Handle thread(child.hThread);
  const Handle process(child.hProcess);
  WaitForSingleObject(process.get(), INFINITE);
  DWORD status = 0;
  GetExitCodeProcess(process.get(), &status);
  constexpr DWORD kCrashes = 0xc0000000;  // the status of an exception, from here on
  return status >= kCrashes ? -1 : static_cast<int>(status);
}

}  // namespace halyard::tools
#endif  // _WIN32
