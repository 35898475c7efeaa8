// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/executable/blob_directory.h"

#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <utility>

#include "base/file/atomic_file.h"
#include "base/file/file_contents.h"
#include "base/file/file_owner.h"
#include "base/log.h"
#include "core/executable/blob_file.h"
#include "driver_kit/object/vtable.h"
#include "platform/folder.h"
#include "platform/process.h"

namespace halyard {
namespace {

constexpr std::string_view kSuffix = ".blob";
constexpr std::string_view kTemporarySuffix = ".tmp";

/// One file of the folder.
struct BlobFile {
  HostString name;
  uint64_t size;
  int64_t used;  // as FileFacts::changed
};

Status MakeFolders(const HostString& path) {
  for (size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const HostString part = path.substr(0, end);
    const int error = MakeFolder(part.c_str());
    if (error != 0 && error != EEXIST) return FailWithErrno(error, HostString("cannot make the folder '") + part + "'");
    if (end == HostString::npos) return kOk;
  }
}

/// Whether a file of a folder was left unfinished by AtomicFile.
bool IsUnfinished(std::string_view name) {
  return name.ends_with(kTemporarySuffix) && name.find(kSuffix) != std::string_view::npos;
}

/// All blobs of a folder, and what lives writers have not finished. Removes what processes that died have left.
HostVector<BlobFile> ListBlobs(const FileDescriptor& folder) {
  struct List {
    const FileDescriptor& folder;
    HostVector<BlobFile> blobs;
  } list{folder, {}};
  const auto add = [](void* data, const char* entry, const FileFacts& facts) {
    List& out = *static_cast<List*>(data);
    const std::string_view name = entry;
    if (!facts.is_regular) return;
    const bool is_unfinished = IsUnfinished(name);
    if (!is_unfinished && !name.ends_with(kSuffix)) return;
    if (is_unfinished && AtomicFile::RemoveAbandoned(out.folder, entry)) return;
    out.blobs.push_back({HostString(name), facts.size, facts.changed});
  };
  ListFolder(folder.get(), add, &list);
  return std::move(list.blobs);
}

void LogFailure(std::string_view what, std::string_view key, const Failure& failure) {
  HostString text(what);
  text.append(" '").append(key).append("': ").append(failure.message());
  Log(HAL_LOG_LEVEL_WARNING, text);
}

bool LoadBlob(void* context, hal_string_view_t key, hal_blob_found_fn_t found, void* user_data) {
  HostVector<std::byte> file;
  std::span<const std::byte> blob;
  const Failure failure(
      Guard([&] { return static_cast<const BlobDirectory*>(context)->Load(View(key), &file, &blob); }));
  if (failure.code() == HAL_STATUS_DATA_LOSS) LogFailure("made again, as its file is damaged:", View(key), failure);
  if (failure.code() == HAL_STATUS_PERMISSION_DENIED) {
    LogFailure("made again, as its file is not trusted:", View(key), failure);
  }
  if (!failure) found(user_data, blob.data(), blob.size());
  return !failure;
}

void StoreBlob(void* context, hal_string_view_t key, const void* data, size_t size) {
  const std::span blob(static_cast<const std::byte*>(data), size);
  const Failure failure(Guard([&] { return static_cast<const BlobDirectory*>(context)->Store(View(key), blob); }));
  if (failure) LogFailure("not kept for the next time:", View(key), failure);
}

}  // namespace

Status BlobDirectory::Open(std::string_view path, uint64_t limit) {
  HostString folder(path);
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  HAL_TRY(MakeFolders(folder));
  path_ = std::move(folder);
  limit_ = limit;
  const Status status = OpenFolder(path_);
  if (status != kOk) folder_.Close();
  return status;
}

Status BlobDirectory::OpenFolder(const HostString& path) {
  const int error = folder_.OpenFolder(-1, path.c_str());
  if (error == ENOTDIR) return Fail(HAL_STATUS_INVALID_ARGUMENT, "'%s': not a folder", path.c_str());
  if (error != 0) return FailToUse(error);
  HAL_TRY(CheckFolder());
  HAL_TRY(CheckParents());
  return CheckWritable();
}

Status BlobDirectory::FailToUse(int error) const {
  return FailWithErrno(error, HostString("cannot use '") + path_ + "'");
}

Status BlobDirectory::CheckFolder() const {
  FileFacts facts;
  if (const int error = folder_.ReadFacts(&facts); error != 0) return FailToUse(error);
  if (!IsOwnerTrusted(facts)) return FailOwner(facts, path_);
  if (!facts.others_may_write) return kOk;
  return Fail(HAL_STATUS_PERMISSION_DENIED, "'%s': all users may write there, and what lies there is run",
              path_.c_str());
}

/// A folder around it in which another user could put another folder in its place, before it is opened the next time.
Status BlobDirectory::CheckParents() const {
  FileFacts facts;
  if (const int error = folder_.ReadFacts(&facts); error != 0) return FailToUse(error);
  FileDescriptor parent;
  for (HostString up = "..";; up += "/..") {
    const FileFacts below = facts;
    // Where this user may not look, the search ends.
    if (parent.OpenFolder(parent ? parent.get() : folder_.get(), "..") != 0) return kOk;
    if (parent.ReadFacts(&facts) != 0) return kOk;
    if (facts.device == below.device && facts.number == below.number) return kOk;
    HAL_TRY(CheckParentFolder(facts, path_ + "/" + up));
  }
}

Status BlobDirectory::CheckWritable() {
  const int error = CheckMayWriteIn(folder_.get());
  is_read_only_ = false;
  if (error == 0) return kOk;
  FileFacts facts;
  is_read_only_ = error == EROFS || (folder_.ReadFacts(&facts) == 0 && facts.owner != CurrentUser());
  return is_read_only_ ? kOk : FailWithErrno(error, HostString("cannot write into '") + path_ + "'");
}

namespace {

HostString NameOf(std::string_view key) {
  const XXH128_hash_t hash = XXH3_128bits(key.data(), key.size());
  char name[40];
  std::snprintf(name, sizeof(name), "%016" PRIx64 "%016" PRIx64, hash.high64, hash.low64);
  return name + HostString(kSuffix);
}

Status FailToRead(const HostString& path, int error) {
  return FailWithErrno(error, HostString("cannot read '") + path + "'");
}

/// Members of a group may share a folder; each loads what it wrote itself.
Status CheckBlobFile(const FileDescriptor& file, const HostString& path) {
  FileFacts facts;
  if (const int error = file.ReadFacts(&facts); error != 0) return FailToRead(path, error);
  if (!IsOwnerTrusted(facts)) return FailOwner(facts, path);
  if (!facts.group_may_write && !facts.others_may_write) return kOk;
  return Fail(HAL_STATUS_PERMISSION_DENIED, "'%s': other users may write it, and what it holds is run", path.c_str());
}

}  // namespace

Status BlobDirectory::Load(std::string_view key, HostVector<std::byte>* file,
                           std::span<const std::byte>* out_blob) const {
  HAL_TRY(CheckFolder());
  const HostString name = NameOf(key);
  const HostString path = path_ + "/" + name;
  FileDescriptor opened;
  const int error = opened.Open(folder_.get(), name.c_str(), FileUse::kRead, kOpenNoLinks);
  if (error != 0) return FailToRead(path, error);
  HAL_TRY(CheckBlobFile(opened, path));
  FileReader reader;
  HAL_TRY(reader.Take(std::move(opened), path.c_str(), SpecialFiles::kRefuse));
  HAL_TRY(ReadAll(reader, file));
  if (Status status = ParseBlobFile(*file, key, out_blob); status != kOk) return Annotate(status, "'", path, "': ");
  Touch(folder_.get(), name.c_str());  // used just now; if it fails it goes a little early
  return kOk;
}

Status BlobDirectory::Store(std::string_view key, std::span<const std::byte> blob) const {
  if (is_read_only_) return kOk;
  const uint64_t size = kBlobHeaderSize + key.size() + blob.size();
  if (size > limit_) {
    return Fail(HAL_STATUS_RESOURCE_EXHAUSTED, "the file would have %" PRIu64 " bytes, and all of '%s' %" PRIu64, size,
                path_.c_str(), limit_);
  }
  const HostString name = NameOf(key);
  AtomicFile file;
  HAL_TRY(file.CreateIn(folder_, name.c_str()));
  HAL_TRY(file.Write(MakeBlobHeader(key, blob)));
  HAL_TRY(file.Write(std::as_bytes(std::span(key))));
  HAL_TRY(file.Write(blob));
  HAL_TRY(file.Commit());
  MakeRoom(name);
  return kOk;
}

/// Two processes may remove the same file, or more than needed: that costs time later, not correctness.
void BlobDirectory::MakeRoom(const HostString& newest) const {
  HostVector<BlobFile> blobs = ListBlobs(folder_);
  uint64_t total = 0;
  for (const BlobFile& blob : blobs) total += blob.size;
  if (total <= limit_) return;
  std::ranges::sort(blobs, {}, &BlobFile::used);
  for (const BlobFile& blob : blobs) {
    if (total <= limit_) return;
    if (blob.name == newest || IsUnfinished(blob.name)) continue;
    if (Remove(folder_.get(), blob.name.c_str()) != 0) continue;
    total -= blob.size;
  }
}

hal_blob_store_t BlobDirectory::Interface() { return {sizeof(hal_blob_store_t), this, LoadBlob, StoreBlob}; }

}  // namespace halyard
