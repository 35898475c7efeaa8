// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What compilers make of one source: a relocatable ELF object of x86-64 or AArch64, and where its sections go.
#ifndef HALYARD_IMAGE_HOST_OBJECT_OBJECT_FILE_H_
#define HALYARD_IMAGE_HOST_OBJECT_OBJECT_FILE_H_

#include <cstdint>
#include <optional>

#include "base/host_memory.h"
#include "base/status.h"
#include "image/host_object/code_arena.h"
#include "image/shared_object/elf_reader.h"

namespace halyard {

/// Where something of an object lies.
struct ObjectPlace {
  CodePart part;
  uint64_t offset;  ///< bytes from the beginning of the part
};

/// One entry of a section of relocations, as the file has it.
struct ObjectRelocation {
  uint64_t offset;  ///< in the section that it changes
  uint32_t type;    ///< R_X86_64_… or R_AARCH64_…
  uint32_t symbol;  ///< checked: an index of Symbols()
  int64_t addend;
};

/// A relocatable object that was read and found to be one that can be linked. Everything is a view into the image.
class ObjectFile {
 public:
  static constexpr uint16_t kX86_64 = 62;    ///< EM_X86_64
  static constexpr uint16_t kAarch64 = 183;  ///< EM_AARCH64

  // Of symbols.
  static constexpr uint8_t kLocal = 0;           ///< STB_LOCAL
  static constexpr uint8_t kWeak = 2;            ///< STB_WEAK
  static constexpr uint8_t kVariable = 1;        ///< STT_OBJECT
  static constexpr uint16_t kUndefined = 0;      ///< SHN_UNDEF
  static constexpr uint16_t kAbsolute = 0xfff1;  ///< SHN_ABS

  /// DATA_LOSS for what is malformed; INCOMPATIBLE for what is no object of these machines, or has what is not linked
  /// here: thread-local data, functions to run when it is loaded, tables of exceptions, indirect functions.
  Status Read(Bytes image);

  uint16_t Machine() const { return elf_.Header().machine; }
  const HostVector<ElfSection>& Sections() const { return elf_.Sections(); }
  const HostVector<ElfSymbol>& Symbols() const { return symbols_; }
  /// Nothing for a section that is not loaded.
  const std::optional<ObjectPlace>& SectionPlace(size_t section) const { return places_[section]; }
  /// Nothing for symbols without a place: undefined and absolute ones, and those of sections that are not loaded.
  std::optional<ObjectPlace> SymbolPlace(const ElfSymbol& symbol) const;
  /// What sections and common symbols take.
  const CodeSizes& Sizes() const { return sizes_; }

  /// Calls `each(section, relocation)` for all relocations of loaded sections, until one fails.
  template <class Each>
  Status ForEachRelocation(Each&& each) const {
    for (size_t i : relocations_) {
      for (uint64_t k = 0, count = Sections()[i].contents.size() / kRelocationSize; k < count; ++k) {
        ObjectRelocation relocation;
        HAL_TRY(ReadRelocation(i, k, &relocation));
        HAL_TRY(each(Sections()[i].info, relocation));
      }
    }
    return kOk;
  }

 private:
  static constexpr uint64_t kRelocationSize = 24;  // bytes of Elf64_Rela

  Status CheckHeader() const;
  Status PlaceSections(uint64_t* bytes_left);
  Status PlaceSection(size_t index, uint64_t* bytes_left);
  Status FindRelocations(uint64_t* bytes_left);
  Status TakeSymbols();
  Status CheckPlace(const ElfSymbol& symbol) const;
  Status PlaceCommon(ElfSymbol& symbol);
  Status Reserve(CodePart part, uint64_t size, uint64_t alignment, std::string_view name, ObjectPlace* out_place);
  Status ReadRelocation(size_t section, uint64_t index, ObjectRelocation* out_relocation) const;

  ElfReader elf_;
  HostVector<ElfSymbol> symbols_;                  // a common one has its offset in the data as its address
  HostVector<std::optional<ObjectPlace>> places_;  // [section]
  HostVector<size_t> relocations_;                 // sections of them, of those that are loaded
  CodeSizes sizes_;
  uint64_t most_filled_ = 0;  // bytes that code, and that constants may take
};

}  // namespace halyard

#endif  // HALYARD_IMAGE_HOST_OBJECT_OBJECT_FILE_H_
