// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blob directories: entries outlive processes, and nothing that lies in the folder does harm.
#include "core/executable/blob_directory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__)
#include <sched.h>
#include <sys/mount.h>
#endif

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "base/file/atomic_file.h"
#include "support/temporary_files.h"

namespace halyard::testing {
namespace {

constexpr uint64_t kRoomy = uint64_t{1} << 20;

std::span<const std::byte> Bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

class BlobDirectoryTest : public ::testing::Test {
 protected:
  BlobDirectoryTest() { EXPECT_EQ(directory_.Open(Folder(), kRoomy), kOk) << LastErrorMessage(); }

  std::string Folder() const { return folder_ / "blobs"; }
  std::string Load(std::string_view key) const { return Load(directory_, key); }
  static std::string Load(const BlobDirectory& directory, std::string_view key) {
    HostVector<std::byte> file;
    std::span<const std::byte> blob;
    const Failure failure(directory.Load(key, &file, &blob));
    if (failure) return std::string("status ") + std::to_string(failure.code());
    return {reinterpret_cast<const char*>(blob.data()), blob.size()};
  }
  Status Store(std::string_view key, const std::string& blob) const { return directory_.Store(key, Bytes(blob)); }
  std::vector<std::filesystem::path> Files() const {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(Folder())) files.push_back(entry.path());
    return files;
  }

  const std::string missing_ = "status " + std::to_string(HAL_STATUS_NOT_FOUND);
  const std::string denied_ = "status " + std::to_string(HAL_STATUS_PERMISSION_DENIED);
  const std::string damaged_ = "status " + std::to_string(HAL_STATUS_DATA_LOSS);
  TemporaryFolder folder_;
  BlobDirectory directory_;
};

TEST_F(BlobDirectoryTest, KeepsBlobsForTheNextOpen) {
  EXPECT_EQ(Load("a"), missing_);
  ASSERT_EQ(Store("a", "first"), kOk) << LastErrorMessage();
  ASSERT_EQ(Store("b", ""), kOk) << LastErrorMessage();
  BlobDirectory later;
  ASSERT_EQ(later.Open(Folder() + "//", kRoomy), kOk) << LastErrorMessage();
  EXPECT_EQ(Load(later, "a"), "first");
  EXPECT_EQ(Load(later, "b"), "");
  ASSERT_EQ(Store("a", "second"), kOk);
  EXPECT_EQ(Load(later, "a"), "second");
}

TEST_F(BlobDirectoryTest, MakesFoldersForTheUserAlone) {
  BlobDirectory deep;
  ASSERT_EQ(deep.Open(Folder() + "/x/y/z", kRoomy), kOk) << LastErrorMessage();
  struct stat info = {};
  ASSERT_EQ(stat((Folder() + "/x/y/z").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
}

TEST_F(BlobDirectoryTest, RefusesWhatIsNoFolder) {
  BlobDirectory other;
  EXPECT_EQ(Publish(other.Open(folder_.Write("file", "text"), kRoomy)), HAL_STATUS_INVALID_ARGUMENT);
  EXPECT_FALSE(other.is_open());
}

TEST_F(BlobDirectoryTest, RefusesFolderThatAllUsersMayWriteTo) {
  ASSERT_EQ(chmod(Folder().c_str(), 0777), 0);
  BlobDirectory other;
  EXPECT_EQ(Publish(other.Open(Folder(), kRoomy)), HAL_STATUS_PERMISSION_DENIED);
}

TEST_F(BlobDirectoryTest, RefusesFolderOfAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  ASSERT_EQ(chown(Folder().c_str(), 12345, 12345), 0);
  BlobDirectory other;
  EXPECT_EQ(Publish(other.Open(Folder(), kRoomy)), HAL_STATUS_PERMISSION_DENIED);
}

TEST_F(BlobDirectoryTest, DamagedFilesAreMadeAgain) {
  ASSERT_EQ(Store("a", "first"), kOk);
  std::filesystem::resize_file(Files().front(), 41);
  EXPECT_EQ(Load("a"), damaged_);
  ASSERT_EQ(Store("a", "second"), kOk);
  EXPECT_EQ(Load("a"), "second");
}

TEST_F(BlobDirectoryTest, FileOfAnotherKeyIsNotTaken) {
  ASSERT_EQ(Store("a", "first"), kOk);
  const auto name_of_a = Files().front();
  std::filesystem::rename(name_of_a, Folder() + "/aside");
  ASSERT_EQ(Store("b", "other"), kOk);
  for (const auto& file : Files()) {
    if (file.extension() == ".blob") std::filesystem::rename(file, name_of_a);
  }
  EXPECT_EQ(Load("a"), missing_);
}

TEST_F(BlobDirectoryTest, EvictsTheLeastRecentlyUsedFirst) {
  BlobDirectory small;
  ASSERT_EQ(small.Open(Folder(), 3 * (40 + 1 + 100) + 50), kOk);  // room for three
  const std::string blob(100, 'x');
  for (const char* key : {"a", "b", "c"}) {
    ASSERT_EQ(small.Store(key, Bytes(blob)), kOk);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));  // what the clock of the file system tells apart
  }
  EXPECT_EQ(Load(small, "a"), blob);
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ASSERT_EQ(small.Store("d", Bytes(blob)), kOk);
  EXPECT_EQ(Load(small, "a"), blob);
  EXPECT_EQ(Load(small, "b"), missing_);
  EXPECT_EQ(Load(small, "c"), blob);
  EXPECT_EQ(Load(small, "d"), blob);
}

TEST_F(BlobDirectoryTest, BlobLargerThanTheLimitIsNotKept) {
  BlobDirectory small;
  ASSERT_EQ(small.Open(Folder(), 100), kOk);
  EXPECT_EQ(Publish(small.Store("a", Bytes(std::string(100, 'x')))), HAL_STATUS_RESOURCE_EXHAUSTED);
  EXPECT_TRUE(Files().empty());
}

TEST_F(BlobDirectoryTest, RemovesWhatProcessesThatDiedHaveLeft) {
  const std::string left = folder_.Write("blobs/00.blob.1-1.tmp", "half of");
  const std::string unrelated = folder_.Write("blobs/notes.tmp", "mine");
  const FileDescriptor folder(open(Folder().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  AtomicFile unfinished;
  ASSERT_EQ(unfinished.CreateIn(folder, "01.blob"), kOk);
  ASSERT_EQ(Files().size(), 3u);
  ASSERT_EQ(Store("a", "first"), kOk);
  EXPECT_FALSE(std::filesystem::exists(left));
  EXPECT_TRUE(std::filesystem::exists(unrelated));
  EXPECT_EQ(Files().size(), 3u) << "another writer's file stays";
  EXPECT_EQ(unfinished.Commit(), kOk) << LastErrorMessage();
  EXPECT_TRUE(std::filesystem::exists(folder_ / "blobs/01.blob"));
}

uint64_t SizeOf(const std::vector<std::filesystem::path>& files) {
  uint64_t size = 0;
  for (const auto& file : files) size += std::filesystem::file_size(file);
  return size;
}

// A process is killed in the middle of a file, again and again.
TEST_F(BlobDirectoryTest, UnfinishedFilesCountAgainstTheLimit) {
  constexpr uint64_t kLimit = 100'000;
  BlobDirectory small;
  ASSERT_EQ(small.Open(Folder(), kLimit), kOk);
  const std::string blob(30'000, 'x');
  for (int i = 0; i < 5; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      const FileDescriptor folder(open(Folder().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
      AtomicFile file;
      const bool wrote = Succeeds(file.CreateIn(folder, "02.blob")) && Succeeds(file.Write(Bytes(blob)));
      kill(getpid(), wrote ? SIGKILL : SIGTERM);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  }
  ASSERT_GT(SizeOf(Files()), kLimit);
  ASSERT_EQ(small.Store("a", Bytes(blob)), kOk);
  EXPECT_LE(SizeOf(Files()), kLimit);
  // The file of a writer that lives stays, so blobs make room for it.
  const FileDescriptor folder(open(Folder().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  AtomicFile unfinished;
  ASSERT_EQ(unfinished.CreateIn(folder, "03.blob"), kOk);
  ASSERT_EQ(unfinished.Write(Bytes(std::string(60'000, 'y'))), kOk);
  ASSERT_EQ(small.Store("b", Bytes(blob)), kOk);
  EXPECT_LE(SizeOf(Files()), kLimit);
  EXPECT_EQ(Load(small, "a"), missing_);
  EXPECT_EQ(Load(small, "b"), blob);
}

TEST_F(BlobDirectoryTest, AFolderPutInItsPlaceIsNotSeen) {
  ASSERT_EQ(Store("a", "mine"), kOk);
  {
    BlobDirectory other;
    ASSERT_EQ(other.Open(folder_ / "other", kRoomy), kOk);
    ASSERT_EQ(other.Store("a", Bytes("foreign")), kOk);
    ASSERT_EQ(other.Store("b", Bytes("foreign")), kOk);
  }
  std::filesystem::rename(Folder(), folder_ / "aside");
  std::filesystem::create_directory_symlink(folder_ / "other", Folder());
  EXPECT_EQ(Load("a"), "mine");
  EXPECT_EQ(Load("b"), missing_);
  ASSERT_EQ(Store("c", "mine"), kOk);
  EXPECT_EQ(Files().size(), 2u) << "written into the folder that was opened";
}

TEST_F(BlobDirectoryTest, AFileThatIsALinkIsNotLoaded) {
  ASSERT_EQ(Store("a", "mine"), kOk);
  const std::filesystem::path file = Files().front();
  std::filesystem::rename(file, folder_ / "aside");
  std::filesystem::create_symlink(folder_ / "aside", file);
  EXPECT_EQ(Load("a"), "status " + std::to_string(HAL_STATUS_INVALID_ARGUMENT));
}

TEST_F(BlobDirectoryTest, RefusesFilesThatOthersMayHaveWritten) {
  ASSERT_EQ(chmod(Folder().c_str(), 0770), 0);
  ASSERT_EQ(Store("a", "mine"), kOk);
  EXPECT_EQ(Load("a"), "mine");
  const std::string file = Files().front();
  for (const mode_t mode : {0664, 0646}) {
    ASSERT_EQ(chmod(file.c_str(), mode), 0);
    EXPECT_EQ(Load("a"), denied_) << std::oct << mode;
  }
  ASSERT_EQ(Store("a", "again"), kOk) << "replaces it";
  EXPECT_EQ(Load("a"), "again");
}

TEST_F(BlobDirectoryTest, FilesAreTheOwnersAloneWhateverTheProcessMasks) {
  const mode_t before = umask(0);
  const Status stored = Store("a", "mine");
  umask(before);
  ASSERT_EQ(stored, kOk);
  EXPECT_EQ(Load("a"), "mine");
}

TEST_F(BlobDirectoryTest, TheFolderIsCheckedAtEachLoad) {
  ASSERT_EQ(Store("a", "mine"), kOk);
  ASSERT_EQ(chmod(Folder().c_str(), 0777), 0);
  EXPECT_EQ(Load("a"), denied_);
}

TEST_F(BlobDirectoryTest, RefusesFilesOfAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  ASSERT_EQ(Store("a", "mine"), kOk);
  ASSERT_EQ(chown(Files().front().c_str(), 12345, 12345), 0);
  EXPECT_EQ(Load("a"), denied_);
}

TEST_F(BlobDirectoryTest, RefusesAParentInWhichOthersCouldReplaceIt) {
  ASSERT_EQ(chmod(folder_.path().c_str(), 0777), 0);
  BlobDirectory other;
  EXPECT_EQ(Publish(other.Open(Folder(), kRoomy)), HAL_STATUS_PERMISSION_DENIED);
  EXPECT_NE(LastErrorMessage().find("/..'"), std::string_view::npos) << LastErrorMessage();
  ASSERT_EQ(chmod(folder_.path().c_str(), 01777), 0);
  EXPECT_EQ(other.Open(Folder(), kRoomy), kOk) << "as /tmp is";
  if (geteuid() != 0) return;
  ASSERT_EQ(chmod(folder_.path().c_str(), 0755), 0);
  ASSERT_EQ(chown(folder_.path().c_str(), 12345, 12345), 0);
  EXPECT_EQ(Publish(other.Open(Folder(), kRoomy)), HAL_STATUS_PERMISSION_DENIED);
}

#if defined(__linux__)
/// 0 if blobs of a folder that is mounted read-only are loaded; 77 if this user cannot mount.
int UseReadOnly(const std::string& folder) {
  const unsigned long bind = MS_BIND | MS_REMOUNT | MS_RDONLY;
  if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      mount(folder.c_str(), folder.c_str(), nullptr, MS_BIND, nullptr) != 0 ||
      mount("none", folder.c_str(), nullptr, bind, nullptr) != 0) {
    return 77;
  }
  BlobDirectory directory;
  HostVector<std::byte> file;
  std::span<const std::byte> blob;
  if (!Succeeds(directory.Open(folder, kRoomy))) return 1;
  if (!Succeeds(directory.Load("a", &file, &blob))) return 2;
  return Succeeds(directory.Store("b", Bytes("more"))) ? 0 : 3;
}

TEST_F(BlobDirectoryTest, AReadOnlyMountServes) {
  ASSERT_EQ(Store("a", "mine"), kOk);
  const pid_t child = fork();
  if (child == 0) _exit(UseReadOnly(Folder()));
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) GTEST_SKIP() << "this user cannot mount a folder";
  EXPECT_EQ(status, 0) << WEXITSTATUS(status);
  EXPECT_EQ(Files().size(), 1u);
}
#endif

TEST_F(BlobDirectoryTest, FolderThatVanishedCostsNothingButTheBlob) {
  std::filesystem::remove_all(Folder());
  EXPECT_EQ(Load("a"), missing_);
  EXPECT_EQ(Publish(Store("a", "first")), HAL_STATUS_NOT_FOUND);
}

// Writers replace each other's files while readers read: each sees one of the blobs, whole.
TEST_F(BlobDirectoryTest, ThreadsAndProcessesShareIt) {
  const auto work = [this](char letter) {
    int wrong = 0;
    for (int i = 0; i < 50; ++i) {
      const std::string key(1, static_cast<char>('a' + i % 3));
      if (!Succeeds(Store(key, std::string(10000, letter)))) ++wrong;
      const std::string blob = Load(key);
      if (blob.size() != 10000 || blob != std::string(10000, blob.front())) ++wrong;
    }
    return wrong;
  };
  const pid_t child = fork();
  if (child == 0) _exit(work('z') == 0 ? 0 : 1);
  ASSERT_GT(child, 0);
  std::vector<std::thread> threads;
  for (const char letter : {'x', 'y'}) threads.emplace_back([&work, letter] { EXPECT_EQ(work(letter), 0); });
  for (std::thread& thread : threads) thread.join();
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(Files().size(), 3u);
}

TEST_F(BlobDirectoryTest, TheInterfaceLoadsAndStores) {
  const hal_blob_store_t store = directory_.Interface();
  std::string found;
  const auto take = [](void* text, const void* data, size_t size) {
    static_cast<std::string*>(text)->assign(static_cast<const char*>(data), size);
  };
  EXPECT_FALSE(store.load(store.context, hal_string_view("a"), take, &found));
  store.store(store.context, hal_string_view("a"), "blob", 4);
  EXPECT_TRUE(store.load(store.context, hal_string_view("a"), take, &found));
  EXPECT_EQ(found, "blob");
}

}  // namespace
}  // namespace halyard::testing
