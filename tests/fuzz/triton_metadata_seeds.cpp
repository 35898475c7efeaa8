// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies metadata and signatures of the corpus' Triton kernels into the folder that it is given. Of the second form, it
// takes what stands before the kernel's body.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace fs = std::filesystem;

namespace {

std::string ReadText(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void CopySeed(const fs::path& path, const fs::path& folder) {
  std::string text = ReadText(path);
  if (path.extension() == ".ttir") text.resize(text.find('\n', text.find("tt.func")));
  std::string name = path.lexically_relative(HALYARD_TRITON_CORPUS).string();
  for (char& c : name) c = c == '/' ? '-' : c;
  std::ofstream(folder / name, std::ios::binary) << text;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  try {
    for (const auto& entry : fs::recursive_directory_iterator(HALYARD_TRITON_CORPUS)) {
      const std::string name = entry.path().filename().string();
      const bool is_metadata = entry.path().extension() == ".json" && !name.starts_with("__grp__") &&
                               entry.path().stem().extension() != ".expected";
      if (is_metadata || entry.path().extension() == ".ttir") CopySeed(entry.path(), argv[1]);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 1;
  }
  return 0;
}
