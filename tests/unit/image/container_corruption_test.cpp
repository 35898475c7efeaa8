// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executable files that are damaged, cut short, or lie.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>

#include "container_samples.h"
#include "cts/options.h"
#include "image/halx/container.h"

namespace halyard::testing {
namespace {

// Fields of the tables, in the order of the schema.
enum ExecutableField : unsigned { kVersion, kFileSize, kExports, kVariants };
enum ExportField : unsigned { kName, kWorkgroupSize, kLocalMemorySize, kConstantsSize, kParameters };
enum ParameterField : unsigned { kKind, kOffset, kSize, kSet, kBinding, kAccess };
enum VariantField : unsigned { kFormat, kTarget, kImage, kEntryPoints };

/// Where the images of the sample end and begin, in rising order.
bool InPadding(const Container& container, size_t metadata_end, size_t offset) {
  for (size_t i = 0; i < container.contents().variants.size(); ++i) {
    const ImagePlace& place = container.Place(i);
    if (offset >= place.offset && offset < place.offset + place.size) return false;
  }
  return offset >= metadata_end;
}

/// A copy of the bytes in memory of exactly their size, so that reading past them is seen by address sanitizer.
class ExactCopy {
 public:
  explicit ExactCopy(std::span<const std::byte> bytes) : size_(bytes.size()), memory_(std::malloc(size_ + !size_)) {
    if (size_ > 0) std::memcpy(memory_, bytes.data(), size_);
  }
  ~ExactCopy() { std::free(memory_); }
  ExactCopy(const ExactCopy&) = delete;
  ExactCopy& operator=(const ExactCopy&) = delete;
  std::span<const std::byte> bytes() const { return {static_cast<std::byte*>(memory_), size_}; }

 private:
  size_t size_;
  void* memory_;
};

/// The status of a whole check, images included.
Status CheckWhole(std::span<const std::byte> file) {
  Container container;
  if (Status status = container.Parse(file); status != kOk) return status;
  volatile uint64_t sink = Touch(container);
  (void)sink;
  for (size_t i = 0; i < container.contents().variants.size(); ++i) {
    if (Status status = container.CheckImage(i); status != kOk) return status;
  }
  return kOk;
}

/// Files that are damaged in every place: of kernels and of functions.
class ContainerDamageTest : public ::testing::TestWithParam<ContainerContents (*)()> {
 protected:
  const FileBytes pristine_ = SampleFile(GetParam()());
};

INSTANTIATE_TEST_SUITE_P(Files, ContainerDamageTest, ::testing::Values(&SampleContents, &FunctionContents),
                         [](const auto& each) { return each.index == 0 ? "Kernels" : "Functions"; });

TEST_P(ContainerDamageTest, EveryTruncationIsRefused) {
  const FileBytes& file = pristine_;
  for (size_t size = 0; size < file.size(); ++size) {
    const ExactCopy cut({file.data(), size});
    const Failure failure(CheckWhole(cut.bytes()));
    ASSERT_EQ(failure.code(), HAL_STATUS_DATA_LOSS) << "cut to " << size;
    ASSERT_FALSE(failure.message().empty());
  }
}

TEST(ContainerCorruptionTest, AnythingAppendedIsRefused) {
  FileBytes file = SampleFile();
  file.push_back({});
  EXPECT_TRUE(Refuses(file, HAL_STATUS_DATA_LOSS, "file_size: the file should have 8215 bytes, but has 8216"));
}

TEST_P(ContainerDamageTest, EveryFlippedBitOutsideThePaddingIsFound) {
  const FileBytes& pristine = pristine_;
  FileBytes file = pristine;
  Container sound;
  ASSERT_EQ(sound.Parse(pristine), kOk);
  const size_t metadata_end = MetadataOf(file).size() + 8;
  for (size_t bit = 0; bit < 8 * file.size(); ++bit) {
    file[bit / 8] ^= std::byte{1} << (bit % 8);
    const hal_status_t status = Publish(CheckWhole(file));
    file[bit / 8] = pristine[bit / 8];
    const hal_status_t expected = InPadding(sound, metadata_end, bit / 8) ? HAL_STATUS_OK : HAL_STATUS_DATA_LOSS;
    ASSERT_EQ(status, expected) << "bit " << bit % 8 << " of byte " << bit / 8;
  }
}

/// Which values a byte takes: all of them, under sanitizers each fifth, with the least and the greatest.
constexpr unsigned kStep = cts::kTimeScale == 1 ? 1 : 5;

/// Corrects the hash of a file that was damaged on purpose.
TEST_P(ContainerDamageTest, NoByteOfHashedMetadataCanDoHarm) {
  const FileBytes& pristine = pristine_;
  FileBytes file = pristine;
  const size_t metadata_size = MetadataOf(file).size();
  size_t refused = 0;
  for (size_t at = 4; at < metadata_size; ++at) {
    for (unsigned value = 0; value < 256; value += kStep) {
      file[at] = static_cast<std::byte>(value);
      Rehash(file);
      const Failure failure(CheckWhole(file));
      if (!failure) continue;
      ++refused;
      ASSERT_TRUE(failure.code() == HAL_STATUS_DATA_LOSS || failure.code() == HAL_STATUS_INCOMPATIBLE)
          << failure.message();
      ASSERT_FALSE(failure.message().empty());
    }
    file = pristine;
  }
  EXPECT_GT(refused, metadata_size * 100 / kStep);  // the rest are other names, sizes and the like, and unused bytes
}

TEST_P(ContainerDamageTest, TruncatedMetadataWithARightHashIsRefused) {
  const FileBytes& pristine = pristine_;
  FileBytes whole = pristine;
  const uint32_t size = static_cast<uint32_t>(MetadataOf(whole).size() - 4);
  for (uint32_t cut = 0; cut < size; ++cut) {
    FileBytes file = pristine;
    std::memcpy(file.data(), &cut, sizeof(cut));
    Rehash(file);
    ASSERT_TRUE(Refuses(file, HAL_STATUS_DATA_LOSS, "")) << "cut to " << cut;
  }
}

TEST(ContainerCorruptionTest, SizesOfTheMetadataAreChecked) {
  FileBytes file = SampleFile();
  MetadataPatch patch(file);
  const uint32_t size = patch.Number(0);
  patch.SetNumber(0, (16u << 20) + 1);
  EXPECT_TRUE(Refuses(file, HAL_STATUS_DATA_LOSS, "metadata: 16777217 bytes; at most 16777216 are possible"));
  patch.SetNumber(0, size - 1);
  EXPECT_TRUE(Refuses(file, HAL_STATUS_DATA_LOSS, "bytes and the 4 of their size are no multiple of 8"));
  patch.SetNumber(0, static_cast<uint32_t>(file.size() - 11));
  EXPECT_TRUE(
      Refuses(file, HAL_STATUS_DATA_LOSS, "metadata: its 8204 bytes and their hash exceed the file's 8215 bytes"));
  patch.SetNumber(0, size - 8);
  EXPECT_TRUE(Refuses(file, HAL_STATUS_DATA_LOSS, "do not match their hash"));
}

TEST(ContainerCorruptionTest, AnotherIdentifierIsRefused) {
  FileBytes file = SampleFile();
  file[11] = std::byte{'Y'};
  EXPECT_FALSE(LooksLikeContainer(file));
  EXPECT_TRUE(Refuses(file, HAL_STATUS_DATA_LOSS, "not an executable file (.halx)"));
}

TEST(ContainerCorruptionTest, ADamagedImageIsFoundWhenItIsAskedFor) {
  FileBytes file = SampleFile();
  file.back() ^= std::byte{1};
  Container container;
  ASSERT_EQ(container.Parse(file), kOk);
  EXPECT_EQ(container.CheckImage(0), kOk);
  EXPECT_EQ(Publish(container.CheckImage(2)), HAL_STATUS_DATA_LOSS);
  EXPECT_EQ(LastErrorMessage(), "variants[2].image: its 23 bytes do not match their hash; the file is corrupt");
}

/// A change to the metadata of the sample, and the message that it must lead to.
struct Lie {
  const char* name;
  const char* message;
  std::function<void(MetadataPatch& patch)> tell;
  hal_status_t status = HAL_STATUS_DATA_LOSS;
};

void PrintTo(const Lie& lie, std::ostream* out) { *out << lie.name; }

size_t FirstExport(const MetadataPatch& p) { return p.Element(p.Follow(p.Field(p.Root(), kExports)), 0); }
size_t FirstVariant(const MetadataPatch& p) { return p.Element(p.Follow(p.Field(p.Root(), kVariants)), 0); }
size_t FirstParameter(const MetadataPatch& p) { return p.Element(p.Follow(p.Field(FirstExport(p), kParameters)), 0); }

const Lie kLies[] = {
    {"NewerVersion", "version: the file needs a reader of version 5 of the format; this library has version 4",
     [](MetadataPatch& p) { p.SetNumber(p.Field(p.Root(), kVersion), 5); }, HAL_STATUS_INCOMPATIBLE},
    {"NoVersion", "version: 0 or missing", [](MetadataPatch& p) { p.Remove(p.Root(), kVersion); }},
    {"NoFileSize", "file_size: the file should have 0 bytes", [](MetadataPatch& p) { p.Remove(p.Root(), kFileSize); }},
    {"NoExports", "exports: there are 0", [](MetadataPatch& p) { p.Remove(p.Root(), kExports); }},
    {"NoVariants", "variants: there are 0", [](MetadataPatch& p) { p.Remove(p.Root(), kVariants); }},
    {"NoName", "exports[0].name: is empty", [](MetadataPatch& p) { p.Remove(FirstExport(p), kName); }},
    {"NoWorkgroupSize", "exports[0].workgroup_size: is missing",
     [](MetadataPatch& p) { p.Remove(FirstExport(p), kWorkgroupSize); }},
    {"NoConstantsSize", "exports[0].parameters[0].offset: 0 + size 4 exceeds constants_size, which is 0",
     [](MetadataPatch& p) { p.Remove(FirstExport(p), kConstantsSize); }},
    {"NoConstantSize", "exports[0].parameters[0].size: a constant of 0 bytes",
     [](MetadataPatch& p) { p.SetNumber(p.Field(FirstParameter(p), kSize), 0); }},
    {"NoFormat", "variants[0].format: is empty", [](MetadataPatch& p) { p.Remove(FirstVariant(p), kFormat); }},
    {"NoImage", "variants[0].image: is missing", [](MetadataPatch& p) { p.Remove(FirstVariant(p), kImage); }},
    {"NoEntryPoints", "variants[0].entry_points: there are 0 for 2 exports",
     [](MetadataPatch& p) { p.Remove(FirstVariant(p), kEntryPoints); }},
    {"ListPastEnd", "metadata: its",
     [](MetadataPatch& p) { p.SetNumber(p.Follow(p.Field(p.Root(), kExports)), 1000000); }},
    {"NamePastEnd", "metadata: its",
     [](MetadataPatch& p) { p.SetNumber(p.Follow(p.Field(FirstExport(p), kName)), 9999); }},
    {"NegativeOffset", "metadata: its", [](MetadataPatch& p) { p.SetNumber(p.Field(p.Root(), kExports), UINT32_MAX); }},
    {"Misaligned", "metadata: its",
     [](MetadataPatch& p) { p.SetNumber(p.Field(p.Root(), kExports), p.Number(p.Field(p.Root(), kExports)) + 1); }},
    {"SameTableTwice", "exports[1].name: 'scale' is the name of exports[0] already",
     [](MetadataPatch& p) {
       const size_t list = p.Follow(p.Field(p.Root(), kExports));
       p.SetNumber(list + 8, p.Number(list + 4) - 4);
     }},
};

class ContainerLieTest : public ::testing::TestWithParam<Lie> {};

TEST_P(ContainerLieTest, IsNamedByItsField) {
  FileBytes file = SampleFile();
  MetadataPatch patch(file);
  GetParam().tell(patch);
  Rehash(file);
  EXPECT_TRUE(Refuses(file, GetParam().status, GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(Lies, ContainerLieTest, ::testing::ValuesIn(kLies),
                         [](const auto& each) { return std::string(each.param.name); });

/// A kind or access of one byte, which the FlatBuffers verifier lets pass whatever it is.
TEST(ContainerEnumTest, EveryUnknownValueIsRefused) {
  const FileBytes pristine = SampleFile();
  for (unsigned value = 0; value < 256; ++value) {
    FileBytes file = pristine;
    MetadataPatch patch(file);
    const size_t kind = patch.Field(FirstParameter(patch), kKind);
    file[kind] = static_cast<std::byte>(value);
    Rehash(file);
    if (value > HAL_PARAMETER_KIND_TENSOR_MAP) {
      EXPECT_TRUE(Refuses(file, HAL_STATUS_DATA_LOSS,
                          "exports[0].parameters[0].kind: " + std::to_string(value) + " is unknown"));
    }
  }
}

TEST(ContainerEnumTest, EveryUnknownAccessIsRefused) {
  const FileBytes pristine = SampleFile();
  for (unsigned value = 0; value < 256; ++value) {
    FileBytes file = pristine;
    MetadataPatch patch(file);
    const size_t parameter = patch.Element(patch.Follow(patch.Field(FirstExport(patch), kParameters)), 1);
    file[patch.Field(parameter, kAccess)] = static_cast<std::byte>(value);
    Rehash(file);
    if (value > 2) {
      EXPECT_TRUE(Refuses(file, HAL_STATUS_DATA_LOSS,
                          "exports[0].parameters[1].access: " + std::to_string(value) + " is unknown"));
    }
  }
}

/// What the places of the three images of the sample may not be.
struct WrongPlaces {
  const char* name;
  const char* message;
  ImagePlace places[3];
  uint64_t file_size = 0;
};

void PrintTo(const WrongPlaces& wrong, std::ostream* out) { *out << wrong.name; }

constexpr uint64_t kTail = 3 * kPage + 100;  // the files have 16484 bytes
constexpr ImagePlace kRight[3] = {{kPage, 9, 1, 1}, {2 * kPage, 9, 1, 1}, {3 * kPage, 9, 1, 1}};

const WrongPlaces kWrongPlaces[] = {
    {"PastEnd",
     "variants[1].image: offset 16384 + size 101 exceeds the file's 16484 bytes",
     {kRight[0], {4 * kPage, 101, 1, 1}, kRight[2]}},
    {"BeginsPastEnd",
     "variants[1].image: offset 20480 + size 1 exceeds the file's 16484 bytes",
     {kRight[0], {5 * kPage, 1, 1, 1}, kRight[2]}},
    {"SumWraps",
     "variants[2].image: offset 18446744073709547520 + size 4096 exceeds",
     {kRight[0], kRight[1], {0 - kPage, kPage, 1, 1}}},
    {"HugeSize",
     "variants[0].image: offset 4096 + size 18446744073709551615 exceeds",
     {{kPage, UINT64_MAX, 1, 1}, kRight[1], kRight[2]}},
    {"NoSize", "variants[0].image: size is 0", {{kPage, 0, 1, 1}, kRight[1], kRight[2]}},
    {"InMetadata",
     "variants[0].image: offset 0 lies in the metadata, which ends at",
     {{0, 100, 1, 1}, kRight[1], kRight[2]}},
    {"Misaligned",
     "variants[0].image: offset 4104 is no multiple of 4096",
     {{kPage + 8, 100, 1, 1}, kRight[1], kRight[2]}},
    {"Overlap",
     "variants[1].image: [8192, 8201) overlaps variants[0].image, [4096, 8193)",
     {{kPage, kPage + 1, 1, 1}, kRight[1], kRight[2]}},
    {"Within",
     "variants[0].image: [12288, 12297) overlaps variants[2].image, [4096, 16484)",
     {{3 * kPage, 9, 1, 1}, {3 * kPage, 9, 1, 1}, {kPage, kTail, 1, 1}}},
    {"PartlyTheSame", "overlaps", {{kPage, 9, 1, 1}, {kPage, 10, 1, 1}, kRight[2]}},
    {"FileTooShort",
     "file_size: the file should have 99999 bytes, but has 16484",
     {kRight[0], kRight[1], kRight[2]},
     99999},
    {"FileTooLong",
     "file_size: the file should have 16483 bytes, but has 16484",
     {kRight[0], kRight[1], kRight[2]},
     16483},
};

class ContainerPlacesTest : public ::testing::TestWithParam<WrongPlaces> {};

TEST_P(ContainerPlacesTest, AreRefused) {
  const FileBytes file = LyingFile(SampleContents(), GetParam().places, kTail, GetParam().file_size);
  EXPECT_TRUE(Refuses(file, HAL_STATUS_DATA_LOSS, GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(Wrong, ContainerPlacesTest, ::testing::ValuesIn(kWrongPlaces),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(ContainerPlacesTest, RightPlacesAreAccepted) {
  Container container;
  EXPECT_EQ(container.Parse(LyingFile(SampleContents(), kRight, kTail)), kOk) << LastErrorMessage();
  const ImagePlace shared[3] = {{kPage, kTail, 1, 1}, {kPage, kTail, 1, 1}, {kPage, kTail, 1, 1}};
  EXPECT_EQ(container.Parse(LyingFile(SampleContents(), shared, kTail)), kOk) << LastErrorMessage();
}

TEST(ContainerPlacesTest, ContentsAreCheckedAsWell) {
  ContainerContents contents = SampleContents();
  contents.exports[0].parameters[3].offset = 9;
  EXPECT_TRUE(Refuses(LyingFile(contents, kRight, kTail), HAL_STATUS_DATA_LOSS,
                      "exports[0].parameters[3].offset: 9 + size 8 exceeds constants_size, which is 16"));
}

/// Replaces the parameters of the first export by a list of `count` offsets that all lead to its first parameter.
void ShareParameter(FileBytes& file, uint32_t count) {
  ASSERT_EQ(count % 2, 0u);
  const size_t list = MetadataOf(file).size();  // what is appended begins here
  const size_t table = list + 4 + 4 * count;
  constexpr size_t kTableSize = 20;  // more than it has, so that all is a multiple of 8
  ASSERT_LE(table + kTableSize + 8, kPage);
  const MetadataPatch before(file);
  const size_t parameters = before.Field(FirstExport(before), kParameters);
  const size_t parameter = FirstParameter(before);
  const size_t vtable = parameter - before.Number(parameter);
  std::memcpy(&file[table], &file[parameter], kTableSize);
  const auto size = static_cast<uint32_t>(table + kTableSize - 4);
  std::memcpy(file.data(), &size, sizeof(size));
  MetadataPatch after(file);
  after.SetNumber(table, static_cast<uint32_t>(table - vtable));
  after.SetNumber(list, count);
  for (size_t at = list + 4; at < table; at += 4) after.SetNumber(at, static_cast<uint32_t>(table - at));
  after.SetNumber(parameters, static_cast<uint32_t>(list - parameters));
  Rehash(file);
}

/// Otherwise a small file could take long to read and much memory.
TEST(ContainerCorruptionTest, ListsWhoseElementsAreOneAndTheSameAreRefused) {
  FileBytes file = SampleFile();
  ShareParameter(file, 4);
  Container container;
  ASSERT_EQ(container.Parse(file), kOk) << LastErrorMessage();
  EXPECT_EQ(container.contents().exports[0].parameters.size(), 4u);
  file = SampleFile();
  ShareParameter(file, 600);
  EXPECT_TRUE(Refuses(file, HAL_STATUS_DATA_LOSS, "bytes are no FlatBuffer of an executable"));
}

}  // namespace
}  // namespace halyard::testing
