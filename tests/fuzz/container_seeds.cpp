// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the seed corpus of the container's fuzzer into a folder: good files, small and with everything in them, whole
// and in the short form.
#include <cstdio>
#include <fstream>
#include <string>

#include "container_fuzzer_file.h"
#include "function_samples.h"
#include "image/halx/container_writer.h"
#include "image/halx/metadata.h"
#include "partial_contents.h"
#include "support/entry_points.h"

namespace halyard {
namespace {

constexpr char kImage[] = "image";

ContainerContents Smallest() {
  ContainerContents contents;
  contents.exports.push_back({"f", {1, 1, 1}, 0, 0, {}});
  contents.variants.push_back({"ptx", "", testing::EntryPointsOf({""}), std::as_bytes(std::span(kImage))});
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
  contents.variants.push_back(
      {"host-shared-object", "x86_64", testing::EntryPointsOf({"", "fill"}), std::as_bytes(std::span(kImage))});
  contents.variants.push_back(
      {"ptx", "sm_80", testing::EntryPointsOf({"_Z5scalefPfS_", ""}), std::as_bytes(std::span(kImage, 4))});
  contents.variants.push_back({"spirv", "", testing::EntryPointsOf({"", ""}), std::as_bytes(std::span(kImage, 4))});
  return contents;
}

bool Write(const std::string& path, std::span<const std::byte> bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return file.good();
}

bool WriteWhole(const std::string& path, const ContainerContents& contents) {
  HostVector<std::byte> file;
  return Succeeds(SerializeContainer(contents, &file)) && Write(path, file);
}

/// Metadata that fits a file of kFuzzerFileSize bytes.
bool WriteShort(const std::string& path, const ContainerContents& contents) {
  HostVector<ImagePlace> places(contents.variants.size(), {2 * kImageAlignment, 8, 1, 1});
  places[0].offset = kImageAlignment;
  HostVector<std::byte> metadata;
  if (!Succeeds(EncodeMetadata(contents, places, kFuzzerFileSize, &metadata))) return false;
  Container container;
  const std::span<const std::byte> seed = std::span<const std::byte>(metadata).subspan(kSizePrefixSize);
  return Succeeds(container.Parse(MakeFileAround(seed))) && Write(path, seed);
}

bool WriteSeeds(const std::string& folder) {
  const std::pair<const char*, ContainerContents> seeds[] = {{"/smallest", Smallest()},
                                                             {"/parameters", WithParameters()},
                                                             {"/variants", WithVariants()},
                                                             {"/signature", testing::FunctionContents()},
                                                             {"/partial", testing::PartialContents()},
                                                             {"/c_functions", testing::CFunctionContents()}};
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
