// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#if defined(__linux__)  // which has <elf.h>
#include "image/shared_object/elf_check.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <link.h>

#include <random>

#include "base/dynamic_library.h"
#include "image/shared_object/open_image.h"
#include "test_image.h"

namespace halyard {
namespace {

using ::testing::HasSubstr;
using testing::ImageBytes;
using testing::Patch;
using testing::ReadTestImage;

using Header = ElfW(Ehdr);
using Segment = ElfW(Phdr);

Header HeaderOf(const ImageBytes& image) {
  Header header;
  std::memcpy(&header, image.data(), sizeof(header));
  return header;
}

/// Where the first segment of a type is described.
size_t OffsetOfSegment(const ImageBytes& image, uint32_t type) {
  const Header header = HeaderOf(image);
  for (size_t i = 0; i < header.e_phnum; ++i) {
    const size_t offset = header.e_phoff + i * sizeof(Segment);
    Segment segment;
    std::memcpy(&segment, image.data() + offset, sizeof(segment));
    if (segment.p_type == type) return offset;
  }
  ADD_FAILURE() << "no segment of type " << type;
  return 0;
}

TEST(ElfCheck, AcceptsASharedObject) { EXPECT_EQ(CheckElfImage(ReadTestImage()), kOk); }

TEST(ElfCheck, RefusesWhatIsNoElf) {
  EXPECT_EQ(Publish(CheckElfImage({})), HAL_STATUS_DATA_LOSS);
  const std::string text(4096, 'x');
  EXPECT_EQ(Publish(CheckElfImage(std::as_bytes(std::span(text)))), HAL_STATUS_DATA_LOSS);
  EXPECT_THAT(LastErrorMessage(), HasSubstr("4096 bytes"));
}

TEST(ElfCheck, RefusesAnotherMachine) {
  ImageBytes image = ReadTestImage();
  Patch<uint16_t>(&image, offsetof(Header, e_machine), EM_S390);
  EXPECT_EQ(Publish(CheckElfImage(image)), HAL_STATUS_INCOMPATIBLE);
  EXPECT_THAT(LastErrorMessage(), HasSubstr("machine 22"));
}

TEST(ElfCheck, RefusesAnotherWordSize) {
  ImageBytes image = ReadTestImage();
  Patch<unsigned char>(&image, EI_CLASS, sizeof(void*) == 8 ? ELFCLASS32 : ELFCLASS64);
  EXPECT_EQ(Publish(CheckElfImage(image)), HAL_STATUS_INCOMPATIBLE);
}

TEST(ElfCheck, RefusesAnObjectFile) {
  ImageBytes image = ReadTestImage();
  Patch<uint16_t>(&image, offsetof(Header, e_type), ET_REL);
  EXPECT_EQ(Publish(CheckElfImage(image)), HAL_STATUS_INCOMPATIBLE);
  EXPECT_THAT(LastErrorMessage(), HasSubstr("-shared"));
}

TEST(ElfCheck, RefusesProgramHeadersOutsideTheImage) {
  const ImageBytes good = ReadTestImage();
  for (const uint64_t offset : {uint64_t{good.size()}, uint64_t{1} << 40, UINT64_MAX - 8}) {
    ImageBytes image = good;
    Patch(&image, offsetof(Header, e_phoff), static_cast<ElfW(Off)>(offset));
    EXPECT_EQ(Publish(CheckElfImage(image)), HAL_STATUS_DATA_LOSS) << offset;
  }
  ImageBytes image = good;
  Patch<uint16_t>(&image, offsetof(Header, e_phnum), UINT16_MAX);
  EXPECT_EQ(Publish(CheckElfImage(image)), HAL_STATUS_DATA_LOSS);
  image = good;
  Patch<uint16_t>(&image, offsetof(Header, e_phentsize), 8);
  EXPECT_EQ(Publish(CheckElfImage(image)), HAL_STATUS_DATA_LOSS);
}

TEST(ElfCheck, RefusesSegmentsOutsideTheImage) {
  const ImageBytes good = ReadTestImage();
  const size_t segment = OffsetOfSegment(good, PT_LOAD);
  ImageBytes image = good;
  Patch<uint64_t>(&image, segment + offsetof(Segment, p_offset), UINT64_MAX - 16);
  EXPECT_EQ(Publish(CheckElfImage(image)), HAL_STATUS_DATA_LOSS);
  image = good;
  Patch<uint64_t>(&image, segment + offsetof(Segment, p_filesz), uint64_t{1} << 50);
  Patch<uint64_t>(&image, segment + offsetof(Segment, p_memsz), uint64_t{1} << 50);
  EXPECT_EQ(Publish(CheckElfImage(image)), HAL_STATUS_DATA_LOSS);
  image = good;
  Patch<uint64_t>(&image, segment + offsetof(Segment, p_memsz), 0);
  EXPECT_EQ(Publish(CheckElfImage(image)), HAL_STATUS_DATA_LOSS);
}

TEST(ElfCheck, RefusesAnImageWithoutDynamicSection) {
  ImageBytes image = ReadTestImage();
  Patch<uint32_t>(&image, OffsetOfSegment(image, PT_DYNAMIC) + offsetof(Segment, p_type), PT_NULL);
  EXPECT_EQ(Publish(CheckElfImage(image)), HAL_STATUS_DATA_LOSS);
  EXPECT_THAT(LastErrorMessage(), HasSubstr("dynamic"));
}

TEST(ElfCheck, RefusesADynamicSectionThatIsNotLoaded) {
  ImageBytes image = ReadTestImage();
  Patch<uint64_t>(&image, OffsetOfSegment(image, PT_DYNAMIC) + offsetof(Segment, p_vaddr), uint64_t{1} << 30);
  EXPECT_EQ(Publish(CheckElfImage(image)), HAL_STATUS_DATA_LOSS);
  EXPECT_THAT(LastErrorMessage(), HasSubstr("dynamic section (address 1073741824)"));
}

TEST(ElfCheck, RefusesOverlappingSegments) {
  ImageBytes image = ReadTestImage();
  Patch<uint64_t>(&image, OffsetOfSegment(image, PT_LOAD) + offsetof(Segment, p_memsz), uint64_t{1} << 30);
  EXPECT_EQ(Publish(CheckElfImage(image)), HAL_STATUS_DATA_LOSS);
  EXPECT_THAT(LastErrorMessage(), HasSubstr("overlaps"));
}

TEST(ElfCheck, RefusesTablesThatAreNotLoaded) {
  const ImageBytes good = ReadTestImage();
  Segment dynamic;
  std::memcpy(&dynamic, good.data() + OffsetOfSegment(good, PT_DYNAMIC), sizeof(dynamic));
  for (size_t at = dynamic.p_offset; at < dynamic.p_offset + dynamic.p_filesz; at += sizeof(ElfW(Dyn))) {
    ElfW(Dyn) entry;
    std::memcpy(&entry, good.data() + at, sizeof(entry));
    if (entry.d_tag != DT_SYMTAB && entry.d_tag != DT_STRTAB && entry.d_tag != DT_GNU_HASH) continue;
    ImageBytes image = good;
    Patch<uint64_t>(&image, at + offsetof(ElfW(Dyn), d_un), uint64_t{1} << 45);
    EXPECT_EQ(Publish(CheckElfImage(image)), HAL_STATUS_DATA_LOSS) << entry.d_tag;
    EXPECT_THAT(LastErrorMessage(), HasSubstr("table"));
  }
}

// Fewer program headers than there are, which leaves parts of the image unloaded, or more, which are none.
TEST(ElfCheck, NumbersOfProgramHeadersThatLieNeverCrashIt) {
  const ImageBytes good = ReadTestImage();
  for (uint16_t count = 0; count < 2048; ++count) {
    ImageBytes image = good;
    Patch(&image, offsetof(Header, e_phnum), count);
    CheckElfImage(image).Ignore();
  }
}

// What the loader needs lies in front of what only debuggers read; an image that lost just that may load.
TEST(ElfCheck, EveryTruncationIsRefusedOrLoads) {
  const ImageBytes image = ReadTestImage();
  const std::span<const std::byte> bytes(image);
  size_t accepted = 0;
  for (size_t length = 0; length < bytes.size(); ++length) {
    const Status status = CheckElfImage(bytes.first(length));
    if (status != kOk) {
      ASSERT_EQ(Publish(status), HAL_STATUS_DATA_LOSS) << length << " bytes";
      ASSERT_EQ(accepted, 0u) << "a longer image was refused after a shorter one was accepted";
      continue;
    }
    if (accepted++ % 64 != 0) continue;
    DynamicLibrary library;
    ASSERT_EQ(OpenImage(bytes.first(length), &library), kOk) << length << " bytes: " << LastErrorMessage();
    EXPECT_NE(library.Find("Answer"), nullptr);
  }
  EXPECT_LT(accepted, image.size() / 2);
}

TEST(ElfCheck, DamagedHeadersNeverCrashIt) {
  const ImageBytes good = ReadTestImage();
  const Header header = HeaderOf(good);
  const size_t headers = header.e_phoff + header.e_phnum * sizeof(Segment);
  std::minstd_rand random(20260731);  // NOLINT: the same damage every time
  for (int round = 0; round < 20'000; ++round) {
    ImageBytes image = good;
    for (int i = 0; i < 4; ++i) image[random() % headers] = static_cast<std::byte>(random());
    CheckElfImage(image).Ignore();
  }
}

}  // namespace
}  // namespace halyard
#endif  // __linux__
