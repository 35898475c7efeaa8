// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/host_object/host_externals.h"

#include <algorithm>
#include <array>

#include "function/import_table.h"
#include "platform/code_memory.h"
#include "platform/loader.h"

namespace halyard {
namespace {

/// The libraries that compilers take for granted, each opened once and never closed.
const std::array<void*, 3>& SystemLibraries() {
  static const std::array<void*, 3> libraries = [] {
    std::array<void*, 3> opened = {};
    const char* const names[] = {"libm.so.6", "libc.so.6", "libgcc_s.so.1"};
    LoadFailure failure;
    for (size_t i = 0; i < opened.size(); ++i) opened[i] = OpenLibrary(names[i], 0, &failure);
    return opened;
  }();
  return libraries;
}

uint64_t AsNumber(const void* address) { return reinterpret_cast<uintptr_t>(address); }

}  // namespace

uint64_t HostExternals::Find(std::string_view name) {
  if (void* const target = FindImport(name, given_)) {
    const bool is_own = std::ranges::none_of(given_, [&](const hal_function_import_t& function) {
      return reinterpret_cast<void*>(function.function) == target;
    });
    gives_abort_ = gives_abort_ || (is_own && name == "abort");
    return AsNumber(target);
  }
  const HostString symbol(name);
  for (void* const library : SystemLibraries()) {
    if (void* const address = library ? FindSymbol(library, symbol.c_str()) : nullptr) return AsNumber(address);
  }
  return 0;
}

bool HostExternals::IsFunction(uint64_t address) {
  const auto* const place = reinterpret_cast<const void*>(address);
  const bool is_given = std::ranges::any_of(
      given_, [&](const hal_function_import_t& one) { return reinterpret_cast<const void*>(one.function) == place; });
  return is_given || IsCodeOfLibrary(place);
}

}  // namespace halyard
