// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables of a loaded library.
#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include "platform/loader.h"

namespace halyard {
namespace {

/// The loader's symbol of an address; NULL if there is none, or it is of another library than `owner`.
const ElfW(Sym) * SymbolAt(void* address, const link_map* owner) {
  Dl_info info;
  link_map* found = nullptr;
  void* symbol = nullptr;
  if (dladdr1(address, &info, reinterpret_cast<void**>(&found), RTLD_DL_LINKMAP) == 0 || found != owner) return nullptr;
  if (dladdr1(address, &info, &symbol, RTLD_DL_SYMENT) == 0) return nullptr;
  return static_cast<const ElfW(Sym)*>(symbol);
}

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
  const ElfW(Sym)* const entry = known ? SymbolAt(address, own) : nullptr;
  if (!entry || ELF64_ST_TYPE(entry->st_info) != STT_OBJECT) return VariableFound::kNo;
  Place place = {own->l_addr, reinterpret_cast<ElfW(Addr)>(address)};
  dl_iterate_phdr(LookIntoLibrary, &place);
  if (!place.writable) return VariableFound::kConstant;
  *out_address = address;
  *out_size = entry->st_size;
  return VariableFound::kYes;
}

}  // namespace halyard
