// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/executable/blob_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <ctime>
#include <memory>
#include <tuple>

#include "base/file/atomic_file.h"
#include "base/file/file_contents.h"
#include "base/log.h"
#include "core/executable/blob_file.h"
#include "driver_kit/object/vtable.h"

namespace halyard {
namespace {

constexpr std::string_view kSuffix = ".blob";
constexpr std::string_view kTemporarySuffix = ".tmp";
/// A temporary file of this age was left behind by a process that died.
constexpr time_t kAbandonedSeconds = 3600;

/// One file of the folder.
struct BlobFile {
  HostString path;
  uint64_t size;
  timespec used;

  bool operator<(const BlobFile& other) const {
    return std::tie(used.tv_sec, used.tv_nsec) < std::tie(other.used.tv_sec, other.used.tv_nsec);
  }
};

Status MakeFolders(const HostString& path) {
  for (size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const HostString part = path.substr(0, end);
    if (mkdir(part.c_str(), 0700) != 0 && errno != EEXIST) {
      return FailWithErrno(errno, HostString("cannot make the folder '") + part + "'");
    }
    if (end == HostString::npos) return kOk;
  }
}

bool IsAbandoned(const HostString& name, const struct stat& info) {
  return name.ends_with(kTemporarySuffix) && name.find(kSuffix) != HostString::npos &&
         info.st_mtim.tv_sec + kAbandonedSeconds < time(nullptr);
}

/// All blobs of a folder. Removes what processes that died have left.
HostVector<BlobFile> ListBlobs(const HostString& folder) {
  HostVector<BlobFile> blobs;
  struct Closer {
    void operator()(DIR* directory) const { closedir(directory); }
  };
  const std::unique_ptr<DIR, Closer> directory(opendir(folder.c_str()));
  if (!directory) return blobs;
  while (const dirent* const entry = readdir(directory.get())) {
    const HostString path = folder + "/" + entry->d_name;
    struct stat info = {};
    if (lstat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    if (IsAbandoned(path, info)) {
      unlink(path.c_str());
    } else if (path.ends_with(kSuffix)) {
      blobs.push_back({path, static_cast<uint64_t>(info.st_size), info.st_mtim});
    }
  }
  return blobs;
}

void LogFailure(std::string_view what, std::string_view key) {
  HostString text(what);
  text.append(" '").append(key).append("': ").append(LastErrorMessage());
  Log(HAL_LOG_LEVEL_WARNING, text);
}

bool LoadBlob(void* context, hal_string_view_t key, hal_blob_found_fn_t found, void* user_data) {
  HostVector<std::byte> file;
  std::span<const std::byte> blob;
  const Status status =
      Guard([&] { return static_cast<const BlobDirectory*>(context)->Load(View(key), &file, &blob); });
  if (status == HAL_STATUS_DATA_LOSS) LogFailure("made again, as its file is damaged:", View(key));
  if (status == kOk) found(user_data, blob.data(), blob.size());
  return status == kOk;
}

void StoreBlob(void* context, hal_string_view_t key, const void* data, size_t size) {
  const std::span blob(static_cast<const std::byte*>(data), size);
  const Status status = Guard([&] { return static_cast<const BlobDirectory*>(context)->Store(View(key), blob); });
  if (status != kOk) LogFailure("not kept for the next time:", View(key));
}

}  // namespace

Status BlobDirectory::Open(std::string_view path, uint64_t limit) {
  HostString folder(path);
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  HAL_TRY(MakeFolders(folder));
  path_ = std::move(folder);
  limit_ = limit;
  const Status status = CheckOwner();
  if (status != kOk) path_.clear();
  return status;
}

Status BlobDirectory::CheckOwner() const {
  struct stat info = {};
  if (stat(path_.c_str(), &info) != 0) return FailWithErrno(errno, HostString("cannot use '") + path_ + "'");
  if (!S_ISDIR(info.st_mode)) return Fail(HAL_STATUS_INVALID_ARGUMENT, "'%s': not a folder", path_.c_str());
  if (info.st_uid != geteuid()) {
    return Fail(HAL_STATUS_PERMISSION_DENIED, "'%s': belongs to user %ju, and this process runs as user %ju",
                path_.c_str(), uintmax_t{info.st_uid}, uintmax_t{geteuid()});
  }
  if (info.st_mode & S_IWOTH) {
    return Fail(HAL_STATUS_PERMISSION_DENIED, "'%s': all users may write there, and what lies there is run",
                path_.c_str());
  }
  if (access(path_.c_str(), W_OK | X_OK) == 0) return kOk;
  return FailWithErrno(errno, HostString("cannot write into '") + path_ + "'");
}

HostString BlobDirectory::FileOf(std::string_view key) const {
  const XXH128_hash_t hash = XXH3_128bits(key.data(), key.size());
  char name[40];
  std::snprintf(name, sizeof(name), "/%016" PRIx64 "%016" PRIx64, hash.high64, hash.low64);
  return path_ + name + HostString(kSuffix);
}

Status BlobDirectory::Load(std::string_view key, HostVector<std::byte>* file,
                           std::span<const std::byte>* out_blob) const {
  const HostString path = FileOf(key);
  HAL_TRY(ReadFile(path.c_str(), file));
  if (Status status = ParseBlobFile(*file, key, out_blob); status != kOk) return Annotate(status, "'" + path + "': ");
  utimensat(AT_FDCWD, path.c_str(), nullptr, 0);  // used just now; if it fails it goes a little early
  return kOk;
}

Status BlobDirectory::Store(std::string_view key, std::span<const std::byte> blob) const {
  const uint64_t size = kBlobHeaderSize + key.size() + blob.size();
  if (size > limit_) {
    return Fail(HAL_STATUS_RESOURCE_EXHAUSTED, "the file would have %" PRIu64 " bytes, and all of '%s' %" PRIu64, size,
                path_.c_str(), limit_);
  }
  const HostString path = FileOf(key);
  AtomicFile file;
  HAL_TRY(file.Create(path.c_str()));
  HAL_TRY(file.Write(MakeBlobHeader(key, blob)));
  HAL_TRY(file.Write(std::as_bytes(std::span(key))));
  HAL_TRY(file.Write(blob));
  HAL_TRY(file.Commit());
  MakeRoom(path);
  return kOk;
}

/// Two processes may remove the same file, or more than needed: that costs time later, not correctness.
void BlobDirectory::MakeRoom(const HostString& newest) const {
  HostVector<BlobFile> blobs = ListBlobs(path_);
  uint64_t total = 0;
  for (const BlobFile& blob : blobs) total += blob.size;
  if (total <= limit_) return;
  std::sort(blobs.begin(), blobs.end());
  for (const BlobFile& blob : blobs) {
    if (total <= limit_) return;
    if (blob.path == newest || unlink(blob.path.c_str()) != 0) continue;
    total -= blob.size;
  }
}

hal_blob_store_t BlobDirectory::Interface() { return {sizeof(hal_blob_store_t), this, LoadBlob, StoreBlob}; }

}  // namespace halyard
