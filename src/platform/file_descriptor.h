// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Open files of the system, and what is done with them. No name or message of the API is known here: functions return 0
// or an error number, as <cerrno> has them.
#ifndef HALYARD_PLATFORM_FILE_DESCRIPTOR_H_
#define HALYARD_PLATFORM_FILE_DESCRIPTOR_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace halyard {

/// What an opened file is used for.
enum class FileUse { kRead, kWrite, kReadAndWrite };

/// How a file is opened, as bits.
enum OpenBits : unsigned {
  kOpenWaits = 1,    ///< for the other end of a pipe, as reading may; otherwise nothing waits
  kOpenNoLinks = 2,  ///< fails if the last name of the path is a symbolic link
};

/// What the system knows of a file.
struct FileFacts {
  bool is_regular = false;  ///< no folder, pipe or device
  bool is_folder = false;
  bool is_stream = false;         ///< a pipe or a socket
  bool group_may_write = false;   ///< users of its group, who are not its owner
  bool others_may_write = false;  ///< all users
  bool protects_names = false;    ///< of a folder: only the owner of what lies there may replace it
  uint32_t permissions = 0;       ///< as SetPermissions() takes them
  uint64_t size = 0;              ///< bytes
  uint64_t link_count = 0;        ///< names that it has
  uint64_t owner = 0;             ///< the number of a user
  uint64_t device = 0;            ///< with `number`: tells a file from all others
  uint64_t number = 0;
  int64_t changed = 0;  ///< nanoseconds since 1970, of the contents
};

/// A descriptor that closes itself.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~FileDescriptor() { Close(); }

  int get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }
  /// False if the system reports that earlier writes were lost.
  bool Close() noexcept;
  /// No longer closes it.
  int Release() { return std::exchange(number_, -1); }

  /// @name Opening
  /// The descriptor goes to no program that this one starts. Relative paths begin at `folder`, a descriptor; at the
  /// process's current folder if that is negative.
  /// @{
  int Open(int folder, const char* path, FileUse use, unsigned bits = 0) noexcept;
  /// Makes a file, which must not be there, and opens it for writing.
  int Create(int folder, const char* path, uint32_t permissions) noexcept;
  /// Opens a folder, for what lies there to be named by.
  int OpenFolder(int folder, const char* path) noexcept;
  /// Opens what another descriptor has open once more; the two share position and lock.
  int Duplicate(int descriptor) noexcept;
  /// @}

  int ReadFacts(FileFacts* out) const noexcept;
  int SetPermissions(uint32_t permissions) const noexcept;
  /// Reads or writes at the file's position. `*out_count` bytes were moved; 0 at the end of the file.
  int Read(std::span<std::byte> room, size_t* out_count) const noexcept;
  int Write(std::span<const std::byte> bytes, size_t* out_count) const noexcept;
  /// The same at an offset, whatever the position.
  int ReadAt(uint64_t offset, std::span<std::byte> room, size_t* out_count) const noexcept;
  int WriteAt(uint64_t offset, std::span<const std::byte> bytes, size_t* out_count) const noexcept;
  /// Returns once the contents are on the medium.
  int Sync() const noexcept;
  /// Takes the file's lock, which goes with the last descriptor that shares it. EWOULDBLOCK if another process has it,
  /// unless the call waits. Some file systems have no locks.
  int Lock(bool waits) const noexcept;

 private:
  int Take(int number) noexcept;

  int number_ = -1;
};

/// What a descriptor of the application was opened for.
struct DescriptorUse {
  bool reads = false;
  bool writes = false;
  bool appends = false;  ///< what is written goes to the end, whatever the offset
};
/// An error number if no open file has this descriptor.
int ReadDescriptorUse(int descriptor, DescriptorUse* out) noexcept;

}  // namespace halyard

#endif  // HALYARD_PLATFORM_FILE_DESCRIPTOR_H_
