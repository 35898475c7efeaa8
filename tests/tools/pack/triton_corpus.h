// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Triton kernels of the corpus (tests/corpus/make_corpus.sh), for the tests that read their metadata.
#ifndef HALYARD_TESTS_TOOLS_TRITON_CORPUS_H_
#define HALYARD_TESTS_TOOLS_TRITON_CORPUS_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "support/failure.h"
#include "support/json.h"

namespace halyard::tools {

inline const std::string kTritonCorpus = HALYARD_CORPUS "/images/triton";

/// A kernel's folder, "3.9.0/sm_90/softmax", and what is expected of it.
struct TritonFolder {
  std::string path;
  Json expected;
};

/// All of them. Throws if a file cannot be read.
inline std::vector<TritonFolder> TritonFolders() {
  std::vector<TritonFolder> folders;
  constexpr std::string_view kSuffix = ".expected.json";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kTritonCorpus)) {
    const std::string path = entry.path().string();
    if (path.ends_with(kSuffix)) folders.push_back({path.substr(0, path.size() - kSuffix.size()), ReadJsonFile(path)});
  }
  std::ranges::sort(folders, {}, &TritonFolder::path);
  return folders;
}

/// The metadata of a folder, "3.9.0/sm_90/softmax".
inline std::string TritonFile(const std::string& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(kTritonCorpus + "/" + folder)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".json") && !name.starts_with("__grp__")) return entry.path().string();
  }
  ADD_FAILURE() << folder << " has no metadata";
  return {};
}

/// Runs what has to fail with kInput. Its message.
template <class Read>
std::string InputRefusal(Read&& read) {
  try {
    read();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::kInput);
    return failure.what();
  }
  return "it was read";
}

}  // namespace halyard::tools

#endif  // HALYARD_TESTS_TOOLS_TRITON_CORPUS_H_
