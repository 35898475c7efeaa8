// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Open files of the system.
#ifndef HALYARD_BASE_FILE_FILE_DESCRIPTOR_H_
#define HALYARD_BASE_FILE_FILE_DESCRIPTOR_H_

#include <unistd.h>

#include <utility>

namespace halyard {

/// What to do with a path that leads to a pipe or a device. Reading one may wait, and may never end.
enum class SpecialFiles { kRefuse, kUse };

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
  bool Close() { return number_ < 0 || close(std::exchange(number_, -1)) == 0; }

 private:
  int number_ = -1;
};

}  // namespace halyard

#endif  // HALYARD_BASE_FILE_FILE_DESCRIPTOR_H_
