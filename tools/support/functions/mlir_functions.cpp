// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/functions/mlir_functions.h"

#include <algorithm>
#include <array>

#include "support/failure.h"
#include "support/functions/mlir_module.h"
#include "support/functions/mlir_reader.h"
#include "support/program/check.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

constexpr std::array<std::string_view, 7> kMlirRoles = {"", "id.x", "id.y", "id.z", "count.x", "count.y", "count.z"};
constexpr std::array<std::string_view, 3> kAccesses = {"read_write", "read", "write"};
constexpr std::array<std::string_view, 3> kOwnerships = {"automatic", "caller", "borrowed"};

hal_element_type_t ReadElementType(MlirReader* reader) {
  const std::string name(reader->Balanced());
  const std::string_view trimmed(name.data(), name.find_last_not_of(" \n\t") + 1);
  hal_element_type_t type = HAL_ELEMENT_TYPE_NONE;
  if (hal_element_type_parse(hal_string_view_t{trimmed.data(), trimmed.size()}, &type) != HAL_STATUS_OK) {
    if (trimmed.starts_with("tensor<")) {
      reader->Fail(
          Concat("'", trimmed, "' is no memory; make memrefs of tensors first (mlir-opt --one-shot-bufferize)"));
    }
    reader->Fail(Concat("the type '", trimmed, "' can be neither passed nor stored: ", LastError()));
  }
  return type;
}

int64_t ReadDimension(MlirReader* reader) {
  int64_t number = 0;
  if (reader->TakeDynamic()) return HAL_DYNAMIC;
  if (!reader->TakeNumber(&number)) reader->Fail("expected a number or '?'");
  return number;
}

// "[?, 1], offset: ?>", after "strided<".
void ReadLayout(MlirReader* reader, MlirType* type) {
  type->is_strided = true;
  reader->Expect("[");
  while (!reader->Take("]")) {
    type->strides.push_back(ReadDimension(reader));
    reader->Take(",");
  }
  if (reader->Take(",")) {
    reader->Expect("offset");
    reader->Expect(":");
    type->type.offset = ReadDimension(reader);
  }
  reader->Expect(">");
  if (type->strides.size() == type->sizes.size()) return;
  reader->Fail(Concat("the layout has ", type->strides.size(), " strides, the shape ", type->sizes.size(), " sizes"));
}

// The rest of "memref<…, layout, memory space>".
void ReadMemrefTail(MlirReader* reader, MlirType* type) {
  while (reader->Take(",")) {
    if (reader->Take("strided<")) {
      ReadLayout(reader, type);
      continue;
    }
    const std::string rest(reader->Balanced());
    if (rest.starts_with("#") || rest.starts_with("affine_map")) {
      reader->Fail(Concat("the layout '", rest, "' is an affine map; write it as strided<[…], offset: …>"));
    }
    if (rest != "0" && rest != "0 : i64") reader->Fail(Concat("the host has no memory space '", rest, "'"));
  }
  reader->Expect(">");
}

// After "memref<".
void ReadMemref(MlirReader* reader, MlirType* type) {
  if (reader->Take("*x")) {
    type->type.kind = HAL_VALUE_KIND_UNRANKED;
  } else {
    type->type.kind = HAL_VALUE_KIND_RANKED;
    int64_t number = 0;
    while (reader->Sees("?") || reader->TakeNumber(&number)) {
      type->sizes.push_back(reader->TakeDynamic() ? HAL_DYNAMIC : number);
      reader->Expect("x");
    }
    type->type.rank = static_cast<uint32_t>(type->sizes.size());
  }
  type->type.element_type = ReadElementType(reader);
  ReadMemrefTail(reader, type);
}

MlirType ReadType(MlirReader* reader) {
  MlirType type;
  type.type.access = HAL_BINDING_ACCESS_READ_WRITE;
  if (reader->Take("memref<")) {
    ReadMemref(reader, &type);
  } else {
    type.type.kind = HAL_VALUE_KIND_SCALAR;
    type.type.element_type = ReadElementType(reader);
  }
  return type;
}

// What stands at one place of a list, "argument" or "result".
MlirType ReadTypeAt(MlirReader* reader, const char* list, size_t index) {
  try {
    return ReadType(reader);
  } catch (const Failure& failure) {
    Fail(failure.code(), list, " ", index, ": ", failure.what());
  }
}

// "(…)", or one type without parentheses.
std::vector<MlirType> ReadTypes(MlirReader* reader, const char* list) {
  std::vector<MlirType> types;
  if (!reader->Take("(")) return {ReadTypeAt(reader, list, 0)};
  while (!reader->Take(")")) {
    types.push_back(ReadTypeAt(reader, list, types.size()));
    if (!reader->Take(",") && !reader->Sees(")")) reader->Fail("expected ',' or ')' after a type");
  }
  return types;
}

// A type of the LLVM dialect as C has it: pointers to anything, and numbers.
MlirType ReadLlvmType(MlirReader* reader) {
  MlirType type;
  reader->Take("!llvm.");
  if (reader->Take("ptr")) {
    if (reader->Sees("<")) reader->Balanced();
    type.type.kind = HAL_VALUE_KIND_POINTER;
    type.type.element_type = HAL_ELEMENT_TYPE(HAL_NUMERIC_KIND_OPAQUE, 8);
    type.type.access = HAL_BINDING_ACCESS_READ_WRITE;
    return type;
  }
  const std::string_view name = reader->Word();
  if (name.empty() || reader->Sees("<")) reader->Fail(Concat("C functions take and return no '", name, "'"));
  MlirReader word(name);
  type.type.kind = HAL_VALUE_KIND_SCALAR;
  type.type.element_type = ReadElementType(&word);
  return type;
}

// "!llvm.func<f32 (ptr, i64)>".
void ReadLlvmFunctionType(std::string_view text, MlirFunction* function) {
  MlirReader reader(text);
  reader.Expect("!llvm.func<");
  if (!reader.Take("void")) function->results.push_back(ReadLlvmType(&reader));
  reader.Expect("(");
  while (!reader.Take(")")) {
    function->arguments.push_back(ReadLlvmType(&reader));
    if (!reader.Take(",") && !reader.Sees(")")) reader.Fail("expected ',' or ')' after a type");
  }
}

template <size_t Count>
size_t ReadChoice(std::string_view attribute, const std::string& value,
                  const std::array<std::string_view, Count>& choices) {
  const std::string text = MlirReader(value).String();
  const auto found = std::ranges::find(choices, text);
  if (found == choices.end()) Fail(ExitCode::kInput, attribute, " is '", text, "'; ", SuggestionText(text, choices));
  return static_cast<size_t>(found - choices.begin());
}

void ApplyAttributes(const MlirAttributes& attributes, hal_value_type_t* type) {
  for (const auto& [name, value] : attributes) {
    if (name == "halyard.access") {
      type->access = static_cast<hal_binding_access_t>(ReadChoice(name, value, kAccesses));
    } else if (name == "halyard.workgroup") {
      type->role = static_cast<hal_argument_role_t>(ReadChoice(name, value, kMlirRoles));
    } else if (name == "halyard.ownership") {
      type->ownership = static_cast<hal_result_ownership_t>(ReadChoice(name, value, kOwnerships));
    } else if (name.starts_with("halyard.")) {
      Fail(ExitCode::kInput, "the attribute ", name,
           " is unknown; there are halyard.access, halyard.workgroup and halyard.ownership");
    }
  }
}

// "[{…}, {…}]": a dictionary for each argument or result.
void ReadValueAttributes(const std::string& text, std::vector<MlirType>* types) {
  if (text.empty()) return;
  MlirReader reader(text);
  reader.Expect("[");
  for (MlirType& type : *types) {
    MlirAttributes attributes;
    reader.Expect("{");
    ReadMlirAttributes(&reader, &attributes);
    ApplyAttributes(attributes, &type.type);
    reader.Take(",");
  }
  reader.Expect("]");
}

bool IsPrivate(const MlirOperation& operation) {
  if (operation.name == "llvm.func") {
    const std::string linkage = operation.Text("linkage");
    return linkage.find("internal") != std::string::npos || linkage.find("private") != std::string::npos;
  }
  const std::string visibility = operation.Text("sym_visibility");
  return !visibility.empty() && visibility != "\"public\"";
}

void ReadSignature(const MlirOperation& operation, MlirFunction* function) {
  function->has_types = true;
  if (function->is_llvm) return ReadLlvmFunctionType(operation.Text("function_type"), function);
  ReadMlirFunctionType(operation.Text("function_type"), function);
  ReadValueAttributes(operation.Text("arg_attrs"), &function->arguments);
  ReadValueAttributes(operation.Text("res_attrs"), &function->results);
}

bool IsDeclaration(const MlirOperation& operation) { return !operation.has_body && !operation.is_nested; }

// What a declaration takes matters little: whatever it is, the import table passes it on.
void ReadDeclaration(const MlirOperation& operation, MlirFunction* function) {
  try {
    ReadSignature(operation, function);
  } catch (const Failure&) {
    function->has_types = false;
  }
}

// Sorts one function into the others.
void AddFunction(const MlirOperation& operation, std::span<const std::string> exported, MlirFunctions* functions) {
  MlirFunction function;
  function.name = operation.String("sym_name");
  function.is_llvm = operation.name == "llvm.func";
  function.has_c_interface = operation.attributes.contains("llvm.emit_c_interface");
  function.is_external = !operation.has_body;
  function.is_private = IsPrivate(operation);
  const std::string begin = "function '" + function.name + "': ";
  if (operation.is_nested) {
    if (operation.has_body) functions->left_out.push_back(begin + "it lies in a nested module, which is not compiled");
    return;
  }
  if (IsDeclaration(operation)) {
    ReadDeclaration(operation, &function);
    functions->declared.push_back(std::move(function));
    return;
  }
  if (function.is_private && std::ranges::find(exported, function.name) == exported.end()) {
    functions->internal.push_back(function.name);
    return;
  }
  try {
    ReadSignature(operation, &function);
    functions->callable.push_back(std::move(function));
  } catch (const Failure& failure) {
    functions->left_out.push_back(begin + failure.what());
  }
}

}  // namespace

hal_value_type_t MlirType::View() const {
  static constexpr int64_t kNone = 0;  // an address that says "strided" also for rank 0
  hal_value_type_t view = type;
  view.sizes = sizes.empty() ? &kNone : sizes.data();
  if (is_strided) view.strides = strides.empty() ? &kNone : strides.data();
  return view;
}

MlirSignature::MlirSignature(const MlirFunction& function, hal_calling_convention_t convention)
    : function_(function), signature_(HAL_INIT(hal_function_signature_t)) {
  for (const MlirType& type : function_.arguments) types_.push_back(type.View());
  for (const MlirType& type : function_.results) types_.push_back(type.View());
  signature_.convention = convention;
  signature_.argument_count = static_cast<uint32_t>(function_.arguments.size());
  signature_.result_count = static_cast<uint32_t>(function_.results.size());
  signature_.arguments = types_.data();
  signature_.results = types_.data() + signature_.argument_count;
}

MlirType ReadMlirType(std::string_view text) {
  MlirReader reader(text);
  MlirType type = ReadType(&reader);
  if (!reader.AtEnd()) reader.Fail("something follows the type");
  return type;
}

void ReadMlirFunctionType(std::string_view text, MlirFunction* function) {
  MlirReader reader(text);
  function->arguments = ReadTypes(&reader, "argument");
  reader.Expect("->");
  function->results = ReadTypes(&reader, "result");
}

MlirFunctions ReadMlirFunctions(std::string_view generic, std::span<const std::string> exported) {
  std::vector<MlirOperation> operations = ReadMlirOperations(generic);
  const auto has = [&](std::string_view name) {
    return std::ranges::any_of(operations, [&](const MlirOperation& one) { return one.name == name; });
  };
  // Where there are others, functions of the LLVM dialect are what the module calls.
  const std::string_view kind = has("func.func") ? "func.func" : "llvm.func";
  if (!has(kind)) {
    Fail(ExitCode::kInput, "there is no \"func.func\" and no \"llvm.func\" in the module",
         has("gpu.module")
             ? ", and what is in \"gpu.module\" is for devices: compile it (mlir-opt "
               "--gpu-lower-to-nvvm-pipeline, for example) and give the images to --cuda, --hip or --spirv"
             : "");
  }
  MlirFunctions functions;
  for (const MlirOperation& operation : operations) {
    if (operation.name == kind) AddFunction(operation, exported, &functions);
  }
  const auto used = UsedMlirSymbols(generic);
  std::erase_if(functions.declared, [&](const MlirFunction& function) { return !used.contains(function.name); });
  return functions;
}

}  // namespace halyard::tools
