// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies images of the reflection tests, which compilers made, into the folder that it is given: those whose names end
// with HALYARD_SEED_SUFFIX. Of HSACOs and host objects also the part alone that is read.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
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
  if (!ElfReader::LooksLikeElf(image) || elf.Open(image, "the seed") != kOk) return;
  if (const ElfSection* const records = elf.FindSection(HAL_LOCAL_KERNEL_SECTION)) {
    WriteAll(target, records->contents);
  }
  HostVector<ElfNote> notes;
  if (elf.ReadNotes(&notes) != kOk) return;
  for (const ElfNote& note : notes) {
    if (note.owner == "AMDGPU") WriteAll(target, note.description);
  }
}

}  // namespace

void WriteSeeds(const std::filesystem::path& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(HALYARD_REFLECTION_IMAGES)) {
    if (!entry.path().string().ends_with(HALYARD_SEED_SUFFIX)) continue;
    const std::vector<char> image = ReadAll(entry.path());
    const Bytes bytes = std::as_bytes(std::span(image));
    WriteAll(folder / entry.path().filename(), bytes);
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
