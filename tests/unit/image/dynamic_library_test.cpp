// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include "image/shared_object/open_image.h"

#if defined(__linux__)
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#endif

#include <cerrno>
#include <cfenv>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/temporary_files.h"
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
  EXPECT_EQ(Publish(library.Open("libno-such-library.so.7")), HAL_STATUS_NOT_FOUND);
  EXPECT_THAT(LastErrorMessage(), HasSubstr("libno-such-library.so.7"));
}

TEST(DynamicLibrary, OpensBytes) {
  DynamicLibrary library;
  {
    ImageBytes image = ReadTestImage();
    SetAnswer(&image, 42);
    ASSERT_EQ(OpenImage(image, &library), kOk) << LastErrorMessage();
  }
  EXPECT_EQ(AnswerOf(library), 42u) << "the bytes are not needed any more";
}

TEST(DynamicLibrary, RefusedBytesLeaveTheOpenLibraryAlone) {
  DynamicLibrary library;
  ASSERT_EQ(library.Open(testing::kImagePath), kOk);
  EXPECT_EQ(Publish(OpenImage({}, &library)), HAL_STATUS_DATA_LOSS);
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
    EXPECT_EQ(Publish(library.FindVariable(none, &address, &size)), HAL_STATUS_NOT_FOUND) << none;
  }
  for (const char* constant : {"ConstantNumber", "ConstantAddress"}) {
    EXPECT_EQ(Publish(library.FindVariable(constant, &address, &size)), HAL_STATUS_INCOMPATIBLE) << constant;
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
    ASSERT_EQ(OpenImage(image, &libraries[i]), kOk) << LastErrorMessage();
  }
  for (unsigned i = 0; i < kCount; ++i) EXPECT_EQ(AnswerOf(libraries[i]), i);
}

TEST(DynamicLibrary, ReopenedImagesAreNotMixedUp) {
  const ImageBytes plain = ReadTestImage();
  for (unsigned i = 0; i < 200; ++i) {
    ImageBytes image = plain;
    SetAnswer(&image, i);
    DynamicLibrary library;
    ASSERT_EQ(OpenImage(image, &library), kOk);
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
        ASSERT_EQ(OpenImage(image, &library), kOk);
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
  for (DynamicLibrary& library : libraries) ASSERT_EQ(OpenImage(image, &library), kOk);
  EXPECT_EQ(next_descriptor(), before);
}

TEST(DynamicLibrary, LeavesTheFloatingPointStateOfTheThreadAlone) {
  std::thread([] {
    std::fesetround(FE_UPWARD);
    DynamicLibrary library;
    ASSERT_EQ(OpenImage(ReadTestImage(), &library), kOk) << LastErrorMessage();
    EXPECT_EQ(std::fegetround(), FE_UPWARD);
  }).join();
}

#if defined(__linux__) && defined(__x86_64__)
/// Has the system fail calls of this process with an error number, as containers and sandboxes do.
bool FailCalls(long number, int error) {
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(number), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(error)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {std::size(rules), rules};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

constexpr int kNoFilter = 77;

/// The status of opening two images as this process is now; kNoFilter if the system lets none be set.
int OpenWithFailing(long number, int error) {
  if (!FailCalls(number, error)) return kNoFilter;
  const ImageBytes plain = ReadTestImage();
  for (unsigned i = 1; i < 3; ++i) {
    ImageBytes image = plain;
    SetAnswer(&image, i);
    DynamicLibrary library;
    Publish(FailWith(HAL_STATUS_ABORTED, "before"));
    const Failure failure(OpenImage(image, &library));
    std::fprintf(stderr, "%s\n", failure.message().data());
    if (failure) return failure.code();
    if (AnswerOf(library) != i || LastErrorMessage() != "before") return 99;
  }
  return 0;
}

/// What is in a folder for temporary files afterwards.
class LoadingElsewhere : public ::testing::Test {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    if (OpenInChild(__NR_getppid, ENOSYS) != 0) GTEST_SKIP() << "the system lets a process set no filter";
  }
  int OpenInChild(long number, int error) const {
    const pid_t child = fork();
    if (child == 0) {
      setenv("TMPDIR", folder_.path().c_str(), 1);
      std::_Exit(OpenWithFailing(number, error));
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return 98;
    return WEXITSTATUS(status);
  }
  TemporaryFolder folder_;
};

TEST_F(LoadingElsewhere, WithoutFilesInMemory) {
  for (const int error : {ENOSYS, EPERM, EACCES}) EXPECT_EQ(OpenInChild(__NR_memfd_create, error), 0) << error;
  EXPECT_THAT(folder_.Names(), ::testing::IsEmpty());
}

TEST_F(LoadingElsewhere, WithoutDescriptorsThereIsNoFile) {
  EXPECT_EQ(OpenInChild(__NR_memfd_create, EMFILE), HAL_STATUS_RESOURCE_EXHAUSTED);
}

TEST_F(LoadingElsewhere, WithoutTheFolderProc) {
  // access() is how the driver looks; the loader uses another call.
  EXPECT_EQ(OpenInChild(__NR_access, ENOENT), 0);
  EXPECT_THAT(folder_.Names(), ::testing::IsEmpty());
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HALYARD_SANITIZED  // needs many mappings itself
#endif
#endif
#if !defined(HALYARD_SANITIZED) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/// Takes mappings until the system gives no more, and gives a few back, too few for an image.
void TakeMappings() {
  constexpr size_t kPage = 4096;
  constexpr size_t kPages = size_t{1} << 20;
  auto* const region =
      static_cast<char*>(mmap(nullptr, kPages * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  if (region == MAP_FAILED) std::_Exit(90);
  size_t page = 0;
  while (page < kPages && mprotect(region + page * kPage, kPage, PROT_READ) == 0) page += 2;
  if (page >= kPages) std::_Exit(kNoFilter);
  mprotect(region + (page - 2) * kPage, kPage, PROT_NONE);
}

int OpenWithoutMemory() {
  rlimit none;
  none.rlim_cur = 0;
  none.rlim_max = RLIM_INFINITY;
  setrlimit(RLIMIT_AS, &none);
  DynamicLibrary library;
  return Publish(library.Open(testing::kImagePath));
}

TEST(LoadingAtALimit, OfMappings) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const ImageBytes image = ReadTestImage();
  EXPECT_EXIT(
      {
        TakeMappings();
        DynamicLibrary library;
        const Failure failure(OpenImage(image, &library));
        std::fprintf(stderr, "%s\n", failure.message().data());
        std::_Exit(failure.code());
      },
      [](int status) {
        return ::testing::ExitedWithCode(HAL_STATUS_RESOURCE_EXHAUSTED)(status) ||
               ::testing::ExitedWithCode(kNoFilter)(status);
      },
      "mappings|^$");
}

TEST(LoadingAtALimit, OfMemory) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(std::_Exit(OpenWithoutMemory()), ::testing::ExitedWithCode(HAL_STATUS_RESOURCE_EXHAUSTED), "");
}
#endif
#endif  // __linux__

}  // namespace
}  // namespace halyard
