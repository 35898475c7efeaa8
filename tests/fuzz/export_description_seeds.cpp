// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the seeds of export_description_fuzzer into a folder: what halyard-kernels says of the kernel sources of
// HALYARD_SEED_FILES, which a bar separates, the description of the tests, and one that has what these lack.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "kernels/emitters.h"
#include "support/input_file.h"

namespace halyard::tools {
namespace {

constexpr size_t kMostSource = 1 << 20;

constexpr const char* kRest = R"({
  // Names that differ from format to format, and escapes.
  "exports": [
    {"name": "a\u00e9\n", "symbol": "b", "symbols": {"ptx": "c", "hsaco": "d.kd"}, "workgroup_size": [],
     "local_memory_size": 4096},
    {"name": "e", "workgroup_size": [1, 2.5, -3, 4e9], "parameters": [{"kind": "bindng", "binding": null}]}
  ]
})";

constexpr const char* kFunctions = R"({
  "exports": [
    {"name": "f", "convention": "c", "result": "status", "arguments": ["null", "const void*", "f32*", "u8",
     {"type": "complex<f32>*", "access": "write"}, {"type": "index", "workgroup": "size.z"},
     {"type": "halide_buffer<?x4xbf16>", "access": "write"}, "const halide_buffer<i1>"]},
    {"name": "g", "convention": "c", "result": "f64", "arguments": [], "parameters": []},
    {"name": "h", "convention": "workgroup"}
  ]
})";

// The constants of the modules that the fuzzer sets them in.
constexpr const char* kConstants = R"({
  "specialization_constants": [
    {"id": 1, "name": "flag", "type": "i1", "value": false}, {"name": "s8", "value": -128}, {"id": 3, "value": 255},
    {"name": "s16", "type": "si16", "value": "-0x8000"}, {"id": 5, "type": "ui16", "value": 65535},
    {"id": 6, "name": "s64", "value": -9223372036854775808}, {"name": "u64", "value": 18446744073709551615},
    {"name": "f16", "type": "f16", "value": 65504}, {"id": 9, "value": "1e-300"}, {"id": 0, "value": 64},
    {"id": 4, "name": "factor", "type": "f32", "value": 0.25}, {"name": "is_swapped", "value": true},
    {"id": 6, "type": "bf16", "value": 1}, {"name": "first", "type": "u32", "value": "0xffffffff"}
  ]
})";

void Write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path);
  file.exceptions(std::ios::failbit | std::ios::badbit);
  file << text;
}

void WriteSeeds(const std::filesystem::path& folder) {
  std::istringstream files(HALYARD_SEED_FILES);
  for (std::string file; std::getline(files, file, '|');) {
    const KernelSource source = ParseKernelSource(file, ReadTextFile(file, kMostSource));
    Write(folder / (std::filesystem::path(file).stem().string() + ".json"), ExportsText(source));
  }
  std::filesystem::copy_file(HALYARD_SEED_DESCRIPTION, folder / "tests.json");
  Write(folder / "rest.json", kRest);
  Write(folder / "functions.json", kFunctions);
  Write(folder / "constants.json", kConstants);
  Write(folder / "large_number.json", R"({"exports": 1e999})");
}

}  // namespace
}  // namespace halyard::tools

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  try {
    halyard::tools::WriteSeeds(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 1;
  }
  return 0;
}
