// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/backtrace.h"

#include <algorithm>
#include <array>

#include "platform/windows/system_headers.h"
#include "platform/windows/wide_text.h"

namespace halyard {

size_t ReadBacktrace(std::span<void*> out_addresses) noexcept {
  const auto most = static_cast<ULONG>(std::min<size_t>(out_addresses.size(), 62));
  return CaptureStackBackTrace(0, most, out_addresses.data(), nullptr);
}

// The path stays until this thread asks for another one's.
bool FindCodeFile(const void* address, CodeFile* out) noexcept {
  static thread_local std::array<char, 1024> path;
  std::array<wchar_t, 512> wide;
  HMODULE module = nullptr;
  constexpr DWORD kHow = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
  if (!GetModuleHandleExW(kHow, static_cast<const wchar_t*>(address), &module)) return false;
  const DWORD length = GetModuleFileNameW(module, wide.data(), static_cast<DWORD>(wide.size()));
  const size_t size = length < wide.size() ? ToUtf8({wide.data(), length}, path) : 0;
  *out = {size > 0 ? path.data() : nullptr, reinterpret_cast<uintptr_t>(module)};
  return true;
}

}  // namespace halyard
