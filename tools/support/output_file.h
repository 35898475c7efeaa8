// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results that appear whole or not at all, and replace nothing else than earlier results.
#ifndef HALYARD_TOOLS_SUPPORT_OUTPUT_FILE_H_
#define HALYARD_TOOLS_SUPPORT_OUTPUT_FILE_H_

#include <cstddef>
#include <span>
#include <string>

#include "base/file/atomic_file.h"
#include "support/file_kind.h"

namespace halyard::tools {

/// Throws Failure (kOutput) if `path` could not be written, without touching it: a folder that is missing or closed, a
/// path that is a folder itself, a link that ResolveOutputPath() does not follow, a file of another kind unless
/// `replace` says so. For finding out before the long work, not after it.
void CheckWritable(const std::string& path, const FileKind& kind, Replace replace);

/// A file that appears at Commit(). Without that nothing remains of it.
///
/// A link is followed, and keeps being one. What is no regular file (/dev/null, a pipe) is written directly.
class OutputFile {
 public:
  /// Throws Failure (kOutput), as all functions here.
  OutputFile(const std::string& path, const FileKind& kind, Replace replace);

  void Write(std::span<const std::byte> bytes);
  /// Nothing can be written afterwards.
  void Commit();

 private:
  AtomicFile file_;
};

/// Writes one file whole.
void WriteFile(const std::string& path, const FileKind& kind, Replace replace, std::span<const std::byte> bytes);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_SUPPORT_OUTPUT_FILE_H_
