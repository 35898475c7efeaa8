// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/host_object/host_externals.h"

#include <algorithm>
#include <array>

#include "base/dynamic_library.h"
#include "base/host_memory.h"
#include "base/process_wide.h"
#include "function/import_table.h"
#include "platform/code_memory.h"

namespace halyard {
namespace {

/// The libraries that compilers take for granted.
class SystemLibraries : public HostObject {
 public:
  SystemLibraries() {
    constexpr const char* kNames[] = {"libm.so.6", "libc.so.6", "libgcc_s.so.1"};
    for (size_t i = 0; i < libraries_.size(); ++i) libraries_[i].Open(kNames[i], 0).Ignore();  // one may be absent
  }
  const void* Find(const char* symbol) const {
    for (const DynamicLibrary& library : libraries_) {
      if (const void* const address = library.Find(symbol)) return address;
    }
    return nullptr;
  }

 private:
  std::array<DynamicLibrary, 3> libraries_;
};

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
  return AsNumber(ProcessWide<SystemLibraries>::Get().Find(HostString(name).c_str()));
}

bool HostExternals::IsFunction(uint64_t address) {
  const auto* const place = reinterpret_cast<const void*>(address);
  const bool is_given = std::ranges::any_of(
      given_, [&](const hal_function_import_t& one) { return reinterpret_cast<const void*>(one.function) == place; });
  return is_given || IsCodeOfLibrary(place);
}

}  // namespace halyard
