// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text of the library, which is UTF-8, as the system takes it, and back. For the files of this folder.
#ifndef HALYARD_PLATFORM_WINDOWS_WIDE_TEXT_H_
#define HALYARD_PLATFORM_WINDOWS_WIDE_TEXT_H_

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

namespace halyard {

/// UTF-16 for a call of the system. Empty if there is no memory, or if the text is no UTF-8.
class WideText {
 public:
  explicit WideText(std::string_view text) noexcept;
  const wchar_t* get() const { return text_.get(); }
  explicit operator bool() const { return text_ != nullptr; }

 protected:
  std::unique_ptr<wchar_t[]> text_;
};

/// A path, with the system's slashes.
class WidePath : public WideText {
 public:
  explicit WidePath(const char* path) noexcept : WidePath(-1, path) {}
  /// @param folder  a descriptor, where relative paths begin; the process's current folder if it is negative
  WidePath(int folder, const char* path) noexcept;
};

/// Writes UTF-8 and a zero behind it. 0 bytes, and the zero, if the text has no room.
size_t ToUtf8(std::wstring_view text, std::span<char> room) noexcept;

/// The error number of <cerrno> for one of the system; without an argument, for the last one of this thread.
int ErrnoOf(unsigned long error) noexcept;
int LastErrno() noexcept;

/// What the system says of an error, in UTF-8; the same memory for all of a thread's calls.
const char* TextOfError(unsigned long error) noexcept;

}  // namespace halyard

#endif  // HALYARD_PLATFORM_WINDOWS_WIDE_TEXT_H_
