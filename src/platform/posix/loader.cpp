// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/loader.h"

#include <dlfcn.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "platform/memory.h"

namespace halyard {
namespace {

// What strerror_r() returns: its result where that is the text (GNU), or a number beside the text in `buffer` (POSIX).
[[maybe_unused]] const char* TextOf(const char* text, const char*) { return text; }
[[maybe_unused]] const char* TextOf(int failed, const char* buffer) { return failed ? "" : buffer; }

// Takes no memory: there may be none left.
bool Says(std::string_view message, int error) {
  std::array<char, 128> buffer = {};
  const std::string_view text = TextOf(strerror_r(error, buffer.data(), buffer.size()), buffer.data());
  return !text.empty() && message.find(text) != std::string_view::npos;
}

/// Whether the process can have a library's mappings: `size` bytes in a dozen parts.
bool CanMap(size_t size) {
  constexpr size_t kParts = 12;
  const size_t page = PageSize();
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
bool IsExhaustion(int error, std::string_view message, size_t size) {
  if (error == ENOMEM || Says(message, ENOMEM) || Says(message, EMFILE) || Says(message, ENFILE)) return true;
  if (message.find("static TLS block") != std::string_view::npos ||
      message.find("out of memory") != std::string_view::npos) {
    return true;
  }
  return !Says(message, ENOENT) && !CanMap(size);
}

}  // namespace

void* OpenLibrary(const char* path, size_t size, LoadFailure* out_failure) noexcept {
  int error = 0;
  for (int i = 0; i < 2; ++i) {
    errno = 0;
    void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    error = errno;
    if (library) return library;
    const char* const message = dlerror();  // which says so once
    out_failure->reason = message ? message : "no reason given";
    if (!Says(out_failure->reason, ENOENT))
      break;  // glibc may say so of an allocation that failed, and the second time it does not
  }
  out_failure->is_exhaustion = IsExhaustion(error, out_failure->reason, size);
  return nullptr;
}

void CloseLibrary(void* library) noexcept { dlclose(library); }

void* FindSymbol(void* library, const char* name) noexcept { return dlsym(library, name); }

void* FindSymbolOfProcess(const char* name) noexcept { return dlsym(RTLD_DEFAULT, name); }

}  // namespace halyard
