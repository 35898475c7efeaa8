// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/shared_object/elf_symbols.h"

#include <gmock/gmock.h>

#include "base/dynamic_library.h"
#include "image/shared_object/open_image.h"
#include "test_image.h"

#if defined(__linux__)

namespace halyard {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ImageBytes;
using ::testing::Not;
using testing::ReadImage;
using ::testing::UnorderedElementsAre;

ImageBytes Incomplete() { return ReadImage(HALYARD_INCOMPLETE_IMAGE); }

// Writes another name of the same length over the first occurrence of one.
void Rename(ImageBytes* image, std::string_view from, std::string_view to) {
  const auto pattern = std::as_bytes(std::span(from));
  const auto found = std::search(image->begin(), image->end(), pattern.begin(), pattern.end());
  ASSERT_NE(found, image->end());
  std::memcpy(&*found, to.data(), to.size());
}

TEST(ElfSymbols, ListsWhatIsExportedAndTaken) {
  const ImageBytes image = Incomplete();
  EXPECT_THAT(FindElfSymbols(image).value_or(ElfNames()), Contains("Sum"));
  EXPECT_THAT(FindElfImports(image).value_or(ElfNames()),
              AllOf(Contains("MissingFunction"), Contains("g_missing_variable"), Contains("tgamma"),
                    Not(Contains("WeakFunction"))));
  EXPECT_THAT(FindElfLibraries(image).value_or(ElfNames()), Contains("libm.so.6"));
}

TEST(ElfSymbols, NothingIsFoundInOtherFiles) {
  EXPECT_FALSE(FindElfSymbols({}));
  EXPECT_FALSE(FindElfLibraries(std::as_bytes(std::span("no ELF file at all, but long enough for a header of one"))));
  EXPECT_TRUE(FindUnresolvedImports({}).empty());
}

TEST(ElfSymbols, AllThatIsMissingIsNamed) {
  const UnresolvedImports missing = FindUnresolvedImports(Incomplete());
  EXPECT_THAT(missing.symbols, UnorderedElementsAre("MissingFunction", "g_missing_variable"));
  EXPECT_TRUE(missing.libraries.empty());
  EXPECT_TRUE(FindUnresolvedImports(testing::ReadTestImage()).empty());
}

TEST(ElfSymbols, MissingLibrariesAreNamed) {
  ImageBytes image = Incomplete();
  Rename(&image, "libm.so.6", "libq.so.6");
  const UnresolvedImports missing = FindUnresolvedImports(image);
  EXPECT_THAT(missing.libraries, ElementsAre("libq.so.6"));
  EXPECT_THAT(UnresolvedText(missing), HasSubstr("needs 'libq.so.6', which cannot be loaded, and calls "));
}

TEST(ElfSymbols, LoadingNamesAllThatIsMissing) {
  DynamicLibrary library;
  EXPECT_EQ(Publish(OpenImage(Incomplete(), &library)), HAL_STATUS_NOT_FOUND);
  EXPECT_THAT(LastErrorMessage(), AllOf(HasSubstr("'MissingFunction'"), HasSubstr("'g_missing_variable'"),
                                        HasSubstr("which nothing provides"), Not(HasSubstr("WeakFunction"))));
}

// Offsets and sizes that lie must not be followed.
TEST(ElfSymbols, AnyByteMayBeWrong) {
  const ImageBytes image = Incomplete();
  for (size_t i = 0; i < image.size(); ++i) {
    ImageBytes changed = image;
    changed[i] = ~changed[i];
    FindElfSymbols(changed);
    FindElfImports(changed);
    FindElfLibraries(changed);
  }
  for (size_t length = 0; length < image.size(); length += 7) {
    const auto cut = std::span(image).first(length);
    FindElfSymbols(cut);
    FindElfLibraries(cut);
  }
}

}  // namespace
}  // namespace halyard

#endif
