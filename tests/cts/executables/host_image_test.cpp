// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared objects of the host as executables: cut short, corrupted, lying, not what they seem. Whatever they are, they
// are refused or they work; and two images that differ never share code.
#if defined(__linux__)  // which has <elf.h>
#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "cts/cts.h"
#include "cts/elements.h"
#include "cts/parameters.h"
#include "support/temporary_files.h"

namespace halyard::cts {
namespace {

using testing::AnyOf;

using Image = std::vector<unsigned char>;

/// Reads or writes a field of the image's ELF header.
template <class T>
T Get(const Image& image, size_t offset) {
  T value;
  std::memcpy(&value, image.data() + offset, sizeof(value));
  return value;
}
template <class T>
void Put(Image* image, size_t offset, T value) {
  std::memcpy(image->data() + offset, &value, sizeof(value));
}
#define HEADER_FIELD(name) offsetof(Elf64_Ehdr, name)

std::vector<Elf64_Phdr> SegmentsOf(const Image& image) {
  const auto header = Get<Elf64_Ehdr>(image, 0);
  std::vector<Elf64_Phdr> segments;
  for (size_t i = 0; i < header.e_phnum; ++i) {
    segments.push_back(Get<Elf64_Phdr>(image, header.e_phoff + i * sizeof(Elf64_Phdr)));
  }
  return segments;
}

/// Bytes at the beginning without which the image cannot be loaded; debug information and the like comes after.
size_t LoadedSize(const Image& image) {
  size_t size = 0;
  for (const Elf64_Phdr& segment : SegmentsOf(image)) {
    if (segment.p_type == PT_LOAD) size = std::max<size_t>(size, segment.p_offset + segment.p_filesz);
  }
  return size;
}

/// The image of set "image", with another mark.
constexpr uint64_t kMark = 0x4A11CE5EC0DEFACE;

Image WithMark(Image image, uint64_t mark) {
  unsigned char bytes[sizeof(kMark)];
  std::memcpy(bytes, &kMark, sizeof(kMark));
  const auto place = std::search(image.begin(), image.end(), std::begin(bytes), std::end(bytes));
  if (place == image.end()) throw std::runtime_error("the image has no mark");
  std::memcpy(&*place, &mark, sizeof(mark));
  if (std::search(place, image.end(), std::begin(bytes), std::end(bytes)) != image.end()) {
    throw std::runtime_error("the image has its mark twice");
  }
  return image;
}

class HostImageTest : public DeviceTest {
 protected:
  void SetUp() override {
    const hal_string_view_t format = View(HAL_EXECUTABLE_FORMAT_HOST_SHARED_OBJECT);
    if (hal_device_query_format(device(), format) != HAL_STATUS_OK || sizeof(void*) != 8) {
      GTEST_SKIP() << "the device takes no 64-bit shared objects of the host";
    }
    source_.emplace(device(), "image");
    image_ = source_->ReadImage();
  }
  hal_status_t Load(const Image& image, Executable* out) const {
    hal_executable_params_t params = source_->params();
    params.path = {nullptr, 0};
    params.data = image.data();
    params.data_size = image.size();
    return hal_executable_create(device(), &params, out->out());
  }
  hal_status_t LoadFile(const std::string& path, Executable* out) const {
    hal_executable_params_t params = source_->params();
    params.path = View(path);
    return hal_executable_create(device(), &params, out->out());
  }
  template <class T>
  T Ask(const Executable& executable, std::string_view kernel) const {
    const Buffer answer = device().CreateBufferOf<T>({0});
    const Semaphore done = CreateSemaphore();
    Check(device().QueueDispatch(kNoWaits, {{done, 1}}, executable, kernel, Dispatch().Bind(answer)), "dispatch");
    Check(done.Wait(1), "dispatch");
    return Download<T>(answer).front();
  }
  uint64_t MarkOf(const Executable& executable) const { return Ask<uint64_t>(executable, "report_mark"); }
  /// Expects that the device still loads what is whole.
  void ExpectUsable() const {
    Executable executable;
    ASSERT_OK(Load(image_, &executable));
    EXPECT_EQ(MarkOf(executable), kMark);
  }

  std::optional<KernelSource> source_;
  Image image_;
};

// --- Cut short ---

/// How much of what must be loaded is there, in thousandths.
class HostImageCutTest : public HostImageTest, public testing::WithParamInterface<Number> {};

TEST_P(HostImageCutTest, IsDataLoss) {
  const size_t size = LoadedSize(image_) * GetParam() / 1000;
  Executable executable;
  EXPECT_STATUS(
      HAL_STATUS_DATA_LOSS,
      Load(Image(image_.begin(), image_.begin() + static_cast<ptrdiff_t>(std::max<size_t>(size, 1))), &executable));
  EXPECT_EQ(executable.get(), nullptr);
  EXPECT_STRNE(hal_last_error_message(), "");
  ExpectUsable();
}

INSTANTIATE_TEST_SUITE_P(Thousandths, HostImageCutTest,
                         Numbers("Have",
                                 {0, 1, 2, 5, 10, 20, 50, 100, 200, 300, 400, 500, 600, 700, 800, 900, 990, 999}),
                         ByNameOf);

TEST_F(HostImageTest, CutInsideTheHeadersIsDataLoss) {
  for (const size_t size : {size_t{3}, size_t{4}, size_t{5}, size_t{16}, size_t{17}, size_t{63}, size_t{64}, size_t{65},
                            size_t{119}, size_t{120}, LoadedSize(image_) - 1}) {
    Executable executable;
    EXPECT_STATUS(HAL_STATUS_DATA_LOSS,
                  Load(Image(image_.begin(), image_.begin() + static_cast<ptrdiff_t>(size)), &executable))
        << size << " bytes";
  }
}

TEST_F(HostImageTest, CutFileIsDataLossToo) {
  const TemporaryFile file(Image(image_.begin(), image_.begin() + static_cast<ptrdiff_t>(LoadedSize(image_) / 2)));
  Executable executable;
  EXPECT_STATUS(HAL_STATUS_DATA_LOSS, LoadFile(file.path(), &executable));
}

// --- Something else ---

struct NoImage {
  const char* name;
  const char* text;
};
void PrintTo(const NoImage& image, std::ostream* out) { *out << image.name; }

class HostNoImageTest : public HostImageTest, public testing::WithParamInterface<NoImage> {};

TEST_P(HostNoImageTest, IsDataLoss) {
  const std::string text = GetParam().text;
  Image image(text.begin(), text.end());
  for (const size_t size : {text.size(), size_t{64}, size_t{10'000}}) {
    image.resize(size, 0);
    Executable executable;
    EXPECT_STATUS(HAL_STATUS_DATA_LOSS, Load(image, &executable)) << size << " bytes";
    const TemporaryFile file(image);
    EXPECT_STATUS(HAL_STATUS_DATA_LOSS, LoadFile(file.path(), &executable)) << size << " bytes";
  }
}

INSTANTIATE_TEST_SUITE_P(Images, HostNoImageTest,
                         testing::Values(NoImage{"Text", "this is no shared object"}, NoImage{"Script", "#!/bin/sh\n"},
                                         NoImage{"WindowsProgram", "MZ\x90"}, NoImage{"Archive", "!<arch>\n"},
                                         NoImage{"MagicAlone",
                                                 "\x7f"
                                                 "ELF"},
                                         NoImage{"Bitcode", "BC\xC0\xDE"}),
                         ByName);

// --- Headers that lie ---

struct Lie {
  const char* name;
  void (*tell)(Image* image);
};
void PrintTo(const Lie& lie, std::ostream* out) { *out << lie.name; }

template <class T>
void Flip(Image* image, size_t offset) {
  Put<T>(image, offset, static_cast<T>(~Get<T>(*image, offset)));
}

const Lie kLies[] = {
    {"OtherMachine", [](Image* i) { Put<uint16_t>(i, HEADER_FIELD(e_machine), EM_S390); }},
    {"NoMachine", [](Image* i) { Put<uint16_t>(i, HEADER_FIELD(e_machine), EM_NONE); }},
    {"Graphics", [](Image* i) { Put<uint16_t>(i, HEADER_FIELD(e_machine), 190); }},
    {"Class32", [](Image* i) { (*i)[EI_CLASS] = ELFCLASS32; }},
    {"NoClass", [](Image* i) { (*i)[EI_CLASS] = ELFCLASSNONE; }},
    {"BigEndian", [](Image* i) { (*i)[EI_DATA] = ELFDATA2MSB; }},
    {"VersionOfIdentification", [](Image* i) { (*i)[EI_VERSION] = 77; }},
    {"VersionOfFile", [](Image* i) { Put<uint32_t>(i, HEADER_FIELD(e_version), 77); }},
    {"Program", [](Image* i) { Put<uint16_t>(i, HEADER_FIELD(e_type), ET_EXEC); }},
    {"ObjectFile", [](Image* i) { Put<uint16_t>(i, HEADER_FIELD(e_type), ET_REL); }},
    {"CoreDump", [](Image* i) { Put<uint16_t>(i, HEADER_FIELD(e_type), ET_CORE); }},
    {"Magic0", [](Image* i) { (*i)[0] = 0; }},
    {"Magic1", [](Image* i) { (*i)[1] = 'e'; }},
    {"Magic3", [](Image* i) { (*i)[3] = 'G'; }},
    {"NoSegments", [](Image* i) { Put<uint16_t>(i, HEADER_FIELD(e_phnum), 0); }},
    {"ManySegments", [](Image* i) { Put<uint16_t>(i, HEADER_FIELD(e_phnum), 0xFFFF); }},
    {"SegmentsAtTheEnd", [](Image* i) { Put<uint64_t>(i, HEADER_FIELD(e_phoff), i->size() - 8); }},
    {"SegmentsFarAway", [](Image* i) { Put<uint64_t>(i, HEADER_FIELD(e_phoff), UINT64_C(1) << 40); }},
    {"SegmentsOverflow", [](Image* i) { Put<uint64_t>(i, HEADER_FIELD(e_phoff), UINT64_MAX - 63); }},
    {"SegmentHeaderSize", [](Image* i) { Put<uint16_t>(i, HEADER_FIELD(e_phentsize), 8); }},
};

class HostImageLieTest : public HostImageTest, public testing::WithParamInterface<Lie> {};

TEST_P(HostImageLieTest, IsFoundOut) {
  GetParam().tell(&image_);
  Executable executable;
  EXPECT_THAT(Load(image_, &executable), AnyOf(HAL_STATUS_DATA_LOSS, HAL_STATUS_INCOMPATIBLE));
  EXPECT_EQ(executable.get(), nullptr);
  EXPECT_STRNE(hal_last_error_message(), "");
  image_ = source_->ReadImage();
  ExpectUsable();
}

INSTANTIATE_TEST_SUITE_P(Lies, HostImageLieTest, testing::ValuesIn(kLies), ByName);

TEST_F(HostImageTest, OtherMachineIsIncompatible) {
  Put<uint16_t>(&image_, HEADER_FIELD(e_machine), EM_S390);
  Executable executable;
  EXPECT_STATUS(HAL_STATUS_INCOMPATIBLE, Load(image_, &executable));
}

/// A field of a segment's header that is set to something impossible.
struct SegmentLie {
  const char* name;
  void (*tell)(Elf64_Phdr* segment, const Image& image);
};
void PrintTo(const SegmentLie& lie, std::ostream* out) { *out << lie.name; }

class HostImageSegmentTest : public HostImageTest, public testing::WithParamInterface<SegmentLie> {};

TEST_P(HostImageSegmentTest, IsFoundOut) {
  const uint64_t table = Get<uint64_t>(image_, HEADER_FIELD(e_phoff));
  const std::vector<Elf64_Phdr> segments = SegmentsOf(image_);
  for (size_t i = 0; i < segments.size(); ++i) {
    if (segments[i].p_type != PT_LOAD) continue;
    Image damaged = image_;
    Elf64_Phdr segment = segments[i];
    GetParam().tell(&segment, image_);
    Put(&damaged, table + i * sizeof(segment), segment);
    Executable executable;
    EXPECT_THAT(Load(damaged, &executable), AnyOf(HAL_STATUS_DATA_LOSS, HAL_STATUS_INCOMPATIBLE)) << "segment " << i;
  }
  ExpectUsable();
}

const SegmentLie kSegmentLies[] = {
    {"BeginsPastTheEnd", [](Elf64_Phdr* s, const Image& i) { s->p_offset += (i.size() + 0xFFFF) & ~UINT64_C(0xFFFF); }},
    {"OffsetIsHuge", [](Elf64_Phdr* s, const Image&) { s->p_offset |= UINT64_C(1) << 62; }},
    {"LongerThanTheFile", [](Elf64_Phdr* s, const Image& i) { s->p_memsz = s->p_filesz = i.size() + 1; }},
    {"LengthIsHuge", [](Elf64_Phdr* s, const Image&) { s->p_memsz = s->p_filesz = UINT64_MAX - s->p_offset; }},
    {"LessInMemoryThanInTheFile", [](Elf64_Phdr* s, const Image&) { s->p_memsz = s->p_filesz - 1; }},
    {"MemoryIsHuge", [](Elf64_Phdr* s, const Image&) { s->p_memsz = UINT64_C(1) << 60; }},
    {"AddressIsHuge", [](Elf64_Phdr* s, const Image&) { s->p_vaddr |= UINT64_C(1) << 60; }},
    {"AlignmentIsOdd", [](Elf64_Phdr* s, const Image&) { s->p_align = 0x1001; }},
    {"AddressAndOffsetDisagree", [](Elf64_Phdr* s, const Image&) { s->p_vaddr += 8; }},
};
INSTANTIATE_TEST_SUITE_P(Lies, HostImageSegmentTest, testing::ValuesIn(kSegmentLies), ByName);

/// Words of the ELF header, each of whose bits is flipped in turn. Not the last one: it counts the program headers, and
/// the system's loader believes it, and with it whatever bytes come after the table.
class HostImageFlipTest : public HostImageTest, public testing::WithParamInterface<int> {};

TEST_P(HostImageFlipTest, IsRefusedOrHarmless) {
  for (int bit = 0; bit < 64; ++bit) {
    Image flipped = image_;
    unsigned char& byte = flipped[static_cast<size_t>(8 * GetParam() + bit / 8)];
    byte = static_cast<unsigned char>(byte ^ 1 << bit % 8);
    Executable executable;
    const hal_status_t status = Load(flipped, &executable);
    EXPECT_THAT(status, AnyOf(HAL_STATUS_OK, HAL_STATUS_DATA_LOSS, HAL_STATUS_INCOMPATIBLE)) << "bit " << bit;
    if (status == HAL_STATUS_OK) {
      EXPECT_EQ(MarkOf(executable), kMark) << "bit " << bit;
    }
  }
  ExpectUsable();
}

INSTANTIATE_TEST_SUITE_P(Word, HostImageFlipTest, testing::Range(0, int{sizeof(Elf64_Ehdr) / 8 - 1}), ByNumber);

// --- Images that differ ---

TEST_F(HostImageTest, EachImageKeepsItsOwnCode) {
  constexpr uint64_t kImages = 40;
  std::vector<Executable> executables(kImages);
  for (uint64_t i = 0; i < kImages; ++i) ASSERT_OK(Load(WithMark(image_, 1000 + i), &executables[i]));
  for (uint64_t i = 0; i < kImages; ++i) EXPECT_EQ(MarkOf(executables[i]), 1000 + i);
  for (uint64_t i = 0; i < kImages; i += 2) executables[i].reset();
  for (uint64_t i = 1; i < kImages; i += 2) EXPECT_EQ(MarkOf(executables[i]), 1000 + i);
}

TEST_F(HostImageTest, LoadedAgainAndAgainItIsAlwaysTheRightOne) {
  for (uint64_t i = 0; i < 50; ++i) {
    Executable executable;
    ASSERT_OK(Load(WithMark(image_, i), &executable));
    ASSERT_EQ(MarkOf(executable), i);
  }
}

TEST_F(HostImageTest, TwoLoadsOfOneImageShareNothing) {
  Executable first;
  Executable second;
  ASSERT_OK(Load(image_, &first));
  ASSERT_OK(Load(image_, &second));
  EXPECT_EQ(Ask<uint32_t>(first, "count_calls"), 1u);
  EXPECT_EQ(Ask<uint32_t>(first, "count_calls"), 2u);
  EXPECT_EQ(Ask<uint32_t>(second, "count_calls"), 1u);
  EXPECT_EQ(Ask<uint32_t>(first, "count_calls"), 3u);
}

TEST_F(HostImageTest, TwoLoadsOfOneFileShareNothing) {
  Executable first;
  Executable second;
  ASSERT_OK(LoadFile(source_->path(), &first));
  ASSERT_OK(LoadFile(source_->path(), &second));
  EXPECT_EQ(Ask<uint32_t>(first, "count_calls"), 1u);
  EXPECT_EQ(Ask<uint32_t>(second, "count_calls"), 1u);
}

// The same path, but not the same file any more: overwritten in place while the first is still loaded.
TEST_F(HostImageTest, FileThatWasOverwrittenGivesTheNewCode) {
  const TemporaryFile file(WithMark(image_, 111));
  Executable before;
  ASSERT_OK(LoadFile(file.path(), &before));
  file.Write(WithMark(image_, 222));
  Executable after;
  ASSERT_OK(LoadFile(file.path(), &after));
  EXPECT_EQ(MarkOf(after), 222u);
  EXPECT_EQ(MarkOf(before), 111u);
}

TEST_F(HostImageTest, FileThatWasCutDoesNotHarmWhatIsLoaded) {
  const TemporaryFile file(WithMark(image_, 333));
  Executable executable;
  ASSERT_OK(LoadFile(file.path(), &executable));
  file.Resize(0);
  EXPECT_EQ(MarkOf(executable), 333u);
}

TEST_F(HostImageTest, ThreadsLoadDifferentImages) {
  OnThreads(4, [&](size_t thread) {
    for (uint64_t i = 0; i < 10; ++i) {
      Executable executable;
      ASSERT_OK(Load(WithMark(image_, 100 * thread + i), &executable));
      EXPECT_EQ(MarkOf(executable), 100 * thread + i);
    }
  });
}

TEST_F(HostImageTest, SubmittedWorkKeepsTheCodeLoaded) {
  const Semaphore gate = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  const Buffer answer = CreateBuffer(8);
  {
    Executable executable;
    ASSERT_OK(Load(WithMark(image_, 444), &executable));
    ASSERT_OK(device().QueueDispatch({{gate, 1}}, {{done, 1}}, executable, "report_mark", Dispatch().Bind(answer)));
  }
  ASSERT_OK(gate.Signal(1));
  ASSERT_OK(done.Wait(1));
  EXPECT_EQ(Download<uint64_t>(answer).front(), 444u);
}

TEST_F(HostImageTest, NeedsAnExportList) {
  hal_executable_params_t params = source_->params();
  params.exports = nullptr;
  params.export_count = 0;
  Executable executable;
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, hal_executable_create(device(), &params, executable.out()));
}

TEST_F(HostImageTest, HasNoSpecialisationConstants) {
  hal_executable_params_t params = source_->params();
  const hal_specialization_t constant = {1, 4, 5};
  params.specializations = &constant;
  params.specialization_count = 1;
  Executable executable;
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, hal_executable_create(device(), &params, executable.out()));
}

}  // namespace
}  // namespace halyard::cts
#endif  // __linux__
