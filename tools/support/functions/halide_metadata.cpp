// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/functions/halide_metadata.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "image/shared_object/elf_reader.h"
#include "support/failure.h"
#include "support/json.h"

namespace halyard::tools {
namespace {

constexpr uint16_t kX86_64 = 62;
constexpr uint32_t kLoad = 1;         // PT_LOAD
constexpr uint32_t kRelocations = 4;  // SHT_RELA
constexpr uint64_t kRelative = 8;     // R_X86_64_RELATIVE
constexpr size_t kRelocationSize = 24;
constexpr std::string_view kSuffix = "_metadata";
constexpr uint32_t kMostArguments = 1024;

/// The memory of an object as it would be at address 0.
class ObjectMemory {
 public:
  ObjectMemory(Bytes image, const ElfReader& elf) : image_(image) {
    if (const halyard::Failure failure(elf.ReadSegments(&segments_)); failure)
      Fail(ExitCode::kInput, failure.message());
    for (const ElfSection& section : elf.Sections()) {
      if (section.type == kRelocations) AddRelocations(section.contents);
    }
  }

  /// At most `size` bytes from an address on.
  Bytes At(uint64_t address, uint64_t size) const {
    for (const ElfSegment& segment : segments_) {
      if (segment.type != kLoad || address < segment.address || address - segment.address >= segment.file_size)
        continue;
      if (!IsInside(image_, segment.offset, segment.file_size)) break;
      const Bytes rest = image_.subspan(segment.offset, segment.file_size).subspan(address - segment.address);
      return rest.first(std::min<uint64_t>(size, rest.size()));
    }
    Fail(ExitCode::kInput, "address ", address, " is in no segment");
  }
  template <class T>
  T Number(uint64_t address) const {
    const Bytes bytes = At(address, sizeof(T));
    if (bytes.size() < sizeof(T)) Fail(ExitCode::kInput, "address ", address, " is at the end of a segment");
    return ReadUint<T>(bytes, 0);
  }
  uint64_t Pointer(uint64_t address) const {
    const auto found = relocations_.find(address);
    return found != relocations_.end() ? found->second : Number<uint64_t>(address);
  }
  std::string Text(uint64_t address) const {
    const auto text = TextAt(At(address, UINT16_MAX), 0);
    if (!text) Fail(ExitCode::kInput, "the text at address ", address, " has no end");
    return std::string(*text);
  }

 private:
  void AddRelocations(Bytes table) {
    for (size_t at = 0; at + kRelocationSize <= table.size(); at += kRelocationSize) {
      if (ReadUint<uint64_t>(table, at + 8) != kRelative) continue;
      relocations_[ReadUint<uint64_t>(table, at)] = ReadUint<uint64_t>(table, at + 16);
    }
  }

  const Bytes image_;
  HostVector<ElfSegment> segments_;
  std::map<uint64_t, uint64_t> relocations_;  // what is stored where
};

// What `<name>_metadata()` returns: its code takes an address, and does nothing else.
uint64_t ReturnedAddress(const ObjectMemory& memory, uint64_t function) {
  constexpr size_t kSize = 7;        // of the instruction
  constexpr size_t kMostBefore = 8;  // endbr64, push, mov
  const Bytes code = memory.At(function, kMostBefore + kSize);
  const std::string_view text = AsText(code);
  for (size_t at = 0; at + kSize <= code.size(); ++at) {
    const bool is_address = text.substr(at).starts_with("\x48\x8d\x05");  // lea rax, [rip + offset]
    const bool is_load = text.substr(at).starts_with("\x48\x8b\x05");     // mov rax, [rip + offset]
    if (!is_address && !is_load) continue;
    const auto offset = static_cast<int32_t>(ReadUint<uint32_t>(code, at + 3));
    const uint64_t address = function + at + kSize + static_cast<uint64_t>(int64_t{offset});
    return is_address ? address : memory.Pointer(address);
  }
  Fail(ExitCode::kInput, "its code is not as Halide makes it");
}

// halide_filter_argument_t.
struct Argument {
  static constexpr uint64_t kSize = 64;

  std::string name;
  uint32_t kind = 0;        // 0: a number, 1: a buffer to read, 2: a buffer to write
  uint32_t dimensions = 0;  // of a buffer
  uint8_t code = 0;         // 0: int, 1: unsigned int, 2: float, 3: address, 4: bfloat
  uint8_t bits = 0;
};

Argument ReadArgument(const ObjectMemory& memory, uint64_t address) {
  return {memory.Text(memory.Pointer(address)), memory.Number<uint32_t>(address + 8),
          memory.Number<uint32_t>(address + 12), memory.Number<uint8_t>(address + 16),
          memory.Number<uint8_t>(address + 17)};
}

std::string ElementText(const Argument& argument) {
  constexpr std::string_view kLetters[] = {"i", "ui", "f", "", "bf"};
  if (argument.code > 4 || argument.code == 3) Fail(ExitCode::kInput, argument.name, " is of no known type");
  if (argument.bits == 1) return "i1";
  return Concat(kLetters[argument.code], static_cast<unsigned>(argument.bits));
}

// As a description has it (docs/c-functions.md).
Json ArgumentJson(const Argument& argument) {
  constexpr uint8_t kAddress = 3;
  if (argument.kind == 0) {
    if (argument.code != kAddress) return ElementText(argument);
    return argument.name == "__user_context" ? "null" : "void*";
  }
  std::string shape;
  for (uint32_t i = 0; i < argument.dimensions && i < UINT8_MAX; ++i) shape += "?x";
  const std::string type = Concat("halide_buffer<", shape, ElementText(argument), ">");
  if (argument.kind == 1) return "const " + type;
  return {{"type", type}, {"access", "write"}};
}

Json FunctionJson(const ObjectMemory& memory, const std::string& name, uint64_t getter) {
  const uint64_t metadata = ReturnedAddress(memory, getter);
  const auto version = memory.Number<uint32_t>(metadata);
  const auto count = memory.Number<uint32_t>(metadata + 4);
  if (version > 1 || count > kMostArguments) Fail(ExitCode::kInput, "version ", version, ", ", count, " arguments");
  const uint64_t list = memory.Pointer(metadata + 8);
  Json arguments = Json::array();
  for (uint64_t i = 0; i < count; ++i) {
    arguments.push_back(ArgumentJson(ReadArgument(memory, list + i * Argument::kSize)));
  }
  return {{"name", name}, {"convention", "c"}, {"result", "status"}, {"arguments", arguments}};
}

std::optional<ExportDescription> Describe(const std::string& path, const ObjectMemory& memory, const std::string& name,
                                          uint64_t getter) {
  try {
    Json exports = Json::array();  // compilers differ in what they make of braces around one element
    exports.push_back(FunctionJson(memory, name, getter));
    return ReadExportDescriptions(DescriptionFile{path, {{"exports", std::move(exports)}}}).front();
  } catch (const Failure&) {
    return std::nullopt;  // other compilers may call something so, too
  }
}

}  // namespace

std::vector<ExportDescription> DescribeHalideFunctions(const std::string& path, std::span<const std::byte> image) {
  ElfReader elf;
  HostVector<ElfSymbol> symbols;
  std::vector<ExportDescription> functions;
  if (!Succeeds(elf.Open(image, "the shared object")) || elf.Header().machine != kX86_64 ||
      !Succeeds(elf.ReadSymbols(ElfReader::kDynamicSymbols, &symbols))) {
    return functions;
  }
  std::map<std::string_view, uint64_t> known;
  for (const ElfSymbol& symbol : symbols) {
    if (symbol.section != 0) known.emplace(symbol.name, symbol.address);
  }
  const ObjectMemory memory(image, elf);
  for (const auto& [getter, address] : known) {
    if (!getter.ends_with(kSuffix)) continue;
    const std::string name(getter.substr(0, getter.size() - kSuffix.size()));
    if (!known.contains(name)) continue;
    if (auto function = Describe(path, memory, name, address)) functions.push_back(*std::move(function));
  }
  return functions;
}

}  // namespace halyard::tools
