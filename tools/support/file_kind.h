// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tools write, and how a file shows that it is of a kind: no tool replaces a file of another kind unasked.
#ifndef HALYARD_TOOLS_SUPPORT_FILE_KIND_H_
#define HALYARD_TOOLS_SUPPORT_FILE_KIND_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace halyard::tools {

inline constexpr size_t kMarkReach = 1024;  // bytes
inline constexpr size_t kAnywhere = SIZE_MAX;

/// A kind of file: its files have `mark` at the byte `place`, or anywhere among their first kMarkReach bytes.
struct FileKind {
  const char* name;  ///< as in "it is no <name>"
  std::string_view mark;
  size_t place = kAnywhere;
};

inline constexpr FileKind kExecutableFile = {"executable file (.halx)", "HALX", 8};
inline constexpr FileKind kNpyFile = {".npy file", "\x93NUMPY", 0};
inline constexpr FileKind kTraceFile = {"trace of Halyard", "{\"writer\":\"Halyard\",\"traceEvents\":[", 0};
inline constexpr FileKind kGeneratedSource = {"source that a tool of Halyard made", "Made by halyard-"};
inline constexpr FileKind kExportsFile = {"description of exports", "\"exports\": ["};
inline constexpr FileKind kBenchReport = {"report of halyard-bench", "\"context\": {"};

/// Whether the file is of that kind. An empty file is of any.
bool IsOfKind(const std::string& path, const FileKind& kind);

/// What may be replaced.
enum class Replace {
  kSameKind,
  kAnything,  ///< `--force`
};

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_SUPPORT_FILE_KIND_H_
