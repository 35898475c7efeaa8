// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "halyard/executable_cache.h"

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>

#include "base/file/file_contents.h"
#include "core/executable/blob_directory.h"
#include "core/executable/executable_key.h"
#include "core/executable/executable_request.h"
#include "core/public_call.h"
#include "core/validation/checks.h"

struct hal_executable_cache_t {
  hal_object_t object;
};

namespace halyard {
namespace {

constexpr uint64_t kDirectoryLimit = uint64_t{1} << 30;  // bytes, unless the caller says

class ExecutableCache final : public hal_executable_cache_t, public HostObject {
 public:
  explicit ExecutableCache(hal_device_t* device);

  /// Takes the parameters; no other thread knows the cache yet.
  Status Configure(const hal_executable_cache_params_t& params);
  Status Prepare(const hal_executable_params_t* given, hal_executable_t** out_executable);
  void Trim();

 private:
  /// One executable, from when the first thread asks for it. Outlives its place in the map while threads wait for it.
  struct Entry {
    bool ready = false;  // one of the two below is set
    Ref<hal_executable_t> executable;
    Failure failure;
  };
  using EntryPointer = std::shared_ptr<Entry>;

  Status PreparePart(ExecutableParams& params, hal_executable_t** out_executable);
  EntryPointer FindOrAdd(const ExecutableKey& key, bool* out_added);
  Status Make(const ExecutableParams& params, const ExecutableKey& key, Entry& entry);
  Status Take(Entry& entry, hal_executable_t** out_executable);

  Ref<hal_device_t> device_;
  BlobDirectory directory_;  // these two do not change once configured
  BlobStore blobs_;
  std::mutex mutex_;  // protects what follows, entries included; never held while a driver is called
  std::condition_variable ready_;
  HostMap<ExecutableKey, EntryPointer> entries_;
};

constexpr hal_object_vtable_t kTable = {sizeof(hal_object_vtable_t),
                                        DestroyEntry<ExecutableCache, hal_executable_cache_t>};

ExecutableCache::ExecutableCache(hal_device_t* device)
    : hal_executable_cache_t{}, device_(Ref<hal_device_t>::Retaining(device)) {
  hal_object_initialize(&object, HAL_OBJECT_KIND_EXECUTABLE_CACHE, &kTable);
}

Status ExecutableCache::Configure(const hal_executable_cache_params_t& params) {
  const std::string_view directory = View(params.directory);
  if (params.blobs) {
    if (!directory.empty()) {
      return FailWith(HAL_STATUS_INVALID_ARGUMENT, "params->directory and params->blobs are both given");
    }
    return blobs_.Read(params.blobs);
  }
  if (directory.empty()) return kOk;
  if (directory.find('\0') != std::string_view::npos) {
    return FailWith(HAL_STATUS_INVALID_ARGUMENT, "params->directory holds a zero byte");
  }
  const uint64_t limit = params.directory_limit > 0 ? params.directory_limit : kDirectoryLimit;
  if (Status status = directory_.Open(directory, limit); status != kOk) return Annotate(status, "params->directory: ");
  blobs_.Set(directory_.Interface());
  return kOk;
}

/// Replaces a path by the bytes of the file, so that the driver prepares exactly what was hashed.
Status LoadImage(ExecutableParams* params, HostVector<std::byte>* image) {
  if (params->Get().data) return kOk;
  const HostString path(View(params->Get().path));
  HAL_TRY(ReadFile(path.c_str(), image));
  if (image->empty()) return Fail(HAL_STATUS_DATA_LOSS, "'%s' is empty", path.c_str());
  params->SetData(*image);
  return kOk;
}

Status ExecutableCache::Prepare(const hal_executable_params_t* given, hal_executable_t** out_executable) {
  ExecutableRequest request;
  HAL_TRY(request.Read(device_.get(), given));
  return request.Create(
      device_.get(),
      [&](ExecutableParams& params, hal_executable_t** out_part) { return PreparePart(params, out_part); },
      out_executable);
}

Status ExecutableCache::PreparePart(ExecutableParams& params, hal_executable_t** out_executable) {
  if (params.Get().release || params.Get().functions) {
    return FailWith(HAL_STATUS_INVALID_ARGUMENT,
                    "a cache knows executables by what they are made of: create those with params->functions or "
                    "params->release by hal_executable_create()");
  }
  if (blobs_.get()) params.SetDefaultBlobs(blobs_.get());
  HostVector<std::byte> image;
  HAL_TRY(LoadImage(&params, &image));
  const ExecutableKey key = MakeExecutableKey(params);
  bool added = false;
  const EntryPointer entry = FindOrAdd(key, &added);
  if (added) HAL_TRY(Make(params, key, *entry));
  return Take(*entry, out_executable);
}

ExecutableCache::EntryPointer ExecutableCache::FindOrAdd(const ExecutableKey& key, bool* out_added) {
  const std::lock_guard lock(mutex_);
  const auto [place, added] = entries_.try_emplace(key);
  *out_added = added;
  if (!added) return place->second;
  try {
    place->second = std::allocate_shared<Entry>(HostStdAllocator<Entry>());
  } catch (...) {
    entries_.erase(place);
    throw;
  }
  return place->second;
}

/// Prepares an executable and lets waiting threads have it. A failure is told to those who wait already, then
/// forgotten.
Status ExecutableCache::Make(const ExecutableParams& params, const ExecutableKey& key, Entry& entry) {
  Ref<hal_executable_t> made;
  const Status status = Guard([&] { return CreateExecutable(device_.get(), params, made.out()); });
  Failure failure(status.Share());
  {
    const std::lock_guard lock(mutex_);
    entry.ready = true;
    entry.executable = std::move(made);
    entry.failure = std::move(failure);
    if (status != kOk) entries_.erase(key);
  }
  ready_.notify_all();
  return status;
}

/// Waits until an entry is ready and hands out a reference.
Status ExecutableCache::Take(Entry& entry, hal_executable_t** out_executable) {
  std::unique_lock lock(mutex_);
  ready_.wait(lock, [&] { return entry.ready; });
  if (entry.failure) return entry.failure.Share();
  // Under the lock, so that Trim() cannot take the last reference away in between.
  *out_executable = Ref<hal_executable_t>(entry.executable).release();
  return kOk;
}

void ExecutableCache::Trim() {
  HostVector<EntryPointer> dropped;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  for (auto it = entries_.begin(); it != entries_.end();) {
    const Entry& entry = *it->second;
    // No thread can get at an executable whose only reference is the cache's, as that takes the lock.
    const bool unused =
        entry.ready && std::atomic_ref(entry.executable->object.ref_count).load(std::memory_order_acquire) == 1;
    if (unused) dropped.push_back(it->second);
    it = unused ? entries_.erase(it) : std::next(it);
  }
}

Status CreateCache(hal_device_t* device, const hal_executable_cache_params_t* given,
                   hal_executable_cache_t** out_cache) {
  HAL_TRY(CheckNotNull("device", device));
  hal_executable_cache_params_t params = HAL_INIT(hal_executable_cache_params_t);
  if (given) {
    HAL_TRY(ReadStruct("params", given, &params));
    HAL_TRY(CheckText("params->directory", params.directory));
  }
  auto cache = std::make_unique<ExecutableCache>(device);
  HAL_TRY(cache->Configure(params));
  *out_cache = cache.release();
  return kOk;
}

Status PrepareExecutable(hal_executable_cache_t* cache, const hal_executable_params_t* params,
                         hal_executable_t** out_executable) {
  HAL_TRY(CheckNotNull("cache", cache));
  return static_cast<ExecutableCache*>(cache)->Prepare(params, out_executable);
}

Status TrimCache(hal_executable_cache_t* cache) {
  HAL_TRY(CheckNotNull("cache", cache));
  static_cast<ExecutableCache*>(cache)->Trim();
  return kOk;
}

}  // namespace
}  // namespace halyard

hal_status_t hal_executable_cache_create(hal_device_t* device, const hal_executable_cache_params_t* params,
                                         hal_executable_cache_t** out_cache) {
  return halyard::PublicThatGives("out_cache", out_cache,
                                  [&] { return halyard::CreateCache(device, params, out_cache); });
}

void hal_executable_cache_retain(hal_executable_cache_t* cache) { halyard::RetainHandle(cache); }
void hal_executable_cache_release(hal_executable_cache_t* cache) { halyard::ReleaseHandle(cache); }

hal_status_t hal_executable_cache_prepare(hal_executable_cache_t* cache, const hal_executable_params_t* params,
                                          hal_executable_t** out_executable) {
  return halyard::PublicThatGives("out_executable", out_executable,
                                  [&] { return halyard::PrepareExecutable(cache, params, out_executable); });
}

hal_status_t hal_executable_cache_trim(hal_executable_cache_t* cache) {
  return halyard::Public([&] { return halyard::TrimCache(cache); });
}
