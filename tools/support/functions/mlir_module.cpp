// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/functions/mlir_module.h"

#include <algorithm>
#include <cctype>

#include "support/failure.h"

namespace halyard::tools {
namespace {

// Modules in modules; deeper ones are passed over.
constexpr int kMaxDepth = 16;

bool IsSymbolCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '.';
}

// "#map = affine_map<…>", "!alias = …": up to the next alias or operation.
void SkipAlias(MlirReader* reader) {
  reader->Skip();
  reader->Word();
  reader->Expect("=");
  if (reader->Sees("#") || reader->Sees("!")) reader->Skip();
  while (!reader->AtEnd() && !reader->Sees("#") && !reader->Sees("!") && !reader->Sees("\"")) reader->SkipGroup();
}

// Reads the operations of one module, and of modules in it.
class OperationReader {
 public:
  OperationReader(MlirReader* reader, std::vector<MlirOperation>* operations)
      : reader_(*reader), operations_(*operations) {}

  // After the name of a module: "() <{…}> ({ … }) {…} : () -> ()".
  void ReadModule(int depth) {
    MlirAttributes ignored;
    ReadHead(&ignored);
    reader_.Expect("(");
    reader_.Expect("{");
    while (!reader_.Take("}")) ReadOne(depth);
    reader_.Expect(")");
    if (reader_.Take("{")) ReadMlirAttributes(&reader_, &ignored);
  }

 private:
  // "(operands) [successors] <{properties}>".
  void ReadHead(MlirAttributes* attributes) {
    reader_.Expect("(");
    while (reader_.Take("%") || reader_.Take("#") || reader_.Take(",")) reader_.Word();
    reader_.Expect(")");
    if (reader_.Sees("[")) reader_.SkipGroup();
    if (!reader_.Take("<{")) return;
    ReadMlirAttributes(&reader_, attributes);
    reader_.Expect(">");
  }

  // "({ … }, { … })"; up to version 16 all attributes stand behind it.
  void ReadBodies(MlirOperation* operation) {
    if (!reader_.Take("(")) return;
    reader_.Expect("{");
    operation->has_body = !reader_.Take("}");
    while (operation->has_body && !reader_.Take("}")) reader_.SkipGroup();
    while (!reader_.Take(")")) reader_.SkipGroup();
  }

  // Results, types, locations and labels of blocks, up to the name of an operation or the end of the region.
  void SkipToName() {
    while (!reader_.Sees("\"") && !reader_.Sees("}")) reader_.SkipGroup();
  }

  void ReadOne(int depth) {
    SkipToName();
    if (reader_.Sees("}")) return;
    MlirOperation operation;
    operation.name = reader_.String();
    operation.is_nested = depth > 0;
    if (operation.name == "builtin.module" && depth < kMaxDepth) {
      ReadModule(depth + 1);
    } else {
      ReadHead(&operation.attributes);
      ReadBodies(&operation);
      if (reader_.Take("{")) ReadMlirAttributes(&reader_, &operation.attributes);
      if (operation.name == "func.func") operation.String("sym_name");  // complains if there is none
      operations_.push_back(std::move(operation));
    }
    SkipToName();
  }

  MlirReader& reader_;
  std::vector<MlirOperation>& operations_;
};

/// A symbol's name in a text.
struct SymbolPlace {
  size_t begin = 0;  // of the name, or of the quote before it
  size_t end = 0;
  std::string name;
};

size_t EndOfString(std::string_view text, size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

// The first place from `at` on where a symbol is used, or defined by a "sym_name". False at the end of the text.
bool FindSymbol(std::string_view text, bool defined, size_t at, SymbolPlace* out) {
  constexpr std::string_view kDefines = "sym_name = \"";
  while (at < text.size()) {
    if (text.substr(at, 2) == "//") {
      at = std::min(text.find('\n', at), text.size());
    } else if (text[at] == '@') {
      out->begin = out->end = ++at;
      if (at < text.size() && text[at] == '"') {
        out->end = EndOfString(text, at);
        out->name = MlirReader(text.substr(at, out->end - at)).String();
      } else {
        while (out->end < text.size() && IsSymbolCharacter(text[out->end])) ++out->end;
        out->name = text.substr(at, out->end - at);
      }
      return true;
    } else if (defined && text.substr(at, kDefines.size()) == kDefines) {
      out->begin = at + kDefines.size() - 1;
      out->end = EndOfString(text, out->begin);
      out->name = MlirReader(text.substr(out->begin, out->end - out->begin)).String();
      return true;
    } else {
      at = text[at] == '"' ? EndOfString(text, at) : at + 1;
    }
  }
  return false;
}

// A string as MLIR writes it.
std::string Quoted(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= ' ' && byte < 0x7F && c != '"' && c != '\\') {
      quoted += c;
    } else {
      quoted += {'\\', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return quoted + "\"";
}

}  // namespace

std::string MlirOperation::Text(std::string_view attribute) const {
  const auto found = attributes.find(attribute);
  return found == attributes.end() ? std::string() : found->second;
}

std::string MlirOperation::String(std::string_view attribute) const {
  const std::string text = Text(attribute);
  if (!text.starts_with('"')) Fail(ExitCode::kInput, "a ", name, " has no ", attribute);
  return MlirReader(text).String();
}

bool IsGenericMlir(std::string_view text) {
  MlirReader reader(text);
  try {
    while (reader.Sees("#") || reader.Sees("!")) SkipAlias(&reader);
    return reader.Take("\"builtin.module\"");
  } catch (const Failure&) {
    return false;
  }
}

std::vector<MlirOperation> ReadMlirOperations(std::string_view generic) {
  MlirReader reader(generic, /*tells_lines=*/true);
  while (reader.Sees("#") || reader.Sees("!")) SkipAlias(&reader);
  if (!reader.Take("\"builtin.module\"")) {
    Fail(ExitCode::kInput,
         "there is no \"builtin.module\"; is it the generic form that mlir-opt --mlir-print-op-generic prints?");
  }
  std::vector<MlirOperation> operations;
  OperationReader(&reader, &operations).ReadModule(0);
  return operations;
}

std::set<std::string, std::less<>> UsedMlirSymbols(std::string_view text) {
  std::set<std::string, std::less<>> symbols;
  SymbolPlace place;
  while (FindSymbol(text, /*defined=*/false, place.end, &place)) symbols.insert(std::move(place.name));
  return symbols;
}

std::string RenameMlirSymbols(std::string_view generic, const std::map<std::string, std::string, std::less<>>& names) {
  std::string renamed;
  SymbolPlace place;
  size_t copied = 0;
  while (FindSymbol(generic, /*defined=*/true, place.end, &place)) {
    const auto found = names.find(place.name);
    if (found == names.end()) continue;
    renamed.append(generic.substr(copied, place.begin - copied)).append(Quoted(found->second));
    copied = place.end;
  }
  return renamed.append(generic.substr(copied));
}

}  // namespace halyard::tools
