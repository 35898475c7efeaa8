// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir_source.h"

#include <algorithm>
#include <map>

#include "support/failure.h"
#include "support/functions/mlir_module.h"

namespace halyard::tools {
namespace {

constexpr std::string_view kWritable = "bufferization.writable";

bool Contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool IsPublic(const MlirOperation& function) {
  const std::string visibility = function.Text("sym_visibility");
  return visibility.empty() || visibility == "\"public\"";
}

// Replaces the last `old` before `end`, if there is one; returns how much longer the text became.
void ReplaceBefore(std::string* text, size_t end, const std::string& old, const std::string& with) {
  const size_t at = text->rfind(old, end);
  if (at != std::string::npos) text->replace(at, old.size(), with);
}

// The types of the arguments in "(tensor<4xf32>, index) -> …".
std::vector<std::string> ArgumentTypes(std::string_view function_type) {
  std::vector<std::string> types;
  MlirReader reader(function_type);
  reader.Expect("(");
  while (!reader.Take(")")) {
    types.emplace_back(reader.Balanced());
    if (!reader.Take(",")) {
      reader.Expect(")");
      break;
    }
  }
  return types;
}

// "[{…}, {…}]" with the mark in the dictionary of each tensor; empty if nothing is to be marked.
std::string MarkedAttributes(const std::vector<std::string>& types, const std::string& attributes) {
  MlirReader reader(attributes);
  std::string marked = "[";
  bool changed = false;
  if (!attributes.empty()) reader.Expect("[");
  for (const std::string& type : types) {
    std::string dictionary = "{}";
    if (!attributes.empty()) {
      dictionary = reader.Balanced();
      reader.Take(",");
    }
    const bool is_tensor = type.starts_with("tensor<") && dictionary.find(kWritable) == std::string::npos;
    if (is_tensor) {
      const bool is_empty = dictionary == "{}";
      // What is not written is only read.
      std::string mark = Concat(kWritable, " = false");
      if (dictionary.find("halyard.access") == std::string::npos) mark += ", halyard.access = \"read\"";
      dictionary = Concat("{", mark, is_empty ? "" : ", ", dictionary.substr(1));
      changed = true;
    }
    marked += (marked.size() > 1 ? ", " : "") + dictionary;
  }
  return changed ? marked + "]" : "";
}

// The function's name stands behind its type and its arguments' attributes, as mlir-opt sorts what it prints.
void MarkTensors(const MlirOperation& function, const std::string& name, std::string* text) {
  const std::string type = function.Text("function_type");
  if (type.find("tensor<") == std::string::npos) return;
  const std::string attributes = function.Text("arg_attrs");
  const std::string marked = MarkedAttributes(ArgumentTypes(type), attributes);
  if (marked.empty()) return;
  const size_t end = text->find("sym_name = \"" + name + "\"");
  const std::string rest = "function_type = " + type;
  ReplaceBefore(text, end, attributes.empty() ? rest : "arg_attrs = " + attributes,  //
                attributes.empty() ? "arg_attrs = " + marked + ", " + rest : "arg_attrs = " + marked);
}

}  // namespace

std::string PrepareMlir(std::string_view generic, const std::vector<std::string>& exported) {
  const std::vector<MlirOperation> operations = ReadMlirOperations(generic);
  const bool has_functions =
      std::ranges::any_of(operations, [](const MlirOperation& one) { return one.name == "func.func"; });
  const std::string_view kind = has_functions ? "func.func" : "llvm.func";
  std::map<std::string, std::string, std::less<>> names;
  for (const MlirOperation& operation : operations) {
    if (operation.name != kind || !operation.has_body || operation.is_nested) continue;
    const std::string name = operation.String("sym_name");
    names[name] = Concat(kCompiledPrefix, name);
  }
  std::string text = RenameMlirSymbols(generic, names);
  for (const MlirOperation& operation : operations) {
    if (operation.name != "func.func" || !operation.has_body || operation.is_nested) continue;
    const std::string source_name = operation.String("sym_name");
    const std::string name = names[source_name];
    const bool is_wanted = Contains(exported, source_name);
    if (is_wanted && !IsPublic(operation)) {
      const std::string begin = "sym_name = \"" + name + "\"";
      ReplaceBefore(&text, std::string::npos, begin + ", sym_visibility = \"private\"", begin);
    }
    if (is_wanted || IsPublic(operation)) MarkTensors(operation, name, &text);
  }
  return text;
}

std::string WithSourceNames(std::string text) {
  for (size_t at = text.find(kCompiledPrefix); at != std::string::npos; at = text.find(kCompiledPrefix, at)) {
    text.erase(at, kCompiledPrefix.size());
  }
  return text;
}

}  // namespace halyard::tools
