// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/program_path.h"

#include <array>

#include "platform/windows/system_headers.h"

namespace halyard {

std::filesystem::path ProgramPath() {
  std::array<wchar_t, 4096> path;
  const DWORD length = GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size()));
  if (length == 0 || length >= path.size()) return {};
  return std::wstring_view(path.data(), length);
}

}  // namespace halyard
