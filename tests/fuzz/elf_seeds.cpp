// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the seeds of elf_fuzzer into a folder: copies of the shared objects of HALYARD_SEED_FILES, which a bar
// separates, and one that no linker makes, whose symbols all have the same long name.
#include <elf.h>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace {

struct SharedNames {
  Elf64_Ehdr header = {};
  Elf64_Shdr sections[2] = {};
  Elf64_Sym symbols[24] = {};
  char name[128] = {};
};

SharedNames MakeSharedNames() {
  SharedNames file;
  std::memcpy(file.header.e_ident, ELFMAG, SELFMAG);
  file.header.e_ident[EI_CLASS] = ELFCLASS64;
  file.header.e_ident[EI_DATA] = ELFDATA2LSB;
  file.header.e_ident[EI_VERSION] = EV_CURRENT;
  file.header.e_shoff = offsetof(SharedNames, sections);
  file.header.e_shentsize = sizeof(Elf64_Shdr);
  file.header.e_shnum = 2;
  file.sections[0].sh_type = SHT_DYNSYM;
  file.sections[0].sh_offset = offsetof(SharedNames, symbols);
  file.sections[0].sh_size = sizeof(file.symbols);
  file.sections[0].sh_link = 1;
  file.sections[1].sh_type = SHT_STRTAB;
  file.sections[1].sh_offset = offsetof(SharedNames, name);
  file.sections[1].sh_size = sizeof(file.name);
  std::memset(file.name, 'a', sizeof(file.name) - 1);
  return file;
}

void WriteSeeds(const std::filesystem::path& folder) {
  std::istringstream files(HALYARD_SEED_FILES);
  for (std::string file; std::getline(files, file, '|');) {
    const std::filesystem::path source(file);
    std::filesystem::copy_file(source, folder / source.filename());
  }
  const SharedNames names = MakeSharedNames();
  std::ofstream file(folder / "shared_names", std::ios::binary);
  file.exceptions(std::ios::failbit | std::ios::badbit);
  file.write(reinterpret_cast<const char*>(&names), sizeof(names));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  try {
    WriteSeeds(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 1;
  }
  return 0;
}
