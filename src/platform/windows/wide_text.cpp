// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/windows/wide_text.h"

#include <io.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>

#include "platform/windows/system_headers.h"

namespace halyard {
namespace {

constexpr int kLongestPath = 32768;  // units of UTF-16, the most that the system takes

int WriteWide(std::string_view text, wchar_t* room, int size) noexcept {
  return MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text.data(), static_cast<int>(text.size()), room, size);
}

/// The path of an open folder, with a slash at its end; 0 if there is none.
size_t WriteFolder(int folder, wchar_t* room) noexcept {
  const auto handle = reinterpret_cast<HANDLE>(_get_osfhandle(folder));
  const DWORD length = GetFinalPathNameByHandleW(handle, room, kLongestPath, FILE_NAME_NORMALIZED | VOLUME_NAME_DOS);
  if (length == 0 || length + 1 >= kLongestPath) return 0;
  room[length] = L'\\';
  return length + 1;
}

bool IsAbsolute(std::string_view path) {
  return path.starts_with('/') || path.starts_with('\\') || (path.size() > 1 && path[1] == ':');
}

}  // namespace

WideText::WideText(std::string_view text) noexcept {
  const int length = text.empty() ? 0 : WriteWide(text, nullptr, 0);
  if (length == 0 && !text.empty()) return;
  text_.reset(new (std::nothrow) wchar_t[static_cast<size_t>(length) + 1]);
  if (!text_) return;
  if (length > 0) WriteWide(text, text_.get(), length);
  text_[static_cast<size_t>(length)] = 0;
}

WidePath::WidePath(int folder, const char* path) noexcept : WideText(path) {
  if (!text_) return;
  const size_t length = std::char_traits<wchar_t>::length(text_.get());
  std::replace(text_.get(), text_.get() + length, L'/', L'\\');
  if (folder < 0 || IsAbsolute(path)) return;
  std::unique_ptr<wchar_t[]> whole(new (std::nothrow) wchar_t[kLongestPath + length + 1]);
  const size_t begin = whole ? WriteFolder(folder, whole.get()) : 0;
  if (begin > 0) std::copy(text_.get(), text_.get() + length + 1, whole.get() + begin);
  text_ = begin > 0 ? std::move(whole) : nullptr;
}

size_t ToUtf8(std::wstring_view text, std::span<char> room) noexcept {
  const auto size = static_cast<int>(std::min<size_t>(room.size(), INT_MAX));
  const int length = text.empty() ? 0
                                  : WideCharToMultiByte(CP_UTF8, 0, text.data(), static_cast<int>(text.size()),
                                                        room.data(), size - 1, nullptr, nullptr);
  room[static_cast<size_t>(length)] = 0;
  return static_cast<size_t>(length);
}

int ErrnoOf(unsigned long error) noexcept {
  struct Pair {
    unsigned long from;
    int to;
  };
  static constexpr Pair kPairs[] = {{ERROR_FILE_NOT_FOUND, ENOENT},    {ERROR_PATH_NOT_FOUND, ENOENT},
                                    {ERROR_BAD_PATHNAME, ENOENT},      {ERROR_INVALID_NAME, ENOENT},
                                    {ERROR_BAD_NETPATH, ENOENT},       {ERROR_ACCESS_DENIED, EACCES},
                                    {ERROR_SHARING_VIOLATION, EACCES}, {ERROR_LOCK_VIOLATION, EWOULDBLOCK},
                                    {ERROR_FILE_EXISTS, EEXIST},       {ERROR_ALREADY_EXISTS, EEXIST},
                                    {ERROR_DISK_FULL, ENOSPC},         {ERROR_HANDLE_DISK_FULL, ENOSPC},
                                    {ERROR_NOT_ENOUGH_MEMORY, ENOMEM}, {ERROR_OUTOFMEMORY, ENOMEM},
                                    {ERROR_COMMITMENT_LIMIT, ENOMEM},  {ERROR_TOO_MANY_OPEN_FILES, EMFILE},
                                    {ERROR_INVALID_HANDLE, EBADF},     {ERROR_WRITE_PROTECT, EROFS},
                                    {ERROR_BROKEN_PIPE, EPIPE},        {ERROR_NO_DATA, EPIPE},
                                    {ERROR_DIRECTORY, ENOTDIR},        {ERROR_DIR_NOT_EMPTY, ENOTEMPTY},
                                    {ERROR_INVALID_PARAMETER, EINVAL}, {ERROR_NEGATIVE_SEEK, EINVAL},
                                    {ERROR_NOT_SUPPORTED, ENOSYS},     {ERROR_CALL_NOT_IMPLEMENTED, ENOSYS}};
  const auto* const found = std::ranges::find(kPairs, error, &Pair::from);
  return found == std::end(kPairs) ? EIO : found->to;
}

int LastErrno() noexcept { return ErrnoOf(GetLastError()); }

const char* TextOfError(unsigned long error) noexcept {
  static thread_local std::array<char, 512> text;
  std::array<wchar_t, 256> wide;
  DWORD length = FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, nullptr, error, 0,
                                wide.data(), static_cast<DWORD>(wide.size()), nullptr);
  while (length > 0 && (wide[length - 1] == L'\r' || wide[length - 1] == L'\n' || wide[length - 1] == L'.')) --length;
  if (length == 0) length = static_cast<DWORD>(swprintf(wide.data(), wide.size(), L"error %lu", error));
  ToUtf8({wide.data(), length}, text);
  return text.data();
}

}  // namespace halyard
