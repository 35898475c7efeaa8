// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Descriptors are those of the C library, as applications have them, over handles of the system.
#include "platform/file_descriptor.h"

#include <fcntl.h>
#include <io.h>
#include <winternl.h>

#include <algorithm>
#include <cerrno>

#include "platform/windows/file_facts.h"
#include "platform/windows/system_headers.h"
#include "platform/windows/wide_text.h"

namespace halyard {
namespace {

HANDLE HandleOf(int descriptor) noexcept {
  return descriptor < 0 ? INVALID_HANDLE_VALUE : reinterpret_cast<HANDLE>(_get_osfhandle(descriptor));
}

DWORD AccessOf(FileUse use) {
  if (use == FileUse::kRead) return GENERIC_READ;
  return use == FileUse::kWrite ? GENERIC_WRITE : GENERIC_READ | GENERIC_WRITE;
}

/// Opens what others may read, write, rename and remove meanwhile, as files of POSIX are; negative if it fails.
int OpenHandle(int folder, const char* path, DWORD access, DWORD disposition, DWORD flags, int* out_error) noexcept {
  const WidePath wide(folder, path);
  *out_error = wide ? 0 : ENOENT;
  if (!wide) return -1;
  constexpr DWORD kShared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  const HANDLE handle = CreateFileW(wide.get(), access, kShared, nullptr, disposition, flags, nullptr);
  if (handle == INVALID_HANDLE_VALUE) {
    *out_error = LastErrno();
    return -1;
  }
  const int number = _open_osfhandle(reinterpret_cast<intptr_t>(handle), _O_BINARY | _O_NOINHERIT);
  if (number < 0) {
    CloseHandle(handle);
    *out_error = EMFILE;
  }
  return number;
}

/// Keeps the position of a file, which the system moves even if it is given an offset.
class KeptPosition {
 public:
  KeptPosition(HANDLE file, bool keeps) noexcept
      : file_(file), keeps_(keeps && SetFilePointerEx(file, {}, &position_, FILE_CURRENT) != 0) {}
  KeptPosition(const KeptPosition&) = delete;
  KeptPosition& operator=(const KeptPosition&) = delete;
  ~KeptPosition() {
    if (keeps_) SetFilePointerEx(file_, position_, nullptr, FILE_BEGIN);
  }

 private:
  const HANDLE file_;
  LARGE_INTEGER position_{};
  const bool keeps_;
};

/// ReadFile() or WriteFile(), with the offset if there is one.
template <class Move>
int MoveBytes(HANDLE file, size_t size, const uint64_t* offset, size_t* out_count, const Move& move) noexcept {
  const KeptPosition position(file, offset != nullptr);
  OVERLAPPED place = {};
  if (offset) {
    place.Offset = static_cast<DWORD>(*offset);
    place.OffsetHigh = static_cast<DWORD>(*offset >> 32);
  }
  DWORD count = 0;
  const auto most = static_cast<DWORD>(std::min<size_t>(size, size_t{1} << 30));
  const bool moved = move(most, &count, offset ? &place : nullptr);
  const DWORD error = moved ? 0 : GetLastError();
  *out_count = moved ? count : 0;
  return moved || error == ERROR_HANDLE_EOF || error == ERROR_BROKEN_PIPE ? 0 : ErrnoOf(error);
}

// Locks keep others from reading what is locked, so it is a byte that no file has.
OVERLAPPED LockedPlace() noexcept {
  OVERLAPPED place = {};
  place.OffsetHigh = 0x7fffffff;
  return place;
}

}  // namespace

bool FileDescriptor::Close() noexcept { return number_ < 0 || _close(std::exchange(number_, -1)) == 0; }

// With what opens folders as well: a folder is no missing file.
int FileDescriptor::Open(int folder, const char* path, FileUse use, unsigned bits) noexcept {
  int error = 0;
  const DWORD links = (bits & kOpenNoLinks) != 0 ? FILE_FLAG_OPEN_REPARSE_POINT : 0;
  *this = FileDescriptor(
      OpenHandle(folder, path, AccessOf(use), OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | links, &error));
  if (error != 0 || links == 0) return error;
  FileFacts facts;
  if (error = ReadFacts(&facts); error == 0 && !facts.is_regular && !facts.is_folder && !facts.is_stream) error = ELOOP;
  if (error != 0) Close();
  return error;
}

int FileDescriptor::Create(int folder, const char* path, uint32_t permissions) noexcept {
  int error = 0;
  const DWORD attributes = (permissions & 0200) != 0 ? FILE_ATTRIBUTE_NORMAL : FILE_ATTRIBUTE_READONLY;
  *this = FileDescriptor(OpenHandle(folder, path, GENERIC_READ | GENERIC_WRITE, CREATE_NEW, attributes, &error));
  return error;
}

int FileDescriptor::OpenFolder(int folder, const char* path) noexcept {
  int error = 0;
  *this =
      FileDescriptor(OpenHandle(folder, path, FILE_READ_ATTRIBUTES, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, &error));
  if (error != 0) return error;
  FileFacts facts;
  if (error = ReadFacts(&facts); error == 0 && !facts.is_folder) error = ENOTDIR;
  if (error != 0) Close();
  return error;
}

int FileDescriptor::Duplicate(int descriptor) noexcept {
  HANDLE copy = INVALID_HANDLE_VALUE;
  const HANDLE process = GetCurrentProcess();
  *this = FileDescriptor();
  if (!DuplicateHandle(process, HandleOf(descriptor), process, &copy, 0, FALSE, DUPLICATE_SAME_ACCESS))
    return LastErrno();
  number_ = _open_osfhandle(reinterpret_cast<intptr_t>(copy), _O_BINARY | _O_NOINHERIT);
  if (number_ >= 0) return 0;
  CloseHandle(copy);
  return EMFILE;
}

int FileDescriptor::ReadFacts(FileFacts* out) const noexcept {
  const HANDLE handle = HandleOf(number_);
  if (handle == INVALID_HANDLE_VALUE) return EBADF;
  const DWORD type = GetFileType(handle);
  BY_HANDLE_FILE_INFORMATION info = {};
  if (type != FILE_TYPE_DISK) {
    *out = FileFacts();
    out->is_stream = type == FILE_TYPE_PIPE;
    return 0;
  }
  if (!GetFileInformationByHandle(handle, &info)) return LastErrno();
  *out = FactsOf(info.dwFileAttributes, info.ftLastWriteTime, uint64_t{info.nFileSizeHigh} << 32 | info.nFileSizeLow);
  out->link_count = info.nNumberOfLinks;
  out->device = info.dwVolumeSerialNumber;
  out->number = uint64_t{info.nFileIndexHigh} << 32 | info.nFileIndexLow;
  return 0;
}

int FileDescriptor::SetPermissions(uint32_t permissions) const noexcept {
  FILE_BASIC_INFO info = {};
  const HANDLE handle = HandleOf(number_);
  if (!GetFileInformationByHandleEx(handle, FileBasicInfo, &info, sizeof(info))) return LastErrno();
  const DWORD before = info.FileAttributes;
  info.FileAttributes =
      (permissions & 0200) != 0 ? before & ~DWORD{FILE_ATTRIBUTE_READONLY} : before | FILE_ATTRIBUTE_READONLY;
  if (info.FileAttributes == before) return 0;
  if (info.FileAttributes == 0) info.FileAttributes = FILE_ATTRIBUTE_NORMAL;
  return SetFileInformationByHandle(handle, FileBasicInfo, &info, sizeof(info)) ? 0 : LastErrno();
}

int FileDescriptor::Read(std::span<std::byte> room, size_t* out_count) const noexcept {
  return MoveBytes(HandleOf(number_), room.size(), nullptr, out_count,
                   [&](DWORD size, DWORD* count, OVERLAPPED* place) {
                     return ReadFile(HandleOf(number_), room.data(), size, count, place) != 0;
                   });
}

int FileDescriptor::Write(std::span<const std::byte> bytes, size_t* out_count) const noexcept {
  return MoveBytes(HandleOf(number_), bytes.size(), nullptr, out_count,
                   [&](DWORD size, DWORD* count, OVERLAPPED* place) {
                     return WriteFile(HandleOf(number_), bytes.data(), size, count, place) != 0;
                   });
}

int FileDescriptor::ReadAt(uint64_t offset, std::span<std::byte> room, size_t* out_count) const noexcept {
  return MoveBytes(HandleOf(number_), room.size(), &offset, out_count,
                   [&](DWORD size, DWORD* count, OVERLAPPED* place) {
                     return ReadFile(HandleOf(number_), room.data(), size, count, place) != 0;
                   });
}

int FileDescriptor::WriteAt(uint64_t offset, std::span<const std::byte> bytes, size_t* out_count) const noexcept {
  return MoveBytes(HandleOf(number_), bytes.size(), &offset, out_count,
                   [&](DWORD size, DWORD* count, OVERLAPPED* place) {
                     return WriteFile(HandleOf(number_), bytes.data(), size, count, place) != 0;
                   });
}

int FileDescriptor::Sync() const noexcept { return FlushFileBuffers(HandleOf(number_)) ? 0 : LastErrno(); }

int FileDescriptor::Lock(bool waits) const noexcept {
  OVERLAPPED place = LockedPlace();
  const DWORD how = LOCKFILE_EXCLUSIVE_LOCK | (waits ? 0 : LOCKFILE_FAIL_IMMEDIATELY);
  if (LockFileEx(HandleOf(number_), how, 0, 1, 0, &place)) return 0;
  const DWORD error = GetLastError();
  return error == ERROR_IO_PENDING ? EWOULDBLOCK : ErrnoOf(error);
}

int ReadDescriptorUse(int descriptor, DescriptorUse* out) noexcept {
  const HANDLE handle = HandleOf(descriptor);
  if (handle == INVALID_HANDLE_VALUE || GetFileType(handle) == FILE_TYPE_UNKNOWN) return EBADF;
  PUBLIC_OBJECT_BASIC_INFORMATION info = {};
  if (NtQueryObject(handle, ObjectBasicInformation, &info, sizeof(info), nullptr) != 0) return EBADF;
  const ACCESS_MASK access = info.GrantedAccess;
  const bool anywhere = (access & FILE_WRITE_DATA) != 0;
  const bool appends = !anywhere && (access & FILE_APPEND_DATA) != 0;
  *out = {(access & FILE_READ_DATA) != 0, anywhere || appends, appends};
  return 0;
}

}  // namespace halyard
