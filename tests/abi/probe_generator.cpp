// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes C code that prints what the public headers declare: `abi_probe_generator OUTPUT HEADERS...`.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "api/header_reader.h"

namespace halyard::abi {
namespace {

std::string Contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

void WriteStruct(std::ostream& out, const Declaration& declared) {
  out << "  STRUCT(" << declared.name << ");\n";
  for (const Member& member : declared.members) {
    out << "  MEMBER(" << declared.name << ", " << member.path << ", \"" << member.text << "\");\n";
  }
}

void WriteEnum(std::ostream& out, const Declaration& declared) {
  out << "  ENUM(" << declared.name << ");\n";
  for (const Member& member : declared.members) out << "  ENUMERATOR(" << member.path << ");\n";
}

/// HAL_INIT(hal_buffer_info_t) is hal_buffer_info_initialize() as a function.
std::string FunctionOf(std::string initialiser) {
  std::ranges::transform(initialiser, initialiser.begin(), [](unsigned char c) { return std::tolower(c); });
  return initialiser + "ialize";
}

void Write(std::ostream& out, const Declaration& declared) {
  switch (declared.kind) {
    case Kind::kStruct:
      return WriteStruct(out, declared);
    case Kind::kEnum:
      return WriteEnum(out, declared);
    case Kind::kType:
      out << "  TYPE(" << declared.name << ", \"" << declared.text << "\");\n";
      return;
    case Kind::kFunction:
      out << "  FUNCTION(\"" << declared.text << "\");\n";
      return;
    case Kind::kConstant:
      if (declared.name.rfind("HAL_VERSION", 0) == 0) return;  // changes with every release
      out << "  CONSTANT(" << declared.name << ");\n";
      return;
    case Kind::kForward:
    case Kind::kMacro:
      return;  // no layout and no value
    case Kind::kInitialiser:
      out << "  INITIALISER(" << declared.text << ", " << declared.name << ", " << FunctionOf(declared.name) << ");\n";
      return;
  }
}

void Generate(const std::filesystem::path& output, std::vector<std::filesystem::path> headers) {
  std::ranges::sort(headers);
  std::ofstream out(output);
  for (const auto& header : headers) out << "#include \"halyard/" << header.filename().string() << "\"\n";
  out << "\nstatic void PrintDeclarations(FILE* file) {\n";
  for (const auto& header : headers) {
    out << "  HEADER(\"halyard/" << header.filename().string() << "\");\n";
    try {
      for (const Declaration& declared : ReadHeader(Contents(header))) Write(out, declared);
    } catch (const std::exception& error) {
      throw std::runtime_error(header.string() + ": " + error.what());
    }
  }
  out << "}\n";
}

}  // namespace
}  // namespace halyard::abi

int main(int argc, char** argv) {
  try {
    if (argc < 3) throw std::runtime_error("usage: abi_probe_generator OUTPUT HEADERS...");
    halyard::abi::Generate(argv[1], {argv + 2, argv + argc});
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "abi_probe_generator: %s\n", error.what());
    return 1;
  }
}
