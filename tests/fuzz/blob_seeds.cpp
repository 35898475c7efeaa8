// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes blob files, whole and damaged ones, into the folder that it is given: the seeds of blob_fuzzer.
#include <cstdio>
#include <fstream>
#include <span>
#include <string>

#include "core/executable/blob_file.h"

namespace {

std::string FileOf(const std::string& key, const std::string& blob) {
  const auto header = halyard::MakeBlobHeader(key, std::as_bytes(std::span(blob)));
  return std::string(reinterpret_cast<const char*>(header.data()), header.size()) + key + blob;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  const std::string key = "cuda/13.0/sm_90/0123";
  const std::string whole = FileOf(key, "machine code");
  const std::string seeds[] = {whole, FileOf(key, ""), FileOf("", "blob"), whole.substr(0, 41), whole + "x"};
  int number = 0;
  for (const std::string& seed : seeds) {
    std::ofstream file(std::string(argv[1]) + "/" + std::to_string(number++), std::ios::binary);
    if (!(file << seed)) return 1;
  }
  return 0;
}
