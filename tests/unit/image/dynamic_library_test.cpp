// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/shared_object/dynamic_library.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <thread>
#include <utility>
#include <vector>

#include "test_image.h"

namespace halyard {
namespace {

using ::testing::HasSubstr;
using testing::ImageBytes;
using testing::ReadTestImage;
using testing::SetAnswer;

unsigned AnswerOf(const DynamicLibrary& library) {
  const auto function = reinterpret_cast<unsigned (*)()>(library.Find("Answer"));
  return function ? function() : 0;
}

TEST(DynamicLibrary, IsClosedAtFirst) {
  const DynamicLibrary library;
  EXPECT_EQ(library.Find("Answer"), nullptr);
}

TEST(DynamicLibrary, OpensByPath) {
  DynamicLibrary library;
  ASSERT_EQ(library.Open(testing::kImagePath), kOk) << LastErrorMessage();
  EXPECT_EQ(AnswerOf(library), 0x5AFEC0DEu);
  EXPECT_EQ(library.Find("NoSuchFunction"), nullptr);
}

TEST(DynamicLibrary, SaysWhatItCannotOpen) {
  DynamicLibrary library;
  EXPECT_EQ(library.Open("libno-such-library.so.7"), HAL_STATUS_NOT_FOUND);
  EXPECT_THAT(LastErrorMessage(), HasSubstr("libno-such-library.so.7"));
}

TEST(DynamicLibrary, OpensBytes) {
  DynamicLibrary library;
  {
    ImageBytes image = ReadTestImage();
    SetAnswer(&image, 42);
    ASSERT_EQ(library.OpenImage(image), kOk) << LastErrorMessage();
  }
  EXPECT_EQ(AnswerOf(library), 42u) << "the bytes are not needed any more";
}

TEST(DynamicLibrary, RefusedBytesLeaveTheOpenLibraryAlone) {
  DynamicLibrary library;
  ASSERT_EQ(library.Open(testing::kImagePath), kOk);
  EXPECT_EQ(library.OpenImage({}), HAL_STATUS_DATA_LOSS);
  EXPECT_EQ(AnswerOf(library), 0x5AFEC0DEu);
}

TEST(DynamicLibrary, MovesItsLibraryAlong) {
  DynamicLibrary library;
  ASSERT_EQ(library.Open(testing::kImagePath), kOk);
  DynamicLibrary other(std::move(library));
  EXPECT_EQ(AnswerOf(other), 0x5AFEC0DEu);
  DynamicLibrary third;
  third = std::move(other);
  EXPECT_EQ(AnswerOf(third), 0x5AFEC0DEu);
}

TEST(DynamicLibrary, FindsItsOwnVariables) {
  DynamicLibrary library;
  ASSERT_EQ(library.Open(testing::kImagePath), kOk);
  void* address = nullptr;
  uint64_t size = 0;
  ASSERT_EQ(library.FindVariable("Numbers", &address, &size), kOk) << LastErrorMessage();
  EXPECT_EQ(size, 16u);
  EXPECT_EQ(static_cast<unsigned*>(address)[3], 4u);
  for (const char* none : {"Answer", "NoSuchVariable", "environ", "stdout"}) {
    EXPECT_EQ(library.FindVariable(none, &address, &size), HAL_STATUS_NOT_FOUND) << none;
  }
  for (const char* constant : {"ConstantNumber", "ConstantAddress"}) {
    EXPECT_EQ(library.FindVariable(constant, &address, &size), HAL_STATUS_INCOMPATIBLE) << constant;
    EXPECT_THAT(LastErrorMessage(), HasSubstr(constant));
  }
}

// The loader knows libraries by path and file, and both are used again here.
TEST(DynamicLibrary, EveryImageIsItsOwnLibrary) {
  constexpr unsigned kCount = 200;
  const ImageBytes plain = ReadTestImage();
  std::vector<DynamicLibrary> libraries(kCount);
  for (unsigned i = 0; i < kCount; ++i) {
    ImageBytes image = plain;
    SetAnswer(&image, i);
    ASSERT_EQ(libraries[i].OpenImage(image), kOk) << LastErrorMessage();
  }
  for (unsigned i = 0; i < kCount; ++i) EXPECT_EQ(AnswerOf(libraries[i]), i);
}

TEST(DynamicLibrary, ReopenedImagesAreNotMixedUp) {
  const ImageBytes plain = ReadTestImage();
  for (unsigned i = 0; i < 200; ++i) {
    ImageBytes image = plain;
    SetAnswer(&image, i);
    DynamicLibrary library;
    ASSERT_EQ(library.OpenImage(image), kOk);
    ASSERT_EQ(AnswerOf(library), i);
  }
}

TEST(DynamicLibrary, ThreadsOpenImagesAtTheSameTime) {
  const ImageBytes plain = ReadTestImage();
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&plain, thread] {
      for (unsigned i = 0; i < 50; ++i) {
        ImageBytes image = plain;
        SetAnswer(&image, thread * 1000 + i);
        DynamicLibrary library;
        ASSERT_EQ(library.OpenImage(image), kOk);
        ASSERT_EQ(AnswerOf(library), thread * 1000 + i);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(DynamicLibrary, LeavesNoDescriptorBehind) {
  const ImageBytes image = ReadTestImage();
  const auto next_descriptor = [] {
    const int descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
    close(descriptor);
    return descriptor;
  };
  const int before = next_descriptor();
  std::vector<DynamicLibrary> libraries(20);
  for (DynamicLibrary& library : libraries) ASSERT_EQ(library.OpenImage(image), kOk);
  EXPECT_EQ(next_descriptor(), before);
}

}  // namespace
}  // namespace halyard
