// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is written is what is read.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "container_samples.h"
#include "image/halx/container.h"
#include "image/halx/container_writer.h"
#include "support/temporary_files.h"

namespace halyard::testing {
namespace {

TEST(ContainerRoundTripTest, ReadsWhatWasWritten) {
  const FileBytes file = SampleFile();
  Container container;
  ASSERT_EQ(container.Parse(file), kOk) << LastErrorMessage();
  EXPECT_EQ(container.version(), 1u);
  ExpectSame(container.contents(), SampleContents());
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(container.CheckImage(i), kOk) << LastErrorMessage();
}

TEST(ContainerRoundTripTest, SameContentsGiveSameBytes) {
  const FileBytes file = SampleFile();
  EXPECT_EQ(file, SampleFile());
  Container container;
  ASSERT_EQ(container.Parse(file), kOk);
  EXPECT_EQ(SampleFile(container.contents()), file);
}

TEST(ContainerRoundTripTest, ImagesAreViewsAtPageBoundaries) {
  const FileBytes file = SampleFile();
  Container container;
  ASSERT_EQ(container.Parse(file), kOk);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(container.Place(i).offset % kPage, 0u);
    EXPECT_EQ(container.contents().variants[i].image.data(), file.data() + container.Place(i).offset);
  }
}

TEST(ContainerRoundTripTest, EqualImagesAreStoredOnce) {
  const FileBytes file = SampleFile();
  Container container;
  ASSERT_EQ(container.Parse(file), kOk);
  EXPECT_EQ(container.Place(0).offset, kPage);
  EXPECT_EQ(container.Place(1).offset, 2 * kPage);
  EXPECT_EQ(container.Place(2).offset, 2 * kPage);
  EXPECT_EQ(file.size(), 2 * kPage + container.Place(1).size);
}

TEST(ContainerRoundTripTest, ASymbolThatIsTheNameIsReadAsNone) {
  ContainerContents contents = SampleContents();
  contents.variants[0].entry_points[0].symbol = "scale";
  const FileBytes file = SampleFile(contents);
  EXPECT_EQ(file, SampleFile());
}

TEST(ContainerRoundTripTest, ImagesMayHaveSomeOfTheExports) {
  const FileBytes file = SampleFile(PartialContents());
  Container container;
  ASSERT_EQ(container.Parse(file), kOk) << LastErrorMessage();
  EXPECT_EQ(container.version(), 3u);
  ExpectSame(container.contents(), PartialContents());
}

// Older readers would run the kernel in whichever size their device prefers.
TEST(ContainerRoundTripTest, SubgroupsThatADeviceMustChooseRaiseTheVersion) {
  ContainerContents range = SampleContents(), exact = SampleContents();
  range.variants[1].entry_points[0].launch.min_subgroup_size = 16;
  range.variants[1].entry_points[0].launch.max_subgroup_size = 64;
  exact.variants[1].format = "spirv";
  exact.variants[1].entry_points[0].launch.subgroup_size = 32;
  for (const ContainerContents& contents : {range, exact}) {
    const FileBytes file = SampleFile(contents);
    Container container;
    ASSERT_EQ(container.Parse(file), kOk) << LastErrorMessage();
    EXPECT_EQ(container.version(), 4u);
    ExpectSame(container.contents(), contents);
  }
}

TEST(ContainerRoundTripTest, WhatOlderReadersMayIgnoreRaisesNoVersion) {
  ContainerContents contents = SampleContents();
  contents.exports[0].infos.resize(4, {HAL_STRING_LITERAL("a name"), HAL_ELEMENT_TYPE_F32, HAL_PARAMETER_GUESSED});
  contents.variants[1].entry_points[0].launch.subgroup_size = 32;
  contents.variants[1].entry_points[0].launch.register_count = 255;
  contents.variants[1].entry_points[1].launch.fixed_sides = {0, 4, 1};
  contents.variants[1].entry_points[1].launch.side_constants = {8, 0, 0};
  contents.variants[1].isa_version = 85;
  const FileBytes file = SampleFile(contents);
  Container container;
  ASSERT_EQ(container.Parse(file), kOk) << LastErrorMessage();
  EXPECT_EQ(container.version(), 1u);
  ExpectSame(container.contents(), contents);
}

TEST(ContainerRoundTripTest, WhatOlderReadersMustNotIgnoreRaisesTheVersion) {
  const std::vector<void (*)(ContainerContents&)> changes = {
      [](ContainerContents& c) { c.variants[1].entry_points.pop_back(); },
      [](ContainerContents& c) { c.variants[1].entry_points[0].launch.flags = HAL_EXPORT_COOPERATIVE; },
      [](ContainerContents& c) {
        c.variants[1].entry_points[0].launch.workgroup_size = {0, 1, 1};
      },
      [](ContainerContents& c) {
        c.variants[1].entry_points[0].launch.cluster_size = {2, 1, 1};
      },
      [](ContainerContents& c) { c.variants[1].entry_points[0].launch.dynamic_local_memory_size = 1; },
      [](ContainerContents& c) { c.variants[1].entry_points[0].parameters = c.exports[0].parameters; },
      [](ContainerContents& c) {
        c.exports[0].parameters.back() = hal_parameter_constant(0, 0);
        c.exports[0].parameters.back().kind = HAL_PARAMETER_KIND_NULL;
      },
      [](ContainerContents& c) {
        c.variants[2].format = c.variants[1].format;
        c.variants[2].target = c.variants[1].target;
        c.variants[2].isa_version = 90;
      }};
  for (size_t i = 0; i < changes.size(); ++i) {
    ContainerContents contents = SampleContents();
    changes[i](contents);
    const FileBytes file = SampleFile(contents);
    Container container;
    ASSERT_EQ(container.Parse(file), kOk) << LastErrorMessage();
    EXPECT_EQ(container.version(), 3u) << "change " << i;
  }
}

TEST(ContainerRoundTripTest, BytesMayLieAnywhere) {
  const FileBytes file = SampleFile();
  for (size_t shift = 1; shift < 16; ++shift) {
    FileBytes moved(file.size() + shift);
    std::memcpy(moved.data() + shift, file.data(), file.size());
    Container container;
    ASSERT_EQ(container.Parse(std::span(moved).subspan(shift)), kOk) << LastErrorMessage();
    Container elsewhere(std::move(container));
    ExpectSame(elsewhere.contents(), SampleContents());
  }
}

TEST(ContainerRoundTripTest, ManyExportsAndVariants) {
  std::vector<std::string> names;
  for (int i = 0; i < 3000; ++i) names.push_back("export_" + std::to_string(i));
  ContainerContents contents;
  for (const std::string& name : names) {
    contents.exports.push_back({name, {32, 1, 1}, 0, 8, {hal_parameter_constant(0, 8)}});
  }
  const std::string image(10000, 'i');
  for (int i = 0; i < 20; ++i) {
    const auto entry_points = EntryPointsOf(std::vector<std::string_view>(names.rbegin(), names.rend()));
    contents.variants.push_back({names[i], "", entry_points, std::as_bytes(std::span(image).subspan(i))});
  }
  const FileBytes file = SampleFile(contents);
  Container container;
  ASSERT_EQ(container.Parse(file), kOk) << LastErrorMessage();
  ExpectSame(container.contents(), contents);
}

TEST(ContainerRoundTripTest, AFileIsMappedAsLongAsItsContainerLives) {
  const TemporaryFolder folder;
  const std::string path = folder / "sample.halx";
  ASSERT_EQ(WriteContainer(SampleContents(), path.c_str()), kOk) << LastErrorMessage();
  Container container;
  ASSERT_EQ(container.Open(path.c_str()), kOk) << LastErrorMessage();
  std::filesystem::remove(path);
  const Container moved(std::move(container));
  ExpectSame(moved.contents(), SampleContents());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(moved.contents().variants[1].image.data()) % kPage, 0u);
}

TEST(ContainerRoundTripTest, ABorrowedFileIsReleasedByTheNextOne) {
  const FileBytes file = SampleFile();
  Container container;
  ASSERT_EQ(container.Parse(file), kOk);
  EXPECT_EQ(Publish(container.Parse({})), HAL_STATUS_DATA_LOSS);
  EXPECT_TRUE(container.contents().exports.empty());
  EXPECT_EQ(container.version(), 0u);
}

TEST(ContainerRoundTripTest, FilesThatCannotBeReadAreNamed) {
  const TemporaryFolder folder;
  Container container;
  EXPECT_EQ(Publish(container.Open((folder / "none.halx").c_str())), HAL_STATUS_NOT_FOUND);
  EXPECT_NE(LastErrorMessage().find("none.halx': it cannot be opened: No such file"), std::string_view::npos)
      << LastErrorMessage();
  EXPECT_EQ(Publish(container.Open((folder / "").c_str())), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Publish(container.Open("/dev/null")), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(Publish(container.Open(folder.Write("empty.halx", "").c_str())), HAL_STATUS_DATA_LOSS);
  EXPECT_EQ(Publish(container.Open(folder.Write("text.halx", std::string(100, 'x')).c_str())), HAL_STATUS_DATA_LOSS);
  EXPECT_NE(LastErrorMessage().find("text.halx': not an executable file (.halx)"), std::string_view::npos);
}

}  // namespace
}  // namespace halyard::testing
