// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pack/triton/triton_signature.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "support/failure.h"
#include "support/functions/mlir_reader.h"

namespace halyard::tools {
namespace {

constexpr std::string_view kFunction = "tt.func public @";
constexpr size_t kMostParameters = 4096;  // as the reflection of images allows
constexpr uint32_t kPointerSize = 8;
constexpr uint32_t kTensorMapSize = 128;

std::optional<uint32_t> ParseWhole(std::string_view text) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Bytes of a number that is passed by value; an i1 takes one.
std::optional<uint32_t> SizeOfNumber(std::string_view type) {
  if (type == "bf16") return 2;
  if (type.empty() || (type[0] != 'i' && type[0] != 'f')) return std::nullopt;
  const std::optional<uint32_t> bits = ParseWhole(type.substr(1));
  if (!bits) return std::nullopt;
  if (type == "i1" || type == "i8") return 1;
  if (*bits != 16 && *bits != 32 && *bits != 64) return std::nullopt;
  return *bits / 8;
}

/// Reads one kernel's signature, from its name on.
class SignatureReader {
 public:
  explicit SignatureReader(std::string_view text) : reader_(text) {}

  TritonSignature Read() {
    TritonSignature signature;
    signature.function = reader_.Sees("\"") ? reader_.String() : std::string(reader_.Word());
    if (signature.function.empty()) reader_.Fail("the kernel has no name");
    reader_.Expect("(");
    if (reader_.Take(")")) return signature;
    do {
      if (signature.parameters.size() == kMostParameters) reader_.Fail("the kernel has more than 4096 parameters");
      signature.parameters.push_back(ReadParameter());
    } while (reader_.Take(","));
    reader_.Expect(")");
    CheckNames(signature.parameters);
    return signature;
  }

 private:
  // %x_ptr: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc("x_ptr"(#loc))
  TritonParameter ReadParameter() {
    reader_.Expect("%");
    const std::string value(reader_.Word());
    reader_.Expect(":");
    TritonParameter parameter;
    ReadType(&parameter);
    if (reader_.Take("{")) ReadAttributes(&parameter);
    const bool is_named = reader_.Take("loc(") && ReadLocation();
    if (is_named || !IsNumbered(value)) parameter.name = value;
    return parameter;
  }

  // What MLIR calls a value that has no name.
  static bool IsNumbered(std::string_view value) {
    return value.empty() || (value.starts_with("arg") && ParseWhole(value.substr(3)));
  }

  // A name, "x_ptr" or "x_ptr"(#loc); or a place, "kernels.py":8:0 or #loc.
  bool ReadLocation() {
    const bool is_text = reader_.Sees("\"");
    if (is_text) reader_.String();
    const bool is_name = is_text && !reader_.Sees(":");
    reader_.Balanced();
    reader_.Expect(")");
    return is_name;
  }

  void ReadType(TritonParameter* parameter) {
    if (reader_.Take("!tt.ptr<")) return ReadPointer(parameter);
    if (reader_.Take("!tt.tensordesc<") || reader_.Take("!tt.tensordesc_im2col<")) return ReadDescriptor(parameter);
    parameter->kind = TritonParameterKind::kNumber;
    parameter->element = reader_.Sees("!") ? reader_.Balanced() : reader_.Word();
    const std::optional<uint32_t> size = SizeOfNumber(parameter->element);
    if (!size) reader_.Fail(Concat("'", parameter->element, "' is no type that a kernel takes"));
    parameter->size = *size;
  }

  void ReadPointer(TritonParameter* parameter) {
    parameter->kind = TritonParameterKind::kPointer;
    parameter->size = kPointerSize;
    parameter->element = reader_.Balanced();
    if (parameter->element.empty()) reader_.Fail("a pointer does not tell what it points to");
    // Where it points: 1 is global memory, which needs no mention.
    int64_t space = 1;
    if (reader_.Take(",") && !reader_.TakeNumber(&space)) reader_.Fail("the address space of a pointer is no number");
    if (space != 1) reader_.Fail(Concat("a parameter points to the address space ", space, "; only 1 is possible"));
    reader_.Expect(">");
  }

  // <64x64xf16>, and before Triton 3.9 <tensor<64x64xf16>>; how shared memory holds it may follow.
  void ReadDescriptor(TritonParameter* parameter) {
    parameter->kind = TritonParameterKind::kTensorMap;
    parameter->size = kTensorMapSize;
    const bool is_nested = reader_.Take("tensor<");
    ReadShape(reader_.Word(), parameter);
    if (reader_.Take(",")) SkipRest();
    if (is_nested) reader_.Expect(">");
    if (is_nested && reader_.Take(",")) SkipRest();
    reader_.Expect(">");
  }

  void SkipRest() {
    do {
      reader_.Balanced();
    } while (reader_.Take(","));
  }

  void ReadShape(std::string_view shape, TritonParameter* parameter) {
    for (;;) {
      const size_t times = shape.find('x');
      const std::optional<uint32_t> size =
          times == std::string_view::npos ? std::nullopt : ParseWhole(shape.substr(0, times));
      if (!size) break;
      if (*size == 0) reader_.Fail("the block of a descriptor has no elements");
      parameter->block.push_back(*size);
      shape.remove_prefix(times + 1);
    }
    parameter->element = shape;
    if (parameter->block.empty() || shape.empty()) reader_.Fail("a descriptor has no shape like 64x64xf16");
  }

  void ReadAttributes(TritonParameter* parameter) {
    MlirAttributes attributes;
    ReadMlirAttributes(&reader_, &attributes);
    const auto found = attributes.find("tt.divisibility");
    if (found == attributes.end()) return;
    const std::string_view text = std::string_view(found->second).substr(0, found->second.find_first_of(" :"));
    const std::optional<uint32_t> number = ParseWhole(text);
    if (!number || *number == 0) reader_.Fail(Concat("tt.divisibility is '", found->second, "', which is no number"));
    parameter->divisibility = *number;
  }

  void CheckNames(const std::vector<TritonParameter>& parameters) {
    std::vector<std::string_view> names;
    for (const TritonParameter& parameter : parameters) {
      if (!parameter.name.empty()) names.push_back(parameter.name);
    }
    std::ranges::sort(names);
    const auto twice = std::ranges::adjacent_find(names);
    if (twice != names.end()) reader_.Fail(Concat("two parameters are called '", *twice, "'"));
  }

  MlirReader reader_;
};

}  // namespace

TritonSignature ReadTritonSignature(std::string_view text) {
  const size_t begin = text.find(kFunction);
  if (begin == std::string_view::npos)
    Fail(ExitCode::kInput, "there is no '", kFunction, "', as Triton's kernels have");
  const std::string_view rest = text.substr(begin + kFunction.size());
  if (rest.find(kFunction) != std::string_view::npos)
    Fail(ExitCode::kInput, "there is more than one '", kFunction, "'");
  return SignatureReader(rest).Read();
}

}  // namespace halyard::tools
