// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/environment.h"

#include <unistd.h>

#include <cstdlib>

#if defined(__linux__)
#include <sys/auxv.h>
#endif

namespace halyard {

bool EnvironmentIsForeign() noexcept {
#if defined(__linux__)
  return getauxval(AT_SECURE) != 0;
#else
  return issetugid() != 0;
#endif
}

const char* EnvironmentVariable(const char* name) noexcept {
  if (EnvironmentIsForeign()) return nullptr;
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value && *value ? value : nullptr;
}

}  // namespace halyard
