// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A POSIX file descriptor that closes itself.
#ifndef HALYARD_TOOLS_SUPPORT_UNIQUE_DESCRIPTOR_H_
#define HALYARD_TOOLS_SUPPORT_UNIQUE_DESCRIPTOR_H_

#include <unistd.h>

#include <utility>

namespace halyard::tools {

class UniqueDescriptor {
 public:
  UniqueDescriptor() = default;
  explicit UniqueDescriptor(int descriptor) : descriptor_(descriptor) {}
  UniqueDescriptor(UniqueDescriptor&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  UniqueDescriptor& operator=(UniqueDescriptor&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~UniqueDescriptor() { Close(); }

  int get() const { return descriptor_; }
  explicit operator bool() const { return descriptor_ >= 0; }
  /// False if the system reports that earlier writes were lost.
  bool Close() { return descriptor_ < 0 || close(std::exchange(descriptor_, -1)) == 0; }

 private:
  int descriptor_ = -1;
};

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_SUPPORT_UNIQUE_DESCRIPTOR_H_
