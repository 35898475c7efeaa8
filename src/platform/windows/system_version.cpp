// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>

#include "platform/system_facts.h"
#include "platform/windows/system_headers.h"

namespace halyard {

// What the system's own kernel says: GetVersionEx() tells programs what they were made for.
SystemVersion ReadSystemVersion() {
  using Read = LONG(WINAPI*)(OSVERSIONINFOW*);
  SystemVersion version;
  const HMODULE kernel = GetModuleHandleW(L"ntdll.dll");
  const auto read = reinterpret_cast<Read>(reinterpret_cast<void*>(GetProcAddress(kernel, "RtlGetVersion")));
  OSVERSIONINFOW info = {};
  info.dwOSVersionInfoSize = sizeof(info);
  if (!read || read(&info) != 0) return version;
  std::snprintf(version.name.data(), version.name.size(), "Windows");
  std::snprintf(version.version.data(), version.version.size(), "%lu.%lu.%lu", info.dwMajorVersion, info.dwMinorVersion,
                info.dwBuildNumber);
  return version;
}

}  // namespace halyard
