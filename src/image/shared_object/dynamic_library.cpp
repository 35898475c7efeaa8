// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/shared_object/dynamic_library.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "image/shared_object/elf_check.h"
#include "image/shared_object/elf_symbols.h"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace halyard {
namespace {

const char* LoaderMessage() {
  const char* const message = dlerror();
  return message ? message : "no reason given";
}

/// A file that lives only as long as it is being loaded.
class TransientFile {
 public:
  TransientFile() {
#if defined(__linux__)
    descriptor_ = memfd_create("halyard-image", MFD_CLOEXEC);
    WriteUniquePath();
#else
    std::snprintf(path_, sizeof(path_), "/tmp/halyard-image-XXXXXX");
    descriptor_ = mkstemp(path_);
#endif
  }
  ~TransientFile() {
    if (descriptor_ < 0) return;
    close(descriptor_);
#if !defined(__linux__)
    unlink(path_);
#endif
  }
  TransientFile(const TransientFile&) = delete;
  TransientFile& operator=(const TransientFile&) = delete;

  const char* path() const { return path_; }

  Status Write(std::span<const std::byte> bytes) const {
    while (!bytes.empty() && descriptor_ >= 0) {
      const ssize_t written = write(descriptor_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) break;
      bytes = bytes.subspan(static_cast<size_t>(written));
    }
    if (bytes.empty() && descriptor_ >= 0) return kOk;
    return Fail(HAL_STATUS_RESOURCE_EXHAUSTED, "cannot make a temporary file for a shared object image: %s",
                std::strerror(errno));
  }

 private:
#if defined(__linux__)
  // The loader takes a path that it has seen before for the library that it loaded then, and descriptor numbers are
  // used again. So each image gets a spelling of its own: a counter, written in "//" and "/." for its bits.
  void WriteUniquePath() {
    static std::atomic<uint32_t> counter{0};
    std::string_view folder = "/proc/self/fd";
    char* end = std::copy(folder.begin(), folder.end(), path_);
    for (uint32_t bits = counter.fetch_add(1, std::memory_order_relaxed), i = 0; i < 32; ++i, bits >>= 1) {
      *end++ = '/';
      *end++ = (bits & 1) ? '.' : '/';
    }
    std::snprintf(end, sizeof(path_) - static_cast<size_t>(end - path_), "/%d", descriptor_);
  }
#endif

  int descriptor_ = -1;
  char path_[128] = {};
};

/// NULL with `*exhausted` if the loader ran out of memory. Its message does not always say so.
void* Load(const char* path, bool* exhausted) {
  errno = 0;
  void* const handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  *exhausted = !handle && errno == ENOMEM;
  return handle;
}

Status FailExhausted(const char* path) {
  return Fail(HAL_STATUS_RESOURCE_EXHAUSTED, "no memory to load '%s': %s", path, LoaderMessage());
}

/// The loader names the first symbol that is missing, and its message is gone once another library is opened.
Status FailToOpen(std::span<const std::byte> image, const HostString& message) {
  const UnresolvedImports missing = FindUnresolvedImports(image);
  if (!missing.empty()) {
    return Fail(HAL_STATUS_NOT_FOUND, "the shared object %s", UnresolvedText(missing).c_str());
  }
  return Fail(HAL_STATUS_DATA_LOSS, "the image of %zu bytes is not a shared object that this host can load: %s",
              image.size(), message.c_str());
}

}  // namespace

DynamicLibrary::~DynamicLibrary() {
  if (handle_) dlclose(handle_);
}

Status DynamicLibrary::Open(const char* path) {
  bool exhausted = false;
  void* const handle = Load(path, &exhausted);
  if (exhausted) return FailExhausted(path);
  if (!handle) return Fail(HAL_STATUS_NOT_FOUND, "cannot load '%s': %s", path, LoaderMessage());
  *this = DynamicLibrary();
  handle_ = handle;
  return kOk;
}

Status DynamicLibrary::OpenImage(std::span<const std::byte> image) {
  HAL_TRY(CheckElfImage(image));
  const TransientFile file;
  HAL_TRY(file.Write(image));
  bool exhausted = false;
  void* const handle = Load(file.path(), &exhausted);
  if (exhausted) return FailExhausted(file.path());
  if (!handle) return FailToOpen(image, LoaderMessage());
  *this = DynamicLibrary();
  handle_ = handle;
  return kOk;
}

void* DynamicLibrary::Find(const char* symbol) const { return handle_ ? dlsym(handle_, symbol) : nullptr; }

}  // namespace halyard
