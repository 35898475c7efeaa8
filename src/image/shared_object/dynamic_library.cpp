// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/shared_object/dynamic_library.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "base/floating_point.h"
#include "image/shared_object/elf_check.h"
#include "image/shared_object/elf_symbols.h"
#include "image/shared_object/transient_file.h"

namespace halyard {
namespace {

/// What the loader says of the last failure; it says so once.
HostString LoaderMessage() {
  const char* const message = dlerror();
  return message ? message : "no reason given";
}

bool Says(const HostString& message, int error) {
  return message.find(std::generic_category().message(error)) != HostString::npos;
}

/// Whether the process can have a library's mappings: `size` bytes in a dozen parts.
bool CanMap(size_t size) {
  constexpr size_t kParts = 12;
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t length = std::max(size, 2 * kParts * page);
  void* const memory = mmap(nullptr, length, PROT_NONE, MAP_PRIVATE | MAP_ANON, -1, 0);
  if (memory == MAP_FAILED) return false;
  bool can = true;
  for (size_t i = 0; can && i < kParts; ++i) {
    can = mprotect(static_cast<std::byte*>(memory) + (2 * i + 1) * page, page, PROT_READ) == 0;
  }
  munmap(memory, length);
  return can;
}

/// Whether the loader failed for want of memory, mappings or descriptors. Its messages end in the system's text for an
/// error number, or do not tell: "failed to map segment" may be anything. `error` is what errno said, which is seldom
/// the loader's own.
bool IsExhaustion(int error, const HostString& message, size_t size) {
  if (error == ENOMEM || Says(message, ENOMEM) || Says(message, EMFILE) || Says(message, ENFILE)) return true;
  if (message.find("static TLS block") != HostString::npos || message.find("out of memory") != HostString::npos) {
    return true;
  }
  return !Says(message, ENOENT) && !CanMap(size);
}

/// Loads a library of about `size` bytes; RESOURCE_EXHAUSTED, or NOT_FOUND with `*reason`, for the caller to say what
/// it means.
Status Load(const char* path, size_t size, void** out_handle, HostString* reason) {
  const DefaultFloatingPoint floating_point;  // which the library may change
  int error = 0;
  for (int i = 0; i < 2; ++i) {
    errno = 0;
    *out_handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    error = errno;
    if (*out_handle) return kOk;
    *reason = LoaderMessage();
    if (!Says(*reason, ENOENT))
      break;  // glibc may say so of an allocation that failed, and the second time it does not
  }
  if (!IsExhaustion(error, *reason, size)) return HAL_STATUS_NOT_FOUND;
  return Fail(HAL_STATUS_RESOURCE_EXHAUSTED,
              "no memory, no mappings (vm.max_map_count) or no descriptors are left to load '%s': %s", path,
              reason->c_str());
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
  void* handle = nullptr;
  HostString reason;
  constexpr size_t kVendorLibrary = size_t{128} << 20;  // as large as they get
  const Status status = Load(path, kVendorLibrary, &handle, &reason);
  if (status == HAL_STATUS_NOT_FOUND) return Fail(status, "cannot load '%s': %s", path, reason.c_str());
  HAL_TRY(status);
  *this = DynamicLibrary();
  handle_ = handle;
  return kOk;
}

Status DynamicLibrary::OpenImage(std::span<const std::byte> image) {
  HAL_TRY(CheckElfImage(image));
  TransientFile file;
  HAL_TRY(file.Create(image));
  void* handle = nullptr;
  HostString reason;
  const Status status = Load(file.path().c_str(), image.size(), &handle, &reason);
  if (status == HAL_STATUS_NOT_FOUND) return FailToOpen(image, reason);
  HAL_TRY(status);
  *this = DynamicLibrary();
  handle_ = handle;
  return kOk;
}

void* DynamicLibrary::Find(const char* symbol) const { return handle_ ? dlsym(handle_, symbol) : nullptr; }

}  // namespace halyard
