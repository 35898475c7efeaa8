// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/folder.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <random>

#include "platform/windows/file_facts.h"
#include "platform/windows/system_headers.h"
#include "platform/windows/wide_text.h"

namespace halyard {
namespace {

int Answer(BOOL done) noexcept { return done ? 0 : LastErrno(); }

uint64_t SizeOf(DWORD high, DWORD low) { return uint64_t{high} << 32 | low; }

/// The system's folder for temporary files, in UTF-8 and without a slash at its end.
class TemporaryFolder {
 public:
  TemporaryFolder() noexcept {
    std::array<wchar_t, MAX_PATH + 2> wide;
    DWORD length = GetTempPathW(static_cast<DWORD>(wide.size()), wide.data());
    if (length >= wide.size()) length = 0;
    while (length > 0 && wide[length - 1] == L'\\') --length;
    count_ = ToUtf8({wide.data(), length}, path_) > 0 ? 1 : 0;
  }
  std::span<const char* const> list() const { return {&begin_, count_}; }

 private:
  std::array<char, 3 * MAX_PATH> path_{};
  const char* begin_ = path_.data();
  size_t count_ = 0;
};
const TemporaryFolder g_temporary;

}  // namespace

int ReadFacts(const char* path, FileFacts* out) noexcept {
  const WidePath wide(path);
  WIN32_FILE_ATTRIBUTE_DATA info = {};
  if (!wide || !*path) return ENOENT;
  if (!GetFileAttributesExW(wide.get(), GetFileExInfoStandard, &info)) return LastErrno();
  *out = FactsOf(info.dwFileAttributes, info.ftLastWriteTime, SizeOf(info.nFileSizeHigh, info.nFileSizeLow));
  return 0;
}

// Links are followed by the system alone.
std::string_view ReadLink(const char*, std::span<char>) noexcept { return {}; }

int CheckMayRead(const char* path) noexcept {
  FileDescriptor file;
  return file.Open(-1, path, FileUse::kRead);
}

bool MayRun(const char* path) noexcept {
  FileFacts facts;
  return ReadFacts(path, &facts) == 0 && facts.is_regular;
}

int CheckMayWrite(const char* path) noexcept {
  FileFacts facts;
  if (const int error = ReadFacts(path, &facts); error != 0) return error;
  return (facts.permissions & 0200) != 0 ? 0 : EACCES;
}

// Access lists decide, and the system has no question for them: whether a file can be made shows when one is made.
int CheckMayWriteIn(int) noexcept { return 0; }

int Remove(int folder, const char* path) noexcept {
  const WidePath wide(folder, path);
  return wide ? Answer(DeleteFileW(wide.get())) : ENOENT;
}

int Rename(int folder, const char* from, const char* to) noexcept {
  const WidePath wide_from(folder, from);
  const WidePath wide_to(folder, to);
  if (!wide_from || !wide_to) return ENOENT;
  return Answer(MoveFileExW(wide_from.get(), wide_to.get(), MOVEFILE_REPLACE_EXISTING));
}

int Touch(int folder, const char* path) noexcept {
  const WidePath wide(folder, path);
  if (!wide) return ENOENT;
  constexpr DWORD kShared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  const HANDLE file = CreateFileW(wide.get(), FILE_WRITE_ATTRIBUTES, kShared, nullptr, OPEN_EXISTING, 0, nullptr);
  if (file == INVALID_HANDLE_VALUE) return LastErrno();
  FILETIME now;
  GetSystemTimeAsFileTime(&now);
  const int error = Answer(SetFileTime(file, nullptr, nullptr, &now));
  CloseHandle(file);
  return error;
}

// It inherits the access list of the folder around it.
int MakeFolder(const char* path) noexcept {
  const WidePath wide(path);
  if (!wide) return ENOENT;
  if (CreateDirectoryW(wide.get(), nullptr)) return 0;
  // The root of a drive is never made, and the system says that it may not be.
  const DWORD error = GetLastError();
  FileFacts facts;
  return error == ERROR_ACCESS_DENIED && ReadFacts(path, &facts) == 0 ? EEXIST : ErrnoOf(error);
}

int MakeNewFolder(char* path) noexcept {
  constexpr int kTries = 100;
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
  char* const place = path + std::strlen(path) - 6;
  for (int i = 0; i < kTries; ++i) {
    LARGE_INTEGER time;
    QueryPerformanceCounter(&time);
    std::minstd_rand random(static_cast<uint32_t>(time.QuadPart) ^ (GetCurrentProcessId() << 16) ^
                            GetCurrentThreadId());
    for (int letter = 0; letter < 6; ++letter) place[letter] = kLetters[random() % kLetters.size()];
    if (const int error = MakeFolder(path); error != EEXIST) return error;
  }
  return EEXIST;
}

int RemoveFolder(const char* path) noexcept {
  const WidePath wide(path);
  return wide ? Answer(RemoveDirectoryW(wide.get())) : ENOENT;
}

void ListFolder(int folder, void (*each)(void* data, const char* name, const FileFacts& facts), void* data) {
  const WidePath pattern(folder, "*");
  WIN32_FIND_DATAW entry;
  const HANDLE search = pattern ? FindFirstFileW(pattern.get(), &entry) : INVALID_HANDLE_VALUE;
  if (search == INVALID_HANDLE_VALUE) return;
  struct Closer {
    HANDLE search;
    ~Closer() { FindClose(search); }
  } const closer{search};
  do {
    std::array<char, 3 * MAX_PATH + 1> name;
    if (ToUtf8(entry.cFileName, name) == 0) continue;
    each(data, name.data(),
         FactsOf(entry.dwFileAttributes, entry.ftLastWriteTime, SizeOf(entry.nFileSizeHigh, entry.nFileSizeLow)));
  } while (FindNextFileW(search, &entry));
}

std::span<const char* const> TemporaryFolders() noexcept { return g_temporary.list(); }

bool MayHoldCode(const char*) noexcept { return true; }

}  // namespace halyard
