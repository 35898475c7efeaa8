// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the seed corpus of the container's fuzzer into a folder: good files, small and with everything in them, whole
// and in the short form.
#include <cstdio>
#include <fstream>
#include <string>

#include "container/container_writer.h"
#include "container/metadata.h"
#include "container_fuzzer_file.h"

namespace halyard {
namespace {

constexpr char kImage[] = "image";

ContainerContents Smallest() {
  ContainerContents contents;
  contents.exports.push_back({"f", {1, 1, 1}, 0, 0, {}});
  contents.variants.push_back({"ptx", "", {""}, std::as_bytes(std::span(kImage))});
  return contents;
}

ContainerContents WithParameters() {
  ContainerContents contents = Smallest();
  ContainerExport& info = contents.exports[0];
  info.workgroup_size = {64, 2, 1};
  info.local_memory_size = 256;
  info.constants_size = 16;
  info.parameters = {hal_parameter_constant(0, 4), hal_parameter_binding(0, HAL_BINDING_ACCESS_READ),
                     hal_parameter_binding(1, HAL_BINDING_ACCESS_WRITE), hal_parameter_constant(8, 8)};
  info.parameters[2].set = 1;
  return contents;
}

ContainerContents WithVariants() {
  ContainerContents contents = WithParameters();
  contents.exports.push_back({"füllen", {0, 1, 1}, 0, 0, {}});
  contents.variants.clear();
  contents.variants.push_back({"host-shared-object", "x86_64", {"", "fill"}, std::as_bytes(std::span(kImage))});
  contents.variants.push_back({"ptx", "sm_80", {"_Z5scalefPfS_", ""}, std::as_bytes(std::span(kImage, 4))});
  contents.variants.push_back({"spirv", "", {"", ""}, std::as_bytes(std::span(kImage, 4))});
  return contents;
}

hal_value_type_t Ranked(hal_element_type_t element_type, std::span<const int64_t> sizes) {
  hal_value_type_t type = {};
  type.kind = HAL_VALUE_KIND_RANKED;
  type.element_type = element_type;
  type.rank = static_cast<uint32_t>(sizes.size());
  type.sizes = sizes.data();
  return type;
}

hal_value_type_t OneValue(hal_value_kind_t kind, hal_element_type_t element_type) {
  hal_value_type_t type = {};
  type.kind = kind;
  type.element_type = element_type;
  return type;
}

/// An export that is a function compiled by MLIR, with the parameters that follow from its signature.
ContainerExport FunctionExport(std::string_view name, hal_calling_convention_t convention,
                               std::span<const hal_value_type_t> arguments, std::span<const hal_value_type_t> results) {
  hal_function_signature_t signature = HAL_FUNCTION_SIGNATURE_INIT;
  signature.convention = convention;
  signature.argument_count = static_cast<uint32_t>(arguments.size());
  signature.arguments = arguments.data();
  signature.result_count = static_cast<uint32_t>(results.size());
  signature.results = results.data();
  ContainerExport info = {name, {1, 1, 1}, 0, 0, {}};
  info.parameters = ParametersOf(signature, &info.constants_size);
  info.signature = OwnedSignature(signature);
  return info;
}

constexpr int64_t kStaticSizes[] = {4, 3};
constexpr int64_t kDynamicSizes[] = {HAL_DYNAMIC, 3, HAL_DYNAMIC};
constexpr int64_t kStrides[] = {6, 2};

/// Every kind of value, role, layout, access and ownership.
ContainerContents WithSignature() {
  hal_value_type_t strided = Ranked(HAL_ELEMENT_TYPE_F16, kStaticSizes);
  strided.strides = kStrides;
  strided.offset = HAL_DYNAMIC;
  strided.access = HAL_BINDING_ACCESS_READ;
  hal_value_type_t place = OneValue(HAL_VALUE_KIND_SCALAR, HAL_ELEMENT_TYPE_INDEX);
  place.role = HAL_ARGUMENT_ROLE_WORKGROUP_ID_Y;
  hal_value_type_t owned = Ranked(HAL_ELEMENT_TYPE_COMPLEX_F32, kDynamicSizes);
  owned.ownership = HAL_RESULT_OWNERSHIP_CALLER;
  hal_value_type_t borrowed = OneValue(HAL_VALUE_KIND_UNRANKED, HAL_ELEMENT_TYPE_BF16);
  borrowed.ownership = HAL_RESULT_OWNERSHIP_BORROWED;
  const hal_value_type_t arguments[] = {Ranked(HAL_ELEMENT_TYPE_F32, kDynamicSizes),
                                        strided,
                                        place,
                                        OneValue(HAL_VALUE_KIND_SCALAR, HAL_ELEMENT_TYPE_I1),
                                        OneValue(HAL_VALUE_KIND_UNRANKED, HAL_ELEMENT_TYPE_I8),
                                        OneValue(HAL_VALUE_KIND_SCALAR, HAL_ELEMENT_TYPE_COMPLEX_F64)};
  const hal_value_type_t results[] = {owned, OneValue(HAL_VALUE_KIND_SCALAR, HAL_ELEMENT_TYPE_F64), borrowed};
  const hal_value_type_t bare = Ranked(HAL_ELEMENT_TYPE_UI8, kStaticSizes);
  ContainerContents contents;
  contents.exports.push_back(FunctionExport("f", HAL_CALLING_CONVENTION_EXPANDED, arguments, results));
  contents.exports.push_back(FunctionExport("g", HAL_CALLING_CONVENTION_BARE_POINTER, {&bare, 1}, {&bare, 1}));
  contents.exports.push_back(FunctionExport("h", HAL_CALLING_CONVENTION_WRAPPER, {}, {}));
  contents.variants.push_back(
      {"host-shared-object", "x86_64", {"", "", "_mlir_ciface_h"}, std::as_bytes(std::span(kImage))});
  return contents;
}

bool Write(const std::string& path, std::span<const std::byte> bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return file.good();
}

bool WriteWhole(const std::string& path, const ContainerContents& contents) {
  HostVector<std::byte> file;
  return SerializeContainer(contents, &file) == kOk && Write(path, file);
}

/// Metadata that fits a file of kFuzzerFileSize bytes.
bool WriteShort(const std::string& path, const ContainerContents& contents) {
  HostVector<ImagePlace> places(contents.variants.size(), {2 * kImageAlignment, 8, 1, 1});
  places[0].offset = kImageAlignment;
  HostVector<std::byte> metadata;
  if (EncodeMetadata(contents, places, kFuzzerFileSize, &metadata) != kOk) return false;
  Container container;
  const std::span<const std::byte> seed = std::span<const std::byte>(metadata).subspan(kSizePrefixSize);
  return container.Parse(MakeFileAround(seed)) == kOk && Write(path, seed);
}

bool WriteSeeds(const std::string& folder) {
  const std::pair<const char*, ContainerContents> seeds[] = {{"/smallest", Smallest()},
                                                             {"/parameters", WithParameters()},
                                                             {"/variants", WithVariants()},
                                                             {"/signature", WithSignature()}};
  for (const auto& [name, contents] : seeds) {
    if (!WriteWhole(folder + name + ".halx", contents) || !WriteShort(folder + name, contents)) return false;
  }
  return true;
}

}  // namespace
}  // namespace halyard

int main(int argc, char** argv) {
  if (argc == 2 && halyard::WriteSeeds(argv[1])) return 0;
  std::fprintf(stderr, "usage: %s FOLDER: %.*s\n", argv[0], HALYARD_SV(halyard::LastErrorMessage()));
  return 1;
}
