// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files: opening them, and queue reads and writes of every kind of file.
#include <fcntl.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/fsuid.h>
#endif

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "cts/cts.h"
#include "cts/elements.h"
#include "cts/parameters.h"
#include "support/temporary_files.h"

namespace halyard::cts {
namespace {

#if defined(_WIN32)
constexpr int kNotInherited = O_NOINHERIT | O_BINARY;
constexpr const char* kNullDevice = "NUL";
int MakePipe(std::array<int, 2>* ends) { return _pipe(ends->data(), 4096, O_BINARY); }
#else
constexpr int kNotInherited = O_CLOEXEC;
constexpr const char* kNullDevice = "/dev/null";
int MakePipe(std::array<int, 2>* ends) { return pipe(ends->data()); }
#endif

constexpr size_t kFileLength = 10'000;
constexpr auto kReadWrite = HAL_FILE_ACCESS_READ | HAL_FILE_ACCESS_WRITE;

enum class Kind { kPath, kMemory, kDescriptor };
std::string NameOf(Kind kind) { return kind == Kind::kPath ? "Path" : kind == Kind::kMemory ? "Memory" : "Descriptor"; }
void PrintTo(Kind kind, std::ostream* out) { *out << NameOf(kind); }
auto Kinds() { return testing::Values(Kind::kPath, Kind::kMemory, Kind::kDescriptor); }

/// What a file is made of: memory, or a file on disk.
class Backing {
 public:
  Backing(Kind kind, const std::vector<uint8_t>& contents) : kind_(kind), memory_(contents) {
    if (kind != Kind::kMemory) disk_.emplace(contents);
  }

  File Open(hal_file_access_t access) {
    File file;
    Check(TryOpen(access, &file), "opening a file");
    return file;
  }
  hal_status_t TryOpen(hal_file_access_t access, File* out) {
    switch (kind_) {
      case Kind::kPath:
        return hal_file_open(View(disk_->path()), access, out->out());
      case Kind::kMemory:
        return hal_file_from_memory(memory_.data(), memory_.size(), access, nullptr, nullptr, out->out());
      case Kind::kDescriptor:
        return hal_file_from_descriptor(disk_->descriptor(), access, out->out());
    }
    return HAL_STATUS_INTERNAL;
  }
  std::vector<uint8_t> Read() const { return disk_ ? disk_->Read() : memory_; }
  const TemporaryFile& disk() const { return *disk_; }

 private:
  Kind kind_;
  std::vector<uint8_t> memory_;
  std::optional<TemporaryFile> disk_;
};

/// Queue reads and writes that are done when they return.
class FileTestBase : public DeviceTest {
 protected:
  hal_status_t Read(const File& file, uint64_t offset, const Ref& target) const {
    const Semaphore done = CreateSemaphore();
    const hal_status_t status = device().QueueRead(kNoWaits, {{done, 1}}, file, offset, target);
    return status == HAL_STATUS_OK ? done.Wait(1) : status;
  }
  hal_status_t Write(const Ref& source, const File& file, uint64_t offset) const {
    const Semaphore done = CreateSemaphore();
    const hal_status_t status = device().QueueWrite(kNoWaits, {{done, 1}}, source, file, offset);
    return status == HAL_STATUS_OK ? done.Wait(1) : status;
  }
};

class FileTest : public FileTestBase, public testing::WithParamInterface<Kind> {
 protected:
  const std::vector<uint8_t> contents_ = MixedBytes(kFileLength);
  Backing backing_{GetParam(), contents_};
};

TEST_P(FileTest, KnowsItsLength) { EXPECT_EQ(hal_file_length(backing_.Open(HAL_FILE_ACCESS_READ)), kFileLength); }

TEST_P(FileTest, IsReadWhole) {
  const Buffer buffer = CreateBuffer(kFileLength);
  ASSERT_OK(Read(backing_.Open(HAL_FILE_ACCESS_READ), 0, buffer));
  EXPECT_TRUE(SameElements(Download<uint8_t>(buffer), contents_));
}

TEST_P(FileTest, IsReadIntoMappableMemory) {
  const Buffer buffer = CreateBuffer(kFileLength, Mappable());
  ASSERT_OK(Read(backing_.Open(HAL_FILE_ACCESS_READ), 0, buffer));
  EXPECT_TRUE(SameElements(Download<uint8_t>(buffer), contents_));
}

TEST_P(FileTest, IsWrittenWhole) {
  const std::vector<uint8_t> fresh = MixedBytes(kFileLength, 2);
  const Buffer buffer = device().CreateBufferOf(fresh);
  ASSERT_OK(Write(buffer, backing_.Open(HAL_FILE_ACCESS_WRITE), 0));
  EXPECT_TRUE(SameElements(backing_.Read(), fresh));
}

TEST_P(FileTest, NothingIsReadOrWrittenForZeroBytes) {
  const File file = backing_.Open(kReadWrite);
  const Buffer buffer = CreateBuffer(16);
  EXPECT_OK(Read(file, 0, Ref(buffer, 0, 0)));
  EXPECT_OK(Read(file, kFileLength, Ref(buffer, 16, 0)));
  EXPECT_OK(Write(Ref(buffer, 0, 0), file, kFileLength));
  EXPECT_TRUE(SameElements(backing_.Read(), contents_));
}

TEST_P(FileTest, SubspanTakesItsOwnRange) {
  const File file = backing_.Open(HAL_FILE_ACCESS_READ);
  const Buffer buffer = device().CreateBufferOf(std::vector<uint8_t>(1000, 0));
  Buffer part;
  ASSERT_OK(hal_buffer_subspan(buffer, 100, 200, part.out()));
  ASSERT_OK(Read(file, 50, part));
  EXPECT_TRUE(SameElements(Download<uint8_t>(buffer, 100, 200), Slice(contents_, 50, 200)));
  EXPECT_EQ(Download<uint8_t>(buffer, 99, 1).front(), 0);
  EXPECT_EQ(Download<uint8_t>(buffer, 300, 1).front(), 0);
}

TEST_P(FileTest, WhatIsWrittenCanBeReadInTheOrderOfTheQueue) {
  const File file = backing_.Open(kReadWrite);
  const Buffer source = device().CreateBufferOf(MixedBytes(1000, 3));
  const Buffer target = CreateBuffer(1000);
  const Semaphore gate = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(device().QueueWrite({{gate, 1}}, {{done, 1}}, source, file, 77));
  ASSERT_OK(device().QueueRead({{done, 1}}, {{done, 2}}, file, 77, target));
  ASSERT_OK(gate.Signal(1));
  ASSERT_OK(done.Wait(2));
  EXPECT_TRUE(SameElements(Download<uint8_t>(target), MixedBytes(1000, 3)));
}

TEST_P(FileTest, SubmittedWorkKeepsIt) {
  const Buffer buffer = CreateBuffer(100);
  const Semaphore gate = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  {
    const File file = backing_.Open(HAL_FILE_ACCESS_READ);
    ASSERT_OK(device().QueueRead({{gate, 1}}, {{done, 1}}, file, 5, buffer));
  }
  ASSERT_OK(gate.Signal(1));
  ASSERT_OK(done.Wait(1));
  EXPECT_TRUE(SameElements(Download<uint8_t>(buffer), Slice(contents_, 5, 100)));
}

TEST_P(FileTest, NothingIsWrittenIfAWaitFails) {
  const File file = backing_.Open(HAL_FILE_ACCESS_WRITE);
  const Semaphore gate = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  ASSERT_OK(device().QueueWrite({{gate, 1}}, {{done, 1}}, CreateBuffer(100), file, 0));
  ASSERT_OK(gate.Fail(HAL_STATUS_ABORTED));
  EXPECT_STATUS(HAL_STATUS_ABORTED, done.Wait(1));
  EXPECT_TRUE(SameElements(backing_.Read(), contents_));
}

TEST_P(FileTest, ManyReadsAtOnce) {
  constexpr uint64_t kReads = 50;
  const File file = backing_.Open(HAL_FILE_ACCESS_READ);
  std::vector<Buffer> buffers;
  std::vector<Semaphore> done;
  for (uint64_t i = 0; i < kReads; ++i) {
    buffers.push_back(CreateBuffer(200));
    done.push_back(CreateSemaphore());
    ASSERT_OK(device().QueueRead(kNoWaits, {{done[i], 1}}, file, i * 199, buffers[i], device().Queue(i)));
  }
  for (uint64_t i = 0; i < kReads; ++i) {
    ASSERT_OK(done[i].Wait(1));
    EXPECT_TRUE(SameElements(Download<uint8_t>(buffers[i]), Slice(contents_, i * 199, 200)));
  }
}

TEST_P(FileTest, ReadingNeedsReadAccess) {
  EXPECT_STATUS(HAL_STATUS_PERMISSION_DENIED, Read(backing_.Open(HAL_FILE_ACCESS_WRITE), 0, CreateBuffer(16)));
}

TEST_P(FileTest, WritingNeedsWriteAccess) {
  EXPECT_STATUS(HAL_STATUS_PERMISSION_DENIED, Write(CreateBuffer(16), backing_.Open(HAL_FILE_ACCESS_READ), 0));
  EXPECT_TRUE(SameElements(backing_.Read(), contents_));
}

TEST_P(FileTest, MeaninglessAccessIsInvalid) {
  File file;
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, backing_.TryOpen(0, &file));
  EXPECT_EQ(file.get(), nullptr);
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, backing_.TryOpen(HAL_FILE_ACCESS_READ | 4, &file));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, backing_.TryOpen(HAL_FILE_ACCESS_READ | UINT64_C(1) << 63, &file));
}

INSTANTIATE_TEST_SUITE_P(Kinds, FileTest, Kinds(), ByNameOf);

// --- Ranges ---

class FileRangeTest : public FileTestBase, public testing::WithParamInterface<std::tuple<Kind, Number>> {
 protected:
  static constexpr uint64_t kLengths[] = {1, 17, 512, 4096, 4999};

  const uint64_t offset_ = std::get<Number>(GetParam());
  const std::vector<uint8_t> contents_ = MixedBytes(kFileLength);
  Backing backing_{std::get<Kind>(GetParam()), contents_};
};

TEST_P(FileRangeTest, ReadTakesTheRangeAndNoMore) {
  const File file = backing_.Open(HAL_FILE_ACCESS_READ);
  for (const uint64_t length : kLengths) {
    const std::vector<uint8_t> old = MixedBytes(length + 8, 2);
    const Buffer buffer = device().CreateBufferOf(old);
    ASSERT_OK(Read(file, offset_, Ref(buffer, 3, length)));
    std::vector<uint8_t> expected = old;
    std::copy_n(contents_.begin() + static_cast<ptrdiff_t>(offset_), length, expected.begin() + 3);
    EXPECT_TRUE(SameElements(Download<uint8_t>(buffer), expected)) << length << " bytes";
  }
}

TEST_P(FileRangeTest, WriteChangesTheRangeAndNoMore) {
  const File file = backing_.Open(kReadWrite);
  std::vector<uint8_t> expected = contents_;
  for (const uint64_t length : kLengths) {
    const std::vector<uint8_t> data = MixedBytes(length + 8, static_cast<uint32_t>(length));
    const Buffer buffer = device().CreateBufferOf(data);
    ASSERT_OK(Write(Ref(buffer, 5, length), file, offset_));
    std::copy_n(data.begin() + 5, length, expected.begin() + static_cast<ptrdiff_t>(offset_));
    EXPECT_TRUE(SameElements(backing_.Read(), expected)) << length << " bytes";
  }
}

INSTANTIATE_TEST_SUITE_P(Ranges, FileRangeTest, testing::Combine(Kinds(), Numbers("At", {0, 1, 511, 512, 4096, 5001})),
                         ByParts);

// --- Files that are larger than what a driver brings to its device at a time ---

class LargeFileTest : public FileTestBase, public testing::WithParamInterface<Kind> {
 protected:
  static constexpr uint64_t kSize = (uint64_t{12} << 20) + 100;  // bytes
  static constexpr uint64_t kPlace = 3;                          // in the buffer
  static constexpr uint64_t kOffset = 37;                        // in the file
  static constexpr uint64_t kRange = kSize - 2 * kOffset;        // bytes

  /// Made quickly: the same bytes again and again, but never at a multiple of a power of two.
  static std::vector<uint8_t> ManyBytes(uint32_t seed) {
    const std::vector<uint8_t> block = MixedBytes(1'000'003, seed);
    std::vector<uint8_t> bytes;
    bytes.reserve(kSize + block.size());
    while (bytes.size() < kSize) bytes.insert(bytes.end(), block.begin(), block.end());
    bytes.resize(kSize);
    return bytes;
  }

  const std::vector<uint8_t> contents_ = ManyBytes(1);
  Backing backing_{GetParam(), contents_};
};

TEST_P(LargeFileTest, IsReadAtOddPlaces) {
  const Buffer buffer = CreateBuffer(kSize);
  ASSERT_OK(Read(backing_.Open(HAL_FILE_ACCESS_READ), kOffset, Ref(buffer, kPlace, kRange)));
  EXPECT_TRUE(SameElements(Download<uint8_t>(buffer, kPlace, kRange), Slice(contents_, kOffset, kRange)));
}

TEST_P(LargeFileTest, IsWrittenAtOddPlaces) {
  const std::vector<uint8_t> fresh = ManyBytes(2);
  const Buffer buffer = device().CreateBufferOf(fresh);
  ASSERT_OK(Write(Ref(buffer, kPlace, kRange), backing_.Open(HAL_FILE_ACCESS_WRITE), kOffset));
  std::vector<uint8_t> expected = contents_;
  std::copy_n(fresh.begin() + kPlace, kRange, expected.begin() + kOffset);
  EXPECT_TRUE(SameElements(backing_.Read(), expected));
}

INSTANTIATE_TEST_SUITE_P(Kinds, LargeFileTest, Kinds(), ByNameOf);

class FileBadRangeTest : public FileTestBase, public testing::WithParamInterface<Kind> {
 protected:
  void ExpectOutOfRange(uint64_t offset, uint64_t length) const {
    const Ref range(buffer_, 0, length);
    EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, Read(file_, offset, range)) << length << " bytes at " << offset;
    EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, Write(range, file_, offset)) << length << " bytes at " << offset;
  }
  void TearDown() override {
    EXPECT_TRUE(SameElements(Download<uint8_t>(buffer_), MixedBytes(2 * kFileLength, 2)));
    EXPECT_TRUE(SameElements(backing_.Read(), MixedBytes(kFileLength))) << "a file is neither changed nor made longer";
    FileTestBase::TearDown();
  }

  Backing backing_{GetParam(), MixedBytes(kFileLength)};
  const File file_ = backing_.Open(kReadWrite);
  const Buffer buffer_ = device().CreateBufferOf(MixedBytes(2 * kFileLength, 2));
};

TEST_P(FileBadRangeTest, TooLongIsOutOfRange) {
  ExpectOutOfRange(0, kFileLength + 1);
  ExpectOutOfRange(0, 2 * kFileLength);
  ExpectOutOfRange(1, kFileLength);
}

TEST_P(FileBadRangeTest, TooFarIsOutOfRange) {
  for (const uint64_t offset :
       {uint64_t{kFileLength}, uint64_t{kFileLength} + 1, uint64_t{INT64_MAX}, UINT64_MAX - 15, UINT64_MAX}) {
    for (const uint64_t length : {1, 16, 100}) ExpectOutOfRange(offset, length);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, FileBadRangeTest, Kinds(), ByNameOf);

// --- Files on disk that change ---

class DiskFileTest : public FileTestBase, public testing::WithParamInterface<Kind> {
 protected:
  Backing backing_{GetParam(), MixedBytes(kFileLength)};
};

TEST_P(DiskFileTest, CutShortAfterItWasOpenedIsDataLoss) {
  const File file = backing_.Open(HAL_FILE_ACCESS_READ);
  backing_.disk().Resize(100);
  EXPECT_STATUS(HAL_STATUS_DATA_LOSS, Read(file, 0, CreateBuffer(200)));
  EXPECT_OK(Read(file, 0, CreateBuffer(100)));
  EXPECT_OK(hal_device_query_health(device()));
}

TEST_P(DiskFileTest, LengthStaysThatOfTheOpening) {
  const File file = backing_.Open(HAL_FILE_ACCESS_READ);
  backing_.disk().Resize(2 * kFileLength);
  EXPECT_EQ(hal_file_length(file), kFileLength);
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, Read(file, kFileLength, CreateBuffer(1)));
}

TEST_P(DiskFileTest, ChangesAreSeenByLaterReads) {
  const File file = backing_.Open(HAL_FILE_ACCESS_READ);
  backing_.disk().Write(MixedBytes(kFileLength, 5));
  const Buffer buffer = CreateBuffer(kFileLength);
  ASSERT_OK(Read(file, 0, buffer));
  EXPECT_TRUE(SameElements(Download<uint8_t>(buffer), MixedBytes(kFileLength, 5)));
}

INSTANTIATE_TEST_SUITE_P(Kinds, DiskFileTest, testing::Values(Kind::kPath, Kind::kDescriptor), ByNameOf);

// --- Paths ---

class FilePathTest : public FileTestBase {
 protected:
  static hal_status_t Open(std::string_view path, hal_file_access_t access, File* out) {
    return hal_file_open(View(path), access, out->out());
  }
};

TEST_F(FilePathTest, MissingFileIsNotFoundAndIsNotMade) {
  const TemporaryFile neighbour;
  const std::string path = neighbour.path() + "-missing";
  File file;
  for (const hal_file_access_t access : {HAL_FILE_ACCESS_READ, HAL_FILE_ACCESS_WRITE, kReadWrite}) {
    EXPECT_STATUS(HAL_STATUS_NOT_FOUND, Open(path, access, &file));
    EXPECT_EQ(file.get(), nullptr);
    EXPECT_THAT(hal_last_error_message(), testing::HasSubstr(path));
    EXPECT_FALSE(std::filesystem::exists(path));
  }
}

TEST_F(FilePathTest, WhatIsNoRegularFileIsInvalid) {
  File file;
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT,
                Open(std::filesystem::temp_directory_path().string(), HAL_FILE_ACCESS_READ, &file));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, Open(kNullDevice, HAL_FILE_ACCESS_READ, &file));
}

/// Root may open everything. While this lives, its thread, and no other, opens files as the user `nobody`.
class WithoutPrivileges {
 public:
#if defined(__linux__)
  WithoutPrivileges() {
    if (geteuid() == 0) setfsuid(kNobody);
  }
  ~WithoutPrivileges() { setfsuid(geteuid()); }
  /// Whether something is forbidden. A process that may not change its user stays root.
  bool Hold() const { return setfsuid(static_cast<uid_t>(-1)) != 0; }
#elif defined(_WIN32)
  bool Hold() const { return true; }  // files that are marked as read-only, for all users
#else
  bool Hold() const { return geteuid() != 0; }
#endif

 private:
  static constexpr unsigned kNobody = 65534;
};

TEST_F(FilePathTest, ForbiddenFileIsPermissionDenied) {
  using std::filesystem::perms;
  const TemporaryFile disk(MixedBytes(10));
  std::filesystem::permissions(disk.path(), perms::owner_read | perms::group_read | perms::others_read);
  const WithoutPrivileges privileges;
  if (!privileges.Hold()) GTEST_SKIP() << "nothing is forbidden to root";
  File file;
  EXPECT_STATUS(HAL_STATUS_PERMISSION_DENIED, Open(disk.path(), HAL_FILE_ACCESS_WRITE, &file));
  EXPECT_OK(Open(disk.path(), HAL_FILE_ACCESS_READ, &file));
}

TEST_F(FilePathTest, PathIsTakenByItsLength) {
  const TemporaryFile disk(MixedBytes(123));
  const std::string longer = disk.path() + "/and more";
  File file;
  ASSERT_OK(Open(std::string_view(longer).substr(0, disk.path().size()), HAL_FILE_ACCESS_READ, &file));
  EXPECT_EQ(hal_file_length(file), 123u);
}

TEST_F(FilePathTest, PathIsUtf8) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / u8"Gr\u00f6\u00dfe \u03a9 \u8a08\u7b97.bin";
  std::ofstream(path, std::ios::binary) << "0123456789";
  const std::u8string name = path.u8string();
  const std::string_view text(reinterpret_cast<const char*>(name.data()), name.size());
  File file;
  ASSERT_OK(Open(text, kReadWrite, &file));
  EXPECT_EQ(hal_file_length(file), 10u);
  EXPECT_STATUS(HAL_STATUS_NOT_FOUND, Open(std::string(text) + "-missing", HAL_FILE_ACCESS_READ, &file));
  EXPECT_THAT(hal_last_error_message(), testing::HasSubstr(std::string(text)));
}

TEST_F(FilePathTest, EmptyPathIsRefused) {
  File file;
  EXPECT_NE(Open("", HAL_FILE_ACCESS_READ, &file), HAL_STATUS_OK);
  EXPECT_EQ(file.get(), nullptr);
}

TEST_F(FilePathTest, OpeningForWritingKeepsTheContents) {
  const TemporaryFile disk(MixedBytes(100));
  File file;
  ASSERT_OK(Open(disk.path(), HAL_FILE_ACCESS_WRITE, &file));
  file.reset();
  EXPECT_TRUE(SameElements(disk.Read(), MixedBytes(100)));
}

TEST_F(FilePathTest, EmptyFileIsLegal) {
  const TemporaryFile disk;
  File file;
  ASSERT_OK(Open(disk.path(), kReadWrite, &file));
  EXPECT_EQ(hal_file_length(file), 0u);
  EXPECT_STATUS(HAL_STATUS_OUT_OF_RANGE, Read(file, 0, CreateBuffer(1)));
}

TEST_F(FilePathTest, NullHasNoLength) {
  EXPECT_EQ(hal_file_length(nullptr), 0u);
  hal_file_retain(nullptr);
  hal_file_release(nullptr);
}

// --- Descriptors ---

class FileDescriptorTest : public FileTestBase {};

TEST_F(FileDescriptorTest, PositionStaysAndItIsNotClosed) {
  const TemporaryFile disk(MixedBytes(1000));
  ASSERT_EQ(lseek(disk.descriptor(), 321, SEEK_SET), 321);
  {
    File file;
    ASSERT_OK(hal_file_from_descriptor(disk.descriptor(), kReadWrite, file.out()));
    const Buffer buffer = CreateBuffer(100);
    ASSERT_OK(Read(file, 10, buffer));
    ASSERT_OK(Write(buffer, file, 500));
  }
  EXPECT_EQ(lseek(disk.descriptor(), 0, SEEK_CUR), 321);
  EXPECT_TRUE(SameElements(Slice(disk.Read(), 500, 100), Slice(MixedBytes(1000), 10, 100)));
}

TEST_F(FileDescriptorTest, WhatIsNotOpenIsInvalid) {
  File file;
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, hal_file_from_descriptor(-1, HAL_FILE_ACCESS_READ, file.out()));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, hal_file_from_descriptor(1 << 20, HAL_FILE_ACCESS_READ, file.out()));
  EXPECT_EQ(file.get(), nullptr);
}

TEST_F(FileDescriptorTest, WhatIsNoRegularFileIsInvalid) {
  std::array<int, 2> ends;
  ASSERT_EQ(MakePipe(&ends), 0);
  File file;
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, hal_file_from_descriptor(ends[0], HAL_FILE_ACCESS_READ, file.out()));
  for (const int end : ends) close(end);
}

TEST_F(FileDescriptorTest, AccessThatItWasNotOpenedForIsInvalid) {
  const TemporaryFile disk(MixedBytes(10));
  File file;
  const int reader = open(disk.path().c_str(), O_RDONLY | kNotInherited);
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, hal_file_from_descriptor(reader, HAL_FILE_ACCESS_WRITE, file.out()));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, hal_file_from_descriptor(reader, kReadWrite, file.out()));
  EXPECT_OK(hal_file_from_descriptor(reader, HAL_FILE_ACCESS_READ, file.out()));
  const int writer = open(disk.path().c_str(), O_WRONLY | kNotInherited);
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT, hal_file_from_descriptor(writer, HAL_FILE_ACCESS_READ, file.out()));
  EXPECT_OK(hal_file_from_descriptor(writer, HAL_FILE_ACCESS_WRITE, file.out()));
  file.reset();
  for (const int descriptor : {reader, writer}) close(descriptor);
}

// --- Memory ---

class FileMemoryTest : public FileTestBase {
 protected:
  /// A file of `bytes_`; its release adds to `released_`.
  File FileCounted() {
    void* release = AddCallback([this](hal_status_t, const std::string&) {
      released_.Add();
      return HAL_STATUS_OK;
    });
    File file;
    Check(hal_file_from_memory(bytes_.data(), bytes_.size(), kReadWrite, CallRelease, release, file.out()),
          "hal_file_from_memory");
    return file;
  }

  std::vector<uint8_t> bytes_ = MixedBytes(256);
  Counter released_;
};

TEST_F(FileMemoryTest, IsReleasedWithTheLastReference) {
  File first = FileCounted();
  File second = first;
  first.reset();
  EXPECT_EQ(released_.count(), 0u);
  second.reset();
  EXPECT_TRUE(released_.WaitFor(1));
}

TEST_F(FileMemoryTest, IsNotReleasedBeforeTheDeviceIsDone) {
  const Semaphore gate = CreateSemaphore();
  const Semaphore done = CreateSemaphore();
  const Buffer buffer = device().CreateBufferOf(std::vector<uint8_t>(256, 9));
  ASSERT_OK(device().QueueWrite({{gate, 1}}, {{done, 1}}, buffer, FileCounted(), 0));
  EXPECT_EQ(released_.count(), 0u);
  ASSERT_OK(gate.Signal(1));
  ASSERT_OK(done.Wait(1));
  ASSERT_TRUE(released_.WaitFor(1));
  EXPECT_THAT(bytes_, testing::Each(9));
}

TEST_F(FileMemoryTest, RefusedFileIsNotReleased) {
  void* release = AddCallback([](hal_status_t, const std::string&) { return HAL_STATUS_OK; });
  File file;
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT,
                hal_file_from_memory(bytes_.data(), bytes_.size(), 0, CallRelease, release, file.out()));
  EXPECT_STATUS(HAL_STATUS_INVALID_ARGUMENT,
                hal_file_from_memory(nullptr, 16, HAL_FILE_ACCESS_READ, CallRelease, release, file.out()));
  WithdrawCallback(release);  // a failure of the test if it was called
}

TEST_F(FileMemoryTest, MayBeEmpty) {
  File file;
  ASSERT_OK(hal_file_from_memory(nullptr, 0, HAL_FILE_ACCESS_READ, nullptr, nullptr, file.out()));
  EXPECT_EQ(hal_file_length(file), 0u);
}

TEST_F(FileMemoryTest, ServesSeveralDevices) {
  const File file = FileCounted();
  const Device other = OpenSecondDevice();
  const Semaphore done = other.CreateSemaphore();
  const Buffer here = CreateBuffer(256);
  const Buffer there = other.CreateBuffer(256);
  ASSERT_OK(other.QueueRead(kNoWaits, {{done, 1}}, file, 0, there));
  ASSERT_OK(Read(file, 0, here));
  ASSERT_OK(done.Wait(1));
  EXPECT_TRUE(SameElements(Download<uint8_t>(here), MixedBytes(256)));
  EXPECT_TRUE(SameElements(other.Download<uint8_t>(there), MixedBytes(256)));
}

}  // namespace
}  // namespace halyard::cts
