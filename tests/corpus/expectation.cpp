// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "expectation.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <set>
#include <span>
#include <stdexcept>
#include <string_view>

namespace halyard::testing {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

const fs::path kCorpus = HALYARD_CORPUS;
constexpr std::string_view kSuffix = ".expected.json";

std::vector<fs::path> ExpectationPaths() {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::recursive_directory_iterator(kCorpus / "images")) {
    if (entry.path().filename().string().ends_with(kSuffix)) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

Json ReadJson(const fs::path& path) {
  std::ifstream file(path);
  return Json::parse(file);
}

// Files are named from the folder beside the expectation of an image that has no signature, from where both lie else.
fs::path FolderOf(const fs::path& expectation, const Json& document) {
  if (document.contains("triton")) return expectation.parent_path();
  const std::string name = expectation.filename().string();
  return expectation.parent_path() / name.substr(0, name.size() - kSuffix.size());
}

/// A line of known_mismatches.txt: "PATH: WHAT".
struct KnownMismatch {
  std::string path;
  std::string what;
};

std::vector<KnownMismatch> ReadKnownMismatches() {
  std::vector<KnownMismatch> known;
  std::ifstream file(kCorpus / "known_mismatches.txt");
  if (!file) throw std::runtime_error("known_mismatches.txt is missing");
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const size_t colon = line.find(": ");
    if (colon == std::string::npos) throw std::runtime_error("known_mismatches.txt: no ': ' in " + line);
    known.push_back({line.substr(0, colon), line.substr(colon + 2)});
  }
  return known;
}

}  // namespace

void PrintTo(const ExpectedImage& image, std::ostream* out) { *out << image.path; }

std::vector<nlohmann::json> ExpectationFiles() {
  std::vector<nlohmann::json> files;
  for (const fs::path& path : ExpectationPaths()) files.push_back(ReadJson(path));
  return files;
}

std::vector<ExpectedImage> ExpectedImages() {
  std::vector<ExpectedImage> images;
  for (const fs::path& path : ExpectationPaths()) {
    const Json document = ReadJson(path);
    const fs::path folder = fs::relative(FolderOf(path, document), kCorpus / "images");
    for (const Json& image : document.at("images")) {
      images.push_back({(folder / image.at("file").get<std::string>()).string(), image});
    }
  }
  return images;
}

std::vector<std::string> KnownMismatchesOf(const std::string& path) {
  std::vector<std::string> texts;
  for (const KnownMismatch& mismatch : ReadKnownMismatches()) {
    if (mismatch.path == path) texts.push_back(mismatch.what);
  }
  return texts;
}

std::vector<std::string> KnownMismatchPaths() {
  std::set<std::string> paths;
  for (const KnownMismatch& mismatch : ReadKnownMismatches()) paths.insert(mismatch.path);
  return {paths.begin(), paths.end()};
}

}  // namespace halyard::testing
