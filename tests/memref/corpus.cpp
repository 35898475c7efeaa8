// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "corpus.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace halyard::testing {
namespace {

std::string Version() {
  const char* const version = std::getenv("HALYARD_MLIR_VERSION");
  return version ? version : std::to_string(HALYARD_MLIR_VERSION);
}

// Whether the package libmlir of the version is here, which asynchronous functions need.
bool HasAsyncRuntime() {
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator("/usr/lib/llvm-" + Version() + "/lib", none)) {
    if (entry.path().filename().string().starts_with("libmlir_async_runtime.so")) return true;
  }
  return false;
}

}  // namespace

std::string CorpusFile(const std::string& name) {
  std::ifstream file(HALYARD_MLIR_CORPUS "/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string CorpusModule(const std::string& name) {
  if (name == "async.mlir" && (HALYARD_EMULATED || !HasAsyncRuntime())) return "";  // it is this machine's
  const std::string module = CorpusFile(name);
  const std::string mark = "// not " + Version() + "\n";
  std::string kept;
  size_t begin = 0;
  while (begin < module.size()) {
    const size_t end = std::min(module.find("\n}\n", begin), module.size() - 3) + 3;
    const std::string function = module.substr(begin, end - begin);
    if (function.find(mark) == std::string::npos) kept += function;
    begin = end;
  }
  return kept;
}

std::vector<std::string> CorpusOptions() {
  if (!std::getenv("HALYARD_MLIR_VERSION")) return {};
  return {"--mlir-version=" + Version()};
}

}  // namespace halyard::testing
