// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies the .npy files of the tests, which NumPy wrote, into the folder that it is given: the seeds of npy_fuzzer.
#include <cstdio>
#include <exception>
#include <filesystem>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  try {
    for (const auto& entry : std::filesystem::directory_iterator(HALYARD_NPY_CORPUS)) {
      if (entry.path().extension() != ".npy") continue;
      std::filesystem::copy_file(entry.path(), std::filesystem::path(argv[1]) / entry.path().filename());
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 1;
  }
  return 0;
}
