// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies the kernel sources of HALYARD_SEED_FILES, which a bar separates, into the folder that it is given: the seeds
// of kernel_source_fuzzer.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <sstream>
#include <string>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  try {
    std::istringstream files(HALYARD_SEED_FILES);
    for (std::string file; std::getline(files, file, '|');) {
      const std::filesystem::path source(file);
      std::filesystem::copy_file(source, argv[1] / source.filename());
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 1;
  }
  return 0;
}
