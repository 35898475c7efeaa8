// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/input_file.h"

#include <cstdint>

#include "base/file/file_contents.h"
#include "support/bytes_text.h"
#include "support/failure.h"

namespace halyard::tools {
namespace {

std::vector<std::byte> ReadAtMost(const std::string& path, uint64_t most) {
  std::vector<std::byte> bytes;
  const halyard::Failure failure(halyard::ReadFile(path.c_str(), &bytes, SpecialFiles::kUse, most));
  if (failure) Fail(ExitCode::kInput, failure.message());
  return bytes;
}

}  // namespace

std::vector<std::byte> ReadFile(const std::string& path) { return ReadAtMost(path, INT64_MAX); }

std::string ReadTextFile(const std::string& path, size_t most) {
  const std::vector<std::byte> bytes = ReadAtMost(path, most);
  return std::string(AsText(bytes));
}

}  // namespace halyard::tools
