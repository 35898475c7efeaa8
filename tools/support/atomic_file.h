// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results that appear whole or not at all.
#ifndef HALYARD_TOOLS_SUPPORT_ATOMIC_FILE_H_
#define HALYARD_TOOLS_SUPPORT_ATOMIC_FILE_H_

#include <cstddef>
#include <span>
#include <string>

#include "support/unique_descriptor.h"

namespace halyard::tools {

/// Throws Failure (kOutput) if `path` could not be written, without touching it: a folder that is missing or closed, a
/// path that is a folder itself. For finding out before the long work, not after it.
void CheckWritable(const std::string& path);

/// A file under another name in the same folder, which Commit() renames to its own. Without Commit() nothing remains.
///
/// A link is followed, and keeps being one. What is no regular file (/dev/null, a pipe) is written directly.
class AtomicFile {
 public:
  /// Throws Failure (kOutput), as all functions here.
  explicit AtomicFile(std::string path);
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  void Write(std::span<const std::byte> bytes);
  /// Nothing can be written afterwards.
  void Commit();

 private:
  std::string path_;       // as the user wrote it
  std::string target_;     // where it leads
  std::string temporary_;  // empty if written directly, or once it is renamed
  UniqueDescriptor file_;
};

/// Writes one file whole.
void WriteFile(const std::string& path, std::span<const std::byte> bytes);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_SUPPORT_ATOMIC_FILE_H_
