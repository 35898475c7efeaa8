// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/loader.h"

#include <psapi.h>

#include <array>
#include <string_view>

#include "platform/windows/system_headers.h"
#include "platform/windows/wide_text.h"

namespace halyard {
namespace {

bool IsExhaustion(DWORD error) {
  return error == ERROR_NOT_ENOUGH_MEMORY || error == ERROR_OUTOFMEMORY || error == ERROR_COMMITMENT_LIMIT ||
         error == ERROR_TOO_MANY_OPEN_FILES || error == ERROR_NO_SYSTEM_RESOURCES;
}

/// The file of a library that was loaded from memory (src/image/shared_object), which could not go while it was in use;
/// empty for all others.
std::wstring_view TransientFileOf(HMODULE library, std::span<wchar_t> room) {
  const DWORD length = GetModuleFileNameW(library, room.data(), static_cast<DWORD>(room.size()));
  if (length == 0 || length >= room.size()) return {};
  const std::wstring_view path(room.data(), length);
  const size_t name = path.rfind(L'\\');
  const size_t folder = name == 0 || name == path.npos ? path.npos : path.rfind(L'\\', name - 1);
  if (folder == path.npos) return {};
  const bool is_ours = path.substr(folder + 1).starts_with(L"halyard-") && path.substr(name + 1).starts_with(L"image-");
  return is_ours ? path : std::wstring_view();
}

}  // namespace

void* OpenLibrary(const char* path, size_t, LoadFailure* out_failure) noexcept {
  const WidePath wide(path);
  if (!wide) {
    out_failure->reason = "its path is no UTF-8, or there is no memory";
    return nullptr;
  }
  // No box is shown for a library that is missing, or damaged.
  DWORD mode = 0;
  SetThreadErrorMode(SEM_FAILCRITICALERRORS, &mode);
  const HMODULE library = LoadLibraryW(wide.get());
  const DWORD error = library ? 0 : GetLastError();
  SetThreadErrorMode(mode, nullptr);
  if (library) return library;
  *out_failure = {IsExhaustion(error), TextOfError(error)};
  return nullptr;
}

void CloseLibrary(void* library) noexcept {
  std::array<wchar_t, MAX_PATH + 1> room;
  const std::wstring_view transient = TransientFileOf(static_cast<HMODULE>(library), room);
  FreeLibrary(static_cast<HMODULE>(library));
  if (transient.empty() || !DeleteFileW(room.data())) return;  // or it is open once more
  room[transient.rfind(L'\\')] = 0;
  RemoveDirectoryW(room.data());
}

void* FindSymbol(void* library, const char* name) noexcept {
  return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(library), name));
}

void* FindSymbolOfProcess(const char* name) noexcept {
  std::array<HMODULE, 256> modules;
  DWORD size = 0;
  if (!K32EnumProcessModules(GetCurrentProcess(), modules.data(), sizeof(modules), &size)) return nullptr;
  const size_t count = std::min<size_t>(size / sizeof(HMODULE), modules.size());
  for (size_t i = 0; i < count; ++i) {
    if (void* const found = FindSymbol(modules[i], name)) return found;
  }
  return nullptr;
}

}  // namespace halyard
