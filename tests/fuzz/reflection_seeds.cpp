// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies images of the reflection tests, which compilers made, into the folder that it is given: those whose names end
// with HALYARD_SEED_SUFFIX. Of HSACOs and host objects also the part alone that is read.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halyard/local_kernel_record.h"
#include "image/shared_object/elf_reader.h"

namespace halyard {
namespace {

std::vector<char> ReadAll(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void WriteAll(const std::filesystem::path& path, Bytes bytes) {
  std::ofstream file(path, std::ios::binary);
  file.exceptions(std::ios::failbit | std::ios::badbit);
  file.write(AsText(bytes).data(), static_cast<std::streamsize>(bytes.size()));
}

void WritePart(const std::filesystem::path& target, Bytes image) {
  ElfReader elf;
  if (!ElfReader::LooksLikeElf(image) || !Succeeds(elf.Open(image, "the seed"))) return;
  if (const ElfSection* const records = elf.FindSection(HAL_LOCAL_KERNEL_SECTION)) {
    WriteAll(target, records->contents);
  }
  HostVector<ElfNote> notes;
  if (!Succeeds(elf.ReadNotes(&notes))) return;
  for (const ElfNote& note : notes) {
    if (note.owner == "AMDGPU") WriteAll(target, note.description);
  }
}

}  // namespace

/// Heads that announce as much as is taken: the ids of SPIR-V, the bytes of a bundle of version 2.
void WriteBombs(const std::filesystem::path& folder, const std::string& name, std::vector<char> image) {
  const auto announce = [&](size_t place, uint32_t number, const char* suffix) {
    std::memcpy(&image[place], &number, sizeof(number));
    WriteAll(folder / (name + suffix), std::as_bytes(std::span(image)));
  };
  if (name.ends_with("saxpy.spv")) announce(12, 0x3FFFFF, ".ids");
  if (std::string_view(image.data(), std::min<size_t>(image.size(), 4)) != "CCOB") return;
  image.resize(std::min<size_t>(image.size(), 64));
  announce(8, static_cast<uint32_t>(image.size()), ".head");
  announce(12, 1 << 20, ".large");
}

void WriteSeeds(const std::filesystem::path& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(HALYARD_REFLECTION_IMAGES)) {
    if (!entry.path().string().ends_with(HALYARD_SEED_SUFFIX)) continue;
    const std::vector<char> image = ReadAll(entry.path());
    const Bytes bytes = std::as_bytes(std::span(image));
    WriteAll(folder / entry.path().filename(), bytes);
    WriteBombs(folder, entry.path().filename().string(), image);
    WritePart(folder / (entry.path().stem().string() + ".part"), bytes);
  }
}

}  // namespace halyard

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  try {
    halyard::WriteSeeds(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 1;
  }
  return 0;
}
