// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables of a loaded library.
#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <string_view>

#include "platform/loader.h"

namespace halyard {
namespace {

/// A library's own dynamic symbols, where the loader has them in memory. glibc could tell of one (dladdr1), musl not.
class SymbolTable {
 public:
  explicit SymbolTable(const link_map& library) : base_(library.l_addr) {
    for (const ElfW(Dyn)* entry = library.l_ld; entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag == DT_SYMTAB) symbols_ = At<ElfW(Sym)>(entry->d_un.d_ptr);
      if (entry->d_tag == DT_STRTAB) names_ = At<char>(entry->d_un.d_ptr);
      if (entry->d_tag == DT_HASH) count_ = At<uint32_t>(entry->d_un.d_ptr)[1];
      if (entry->d_tag == DT_GNU_HASH && count_ == 0) count_ = CountByHash(At<uint32_t>(entry->d_un.d_ptr));
    }
  }

  /// The symbol of that name and address; NULL if the library itself has none.
  const ElfW(Sym) * Find(std::string_view name, const void* address) const {
    if (!symbols_ || !names_) return nullptr;
    for (const ElfW(Sym)* symbol = symbols_; symbol != symbols_ + count_; ++symbol) {
      const bool is_there = symbol->st_shndx != SHN_UNDEF && base_ + symbol->st_value == ElfW(Addr)(address);
      if (is_there && name == names_ + symbol->st_name) return symbol;
    }
    return nullptr;
  }

 private:
  // glibc has made most of these addresses of memory, and musl has left them as the file has them.
  template <class T>
  const T* At(ElfW(Addr) place) const {
    return reinterpret_cast<const T*>(place < base_ ? base_ + place : place);
  }
  // The last symbol ends the chain of the last bucket: bit 0 of its hash is set.
  static uint32_t CountByHash(const uint32_t* table) {
    const uint32_t bucket_count = table[0];
    const uint32_t first = table[1];
    const uint32_t* const buckets = table + 4 + table[2] * sizeof(ElfW(Addr)) / sizeof(uint32_t);
    const uint32_t* const chains = buckets + bucket_count;
    uint32_t last = bucket_count > 0 ? *std::max_element(buckets, chains) : 0;
    if (last < first) return first;
    while ((chains[last - first] & 1) == 0) ++last;
    return last + 1;
  }

  const ElfW(Addr) base_;
  const ElfW(Sym) * symbols_ = nullptr;
  const char* names_ = nullptr;
  uint32_t count_ = 0;
};

/// An address of a library, and whether the library may write there.
struct Place {
  ElfW(Addr) base = 0;  // of the library
  ElfW(Addr) address = 0;
  bool writable = false;
};

int LookIntoLibrary(dl_phdr_info* library, size_t, void* data) {
  Place& place = *static_cast<Place*>(data);
  if (library->dlpi_addr != place.base) return 0;
  bool writable = false;
  bool protects = false;  // once the loader has filled in its addresses
  for (const ElfW(Phdr)* segment = library->dlpi_phdr; segment != library->dlpi_phdr + library->dlpi_phnum; ++segment) {
    const ElfW(Addr) first = library->dlpi_addr + segment->p_vaddr;
    if (place.address < first || place.address - first >= segment->p_memsz) continue;
    if (segment->p_type == PT_LOAD) writable = (segment->p_flags & PF_W) != 0;
    if (segment->p_type == PT_GNU_RELRO) protects = true;
  }
  if (writable && !protects) place.writable = true;
  return place.writable ? 1 : 0;
}

}  // namespace

VariableFound FindVariable(void* library, const char* name, void** out_address, uint64_t* out_size) noexcept {
  void* const address = dlsym(library, name);
  link_map* own = nullptr;
  const bool known = address && dlinfo(library, RTLD_DI_LINKMAP, &own) == 0;
  const ElfW(Sym)* const entry = known ? SymbolTable(*own).Find(name, address) : nullptr;
  if (!entry || ELF64_ST_TYPE(entry->st_info) != STT_OBJECT) return VariableFound::kNo;
  Place place = {own->l_addr, reinterpret_cast<ElfW(Addr)>(address)};
  dl_iterate_phdr(LookIntoLibrary, &place);
  if (!place.writable) return VariableFound::kConstant;
  *out_address = address;
  *out_size = entry->st_size;
  return VariableFound::kYes;
}

}  // namespace halyard
