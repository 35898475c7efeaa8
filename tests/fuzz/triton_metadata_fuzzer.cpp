// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feeds text to the readers of what Triton's cache holds: as metadata, and as the form that has the signature. What
// they accept must be within the limits of devices; a signature must be the same after it was printed and read again.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "pack/triton/triton_metadata.h"
#include "pack/triton/triton_signature.h"
#include "support/failure.h"

namespace {

using namespace halyard::tools;

void Require(bool condition) {
  if (!condition) std::abort();
}

/// Runs a reader; it may refuse.
template <class Read>
void Try(Read&& read) {
  try {
    read();
  } catch (const Failure& failure) {
    Require(failure.code() == ExitCode::kInput);
    Require(failure.what()[0] != '\0');
  }
}

void CheckScratch(const TritonScratch& scratch) { Require(std::has_single_bit(scratch.alignment)); }

void CheckMetadata(const TritonMetadata& metadata) {
  Require(!metadata.name.empty());
  Require(metadata.subgroup_size == 32 || metadata.subgroup_size == 64);
  Require(metadata.workgroup_size >= metadata.subgroup_size && metadata.workgroup_size <= 1024);
  Require(metadata.workgroup_size % metadata.subgroup_size == 0);
  Require(metadata.WorkgroupsPerProgram() >= 1 && metadata.WorkgroupsPerProgram() <= 16);
  Require(metadata.local_memory_size <= 1u << 30);
  Require(metadata.architecture.starts_with(metadata.backend == TritonBackend::kCuda ? "sm_" : "gfx"));
  CheckScratch(metadata.global_scratch);
  CheckScratch(metadata.profile_scratch);
  for (const TritonTensorMap& map : metadata.tensor_maps) {
    Require(std::has_single_bit(map.element_size) && !map.box.empty() && map.box.size() <= 5);
    for (const uint32_t size : map.box) Require(size >= 1 && size <= 256);
  }
}

std::string TypeText(const TritonParameter& parameter) {
  if (parameter.kind == TritonParameterKind::kPointer) return "!tt.ptr<" + parameter.element + ">";
  if (parameter.kind == TritonParameterKind::kNumber) return parameter.element;
  std::string text = "!tt.tensordesc<tensor<";
  for (const uint32_t size : parameter.block) text += std::to_string(size) + "x";
  return text + parameter.element + ">>";
}

std::string Print(const TritonSignature& signature) {
  std::string text = "tt.func public @\"";
  for (const char c : signature.function) {
    constexpr const char* kDigits = "0123456789ABCDEF";
    text += {'\\', kDigits[static_cast<uint8_t>(c) >> 4], kDigits[c & 15]};
  }
  text += "\"(";
  for (size_t i = 0; i < signature.parameters.size(); ++i) {
    const TritonParameter& parameter = signature.parameters[i];
    text += i > 0 ? ", %" : "%";
    text += parameter.name.empty() ? "arg" + std::to_string(i) : parameter.name;
    text += ": " + TypeText(parameter) + " {tt.divisibility = " + std::to_string(parameter.divisibility) + " : i32}";
    if (!parameter.name.empty()) text += " loc(\"x\")";
  }
  return text + ")";
}

void CheckSignature(const TritonSignature& signature) {
  for (const TritonParameter& parameter : signature.parameters) {
    Require(parameter.size > 0 && !parameter.element.empty() && parameter.divisibility > 0);
    Require(parameter.block.empty() == (parameter.kind != TritonParameterKind::kTensorMap));
  }
  Require(ReadTritonSignature(Print(signature)) == signature);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Json document = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!document.is_discarded()) Try([&] { CheckMetadata(ReadTritonMetadata(document)); });
  Try([&] { CheckSignature(ReadTritonSignature(text)); });
  return 0;
}
