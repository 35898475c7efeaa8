// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/backtrace.h"

#include <dlfcn.h>

#if __has_include(<execinfo.h>)
#include <execinfo.h>
#endif

namespace halyard {

size_t ReadBacktrace(std::span<void*> out_addresses) noexcept {
#if __has_include(<execinfo.h>)
  const int count = backtrace(out_addresses.data(), static_cast<int>(out_addresses.size()));
  return count > 0 ? static_cast<size_t>(count) : 0;
#else
  static_cast<void>(out_addresses);
  return 0;
#endif
}

bool FindCodeFile(const void* address, CodeFile* out) noexcept {
  Dl_info info{};
  if (dladdr(address, &info) == 0) return false;
  *out = {info.dli_fname, reinterpret_cast<uintptr_t>(info.dli_fbase)};
  return true;
}

}  // namespace halyard
