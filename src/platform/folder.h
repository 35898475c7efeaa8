// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names in the file system. Functions return 0 or an error number, as <cerrno> has them. Relative paths begin at
// `folder`, a descriptor; at the process's current folder if that is negative.
#ifndef HALYARD_PLATFORM_FOLDER_H_
#define HALYARD_PLATFORM_FOLDER_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "platform/file_descriptor.h"

namespace halyard {

/// What lies at a path, or where links lead that lie there.
int ReadFacts(const char* path, FileFacts* out) noexcept;

/// What a symbolic link says, in `room`; empty if `path` is none.
std::string_view ReadLink(const char* path, std::span<char> room) noexcept;
inline constexpr size_t kLongestLink = 4096;

/// 0 if this process may read the file.
int CheckMayRead(const char* path) noexcept;
/// Whether this process may start the program in that file.
bool MayRun(const char* path) noexcept;
/// 0 if this process may write the file.
int CheckMayWrite(const char* path) noexcept;
/// 0 if this process may make and remove files in a folder that is open.
int CheckMayWriteIn(int folder) noexcept;

int Remove(int folder, const char* path) noexcept;
/// Within the folder, over what has the new name.
int Rename(int folder, const char* from, const char* to) noexcept;
/// The file was changed just now.
int Touch(int folder, const char* path) noexcept;

/// A folder that other users may not look into.
int MakeFolder(const char* path) noexcept;
/// The same with a name of its own: replaces the last six characters of `path`, which are XXXXXX.
int MakeNewFolder(char* path) noexcept;
int RemoveFolder(const char* path) noexcept;

/// Calls `each` for the files and folders in a folder that is open, with what they are; links are not followed.
void ListFolder(int folder, void (*each)(void* data, const char* name, const FileFacts& facts), void* data);

/// Where files may go for a while, the best first.
std::span<const char* const> TemporaryFolders() noexcept;
/// Whether the loader takes libraries from there.
bool MayHoldCode(const char* folder) noexcept;

/// A file without a name, in memory. ENOSYS if the system has none.
int CreateMemoryFile(FileDescriptor* out) noexcept;
/// A path by which the loader finds such a file while it is open. Descriptors are used again, and the loader takes a
/// path that it has seen before for the library that it loaded then: so each `number` gives another spelling.
std::string_view SpellMemoryFile(const FileDescriptor& file, uint32_t number, std::span<char> room) noexcept;

}  // namespace halyard

#endif  // HALYARD_PLATFORM_FOLDER_H_
