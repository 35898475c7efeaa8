// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda/image.h"

#include <elf.h>

#include <algorithm>
#include <cstring>

#include "stream_api/elf_image.h"

namespace halyard::cuda::abi {

using sim::BeginsAs;
using sim::ElfSize;

namespace {

constexpr uint32_t kFatbinMagic = 0xBA55ED50;

// The header of a fatbin: magic, version, bytes of the header, bytes of what follows.
struct FatbinHeader {
  uint32_t magic;
  uint16_t version;
  uint16_t header_size;
  uint64_t size;
};

// A PTX text says .version before anything else, comments and blanks aside.
bool LooksLikePtx(std::string_view text) { return text.find(".version") < std::min<size_t>(text.size(), 4096); }

}  // namespace

Image ReadImage(const void* image) {
  const auto* bytes = static_cast<const std::byte*>(image);
  if (BeginsAs(image, ELFMAG, SELFMAG)) return {ImageKind::kCubin, {bytes, ElfSize(bytes)}};
  if (BeginsAs(image, &kFatbinMagic, sizeof(kFatbinMagic))) {
    FatbinHeader header;
    std::memcpy(&header, image, sizeof(header));
    return {ImageKind::kFatbin, {bytes, header.header_size + static_cast<size_t>(header.size)}};
  }
  const std::string_view text(static_cast<const char*>(image));
  return {LooksLikePtx(text) ? ImageKind::kPtx : ImageKind::kUnknown, {bytes, text.size()}};
}

Image ReadImage(std::span<const std::byte> file) {
  if (file.size() < sizeof(Elf64_Ehdr)) return {};
  if (BeginsAs(file.data(), ELFMAG, SELFMAG) || BeginsAs(file.data(), &kFatbinMagic, sizeof(kFatbinMagic))) {
    return ReadImage(file.data());
  }
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  const std::string_view body = text.substr(0, text.find('\0'));
  return {LooksLikePtx(body) ? ImageKind::kPtx : ImageKind::kUnknown, file.first(body.size())};
}

namespace {

constexpr uint32_t kLinkedPtx = SHT_LOUSER + 0x5151;  // type of the one section

}  // namespace

std::vector<std::byte> LinkPtx(std::string_view ptx) {
  Elf64_Ehdr header = {};
  std::copy_n(ELFMAG, SELFMAG, header.e_ident);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_machine = EM_CUDA;
  header.e_shoff = sizeof(header);
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 1;
  Elf64_Shdr section = {};
  section.sh_type = kLinkedPtx;
  section.sh_offset = sizeof(header) + sizeof(section);
  section.sh_size = ptx.size() + 1;  // with the NUL that ends it
  std::vector<std::byte> image(section.sh_offset + section.sh_size);
  std::memcpy(image.data(), &header, sizeof(header));
  std::memcpy(image.data() + sizeof(header), &section, sizeof(section));
  std::memcpy(image.data() + section.sh_offset, ptx.data(), ptx.size());
  return image;
}

const char* LinkedPtx(const void* image) {
  if (!BeginsAs(image, ELFMAG, SELFMAG)) return nullptr;
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof(header));
  if (header.e_machine != EM_CUDA || header.e_shnum != 1 || header.e_shoff != sizeof(header)) return nullptr;
  Elf64_Shdr section;
  std::memcpy(&section, static_cast<const std::byte*>(image) + sizeof(header), sizeof(section));
  if (section.sh_type != kLinkedPtx) return nullptr;
  return static_cast<const char*>(image) + section.sh_offset;
}

}  // namespace halyard::cuda::abi
