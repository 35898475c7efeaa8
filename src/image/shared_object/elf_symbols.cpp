// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/shared_object/elf_symbols.h"

#include <algorithm>

#include "base/status.h"
#include "image/shared_object/elf_reader.h"
#include "platform/loader.h"

namespace halyard {
namespace {

constexpr uint8_t kWeak = 2;  // STB_WEAK

// The names of the dynamic symbols that `wanted` says yes to.
template <class Wanted>
std::optional<ElfNames> FindNames(Bytes image, Wanted&& wanted) {
  ElfReader elf;
  HostVector<ElfSymbol> symbols;
  if (!Succeeds(elf.Open(image, "the shared object")) || !elf.FindSectionOfType(ElfReader::kDynamicSymbols) ||
      !Succeeds(elf.ReadSymbols(ElfReader::kDynamicSymbols, &symbols))) {
    return std::nullopt;
  }
  ElfNames names;
  for (const ElfSymbol& symbol : symbols) {
    if (!symbol.name.empty() && wanted(symbol)) names.push_back(symbol.name);
  }
  return names;
}

/// Libraries that stay open for a while.
class OpenLibraries {
 public:
  OpenLibraries() = default;
  OpenLibraries(const OpenLibraries&) = delete;
  OpenLibraries& operator=(const OpenLibraries&) = delete;
  ~OpenLibraries() {
    for (void* const handle : handles_) CloseLibrary(handle);
  }

  // Looks where the system does, and then in the folders that the object names.
  bool Open(const HostString& name, const ElfNames& folders) {
    if (Open(name)) return true;
    if (name.find('/') != HostString::npos) return false;
    return std::ranges::any_of(folders, [&](std::string_view folder) { return Open(HostString(folder) + "/" + name); });
  }
  bool Have(const HostString& symbol) const {
    if (FindSymbolOfProcess(symbol.c_str())) return true;
    return std::ranges::any_of(handles_, [&](void* handle) { return FindSymbol(handle, symbol.c_str()); });
  }

 private:
  bool Open(const HostString& path) {
    LoadFailure failure;
    void* const handle = OpenLibrary(path.c_str(), 0, &failure);
    if (handle) handles_.push_back(handle);
    return handle != nullptr;
  }

  HostVector<void*> handles_;
};

// The folders of DT_RUNPATH. Objects that are loaded from memory have no origin, so paths with $ORIGIN lead nowhere.
ElfNames RunPathFolders(Bytes image) {
  ElfReader elf;
  ElfNames lists;
  ElfNames folders;
  if (!Succeeds(elf.Open(image, "the shared object")) || !Succeeds(elf.ReadRunPaths(&lists))) return folders;
  for (std::string_view list : lists) {
    while (!list.empty()) {
      const size_t end = std::min(list.find(':'), list.size());
      if (list.starts_with('/')) folders.push_back(list.substr(0, end));
      list.remove_prefix(std::min(end + 1, list.size()));
    }
  }
  return folders;
}

// Adds the names that `find` says no to, each once.
template <class Find>
void AddMissing(const std::optional<ElfNames>& names, Find&& find, HostVector<HostString>* out_missing) {
  HostMap<std::string_view, bool> seen;
  for (const std::string_view name : names.value_or(ElfNames())) {
    if (out_missing->size() == UnresolvedImports::kMost) return;
    if (!seen.try_emplace(name, true).second || find(HostString(name))) continue;
    out_missing->emplace_back(name);
  }
}

// "'a', 'b'"; behind the most that were looked for, there may be more.
HostString QuotedList(const HostVector<HostString>& names) {
  HostString text;
  for (const HostString& name : names) text += (text.empty() ? "'" : ", '") + name + "'";
  return names.size() < UnresolvedImports::kMost ? text : text + " and maybe others";
}

}  // namespace

std::optional<ElfNames> FindElfSymbols(Bytes image) {
  return FindNames(image, [](const ElfSymbol& symbol) { return symbol.section != 0; });
}

std::optional<ElfNames> FindElfImports(Bytes image) {
  return FindNames(image, [](const ElfSymbol& symbol) { return symbol.section == 0 && symbol.binding != kWeak; });
}

std::optional<ElfNames> FindElfLibraries(Bytes image) {
  ElfReader elf;
  ElfNames names;
  if (!Succeeds(elf.Open(image, "the shared object")) || !Succeeds(elf.ReadLibraries(&names))) return std::nullopt;
  std::erase_if(names, [](std::string_view name) { return name.empty(); });
  return names;
}

UnresolvedImports FindUnresolvedImports(Bytes image) {
  UnresolvedImports missing;
  OpenLibraries libraries;
  const ElfNames folders = RunPathFolders(image);
  AddMissing(
      FindElfLibraries(image), [&](const HostString& name) { return libraries.Open(name, folders); },
      &missing.libraries);
  AddMissing(
      FindElfImports(image), [&](const HostString& name) { return libraries.Have(name); }, &missing.symbols);
  return missing;
}

HostString UnresolvedText(const UnresolvedImports& missing) {
  HostString text;
  if (!missing.libraries.empty()) text = "needs " + QuotedList(missing.libraries) + ", which cannot be loaded";
  if (missing.symbols.empty()) return text;
  if (!text.empty()) text += ", and ";
  return text + "calls " + QuotedList(missing.symbols) + ", which nothing provides";
}

}  // namespace halyard
