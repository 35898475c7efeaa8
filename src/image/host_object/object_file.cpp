// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/host_object/object_file.h"

#include <algorithm>

#include "base/round_up.h"
#include "base/text/printf_number.h"

namespace halyard {
namespace {

constexpr const char* kWhat = "the object";
constexpr uint16_t kRelocatable = 1;  // ET_REL

/// SHT_PROGBITS and so on.
struct SectionType {
  enum : uint32_t {
    kContents = 1,
    kRela = 4,
    kNote = 7,
    kZeros = 8,
    kRel = 9,
    kInit = 14,
    kFini = 15,
    kPreinit = 16,
    kUnwind = 0x70000001,     // SHT_X86_64_UNWIND
    kShortRela = 0x40000014,  // SHT_CREL
  };
};

/// SHF_WRITE and so on.
struct SectionFlag {
  enum : uint64_t { kWrite = 1, kLoaded = 2, kCode = 4, kThreadLocal = 0x400, kCompressed = 0x800 };
};

/// STT_TLS, STT_GNU_IFUNC.
constexpr uint8_t kThreadLocalSymbol = 6;
constexpr uint8_t kIndirectFunction = 10;
// Values of st_shndx.
constexpr uint16_t kFirstReserved = 0xff00;
constexpr uint16_t kCommon = 0xfff2;
constexpr uint16_t kMoreSections = 0xffff;

Status Refuse(const ElfSection& section, const char* why) {
  return Fail(HAL_STATUS_INCOMPATIBLE, "%s: section '%.*s' %s; link it to a shared object (cc -shared)", kWhat,
              HALYARD_SV(section.name), why);
}

bool IsNamed(const ElfSection& section, std::string_view name) {
  return section.name == name || (section.name.starts_with(name) && section.name[name.size()] == '.');
}

bool RunsAtLoad(const ElfSection& section) {
  if (section.type == SectionType::kInit || section.type == SectionType::kFini ||
      section.type == SectionType::kPreinit) {
    return true;
  }
  return IsNamed(section, ".ctors") || IsNamed(section, ".dtors") || section.name == ".init" ||
         section.name == ".fini" || IsNamed(section, ".init_array") || IsNamed(section, ".fini_array");
}

// Frames of code of this linker are not known to the unwinder, so its tables are of no use.
bool IsForUnwinder(const ElfSection& section) {
  return section.type == SectionType::kUnwind || section.name == ".eh_frame";
}

/// Why a section that wants to be loaded cannot be, or nothing.
const char* ObstacleOf(const ElfSection& section) {
  if ((section.flags & SectionFlag::kThreadLocal) != 0) return "has thread-local data";
  if ((section.flags & SectionFlag::kCompressed) != 0) return "is compressed";
  if (section.size > 0 && RunsAtLoad(section)) return "has functions to run when the code is loaded";
  if (section.size > 0 && IsNamed(section, ".gcc_except_table")) return "tells how exceptions are caught";
  if (section.type != SectionType::kContents && section.type != SectionType::kZeros &&
      section.type != SectionType::kNote && !IsForUnwinder(section)) {
    return "is of a type that is not known";
  }
  return nullptr;
}

/// Takes a section's bytes from those of the file: sections that share them could stand for far more memory and time.
Status TakeBytes(const ElfSection& section, uint64_t* bytes_left) {
  if (section.contents.size() > *bytes_left) {
    return Fail(HAL_STATUS_DATA_LOSS, "%s: section '%.*s': sections overlap in the file", kWhat,
                HALYARD_SV(section.name));
  }
  *bytes_left -= section.contents.size();
  return kOk;
}

CodePart PartOf(const ElfSection& section) {
  if ((section.flags & SectionFlag::kCode) != 0) return CodePart::kCode;
  const bool is_relocated = IsNamed(section, ".data.rel.ro") || IsNamed(section, ".ldata.rel.ro");
  const bool constant = (section.flags & SectionFlag::kWrite) == 0 || is_relocated;
  return constant && section.type != SectionType::kZeros ? CodePart::kConstants : CodePart::kData;
}

}  // namespace

Status ObjectFile::Read(Bytes image) {
  HAL_TRY(elf_.Open(image, kWhat));
  HAL_TRY(CheckHeader());
  uint64_t bytes_left = image.size();
  most_filled_ = 16 * bytes_left + (uint64_t{1} << 20);
  HAL_TRY(PlaceSections(&bytes_left));
  HAL_TRY(FindRelocations(&bytes_left));
  return TakeSymbols();
}

Status ObjectFile::CheckHeader() const {
  if (elf_.Header().type != kRelocatable) {
    return Fail(HAL_STATUS_INCOMPATIBLE, "%s: the ELF file is of type %u, not a relocatable object (type %u)%s", kWhat,
                elf_.Header().type, kRelocatable,
                elf_.Header().type == 3 ? "; shared objects have the format 'host-shared-object'" : "");
  }
  if (Machine() == kX86_64 || Machine() == kAarch64) return kOk;
  return Fail(HAL_STATUS_INCOMPATIBLE, "%s: it is for machine %u; objects of x86-64 (%u) and AArch64 (%u) are linked",
              kWhat, Machine(), kX86_64, kAarch64);
}

Status ObjectFile::PlaceSections(uint64_t* bytes_left) {
  places_.resize(Sections().size());
  for (size_t i = 0; i < Sections().size(); ++i) HAL_TRY(PlaceSection(i, bytes_left));
  return kOk;
}

Status ObjectFile::PlaceSection(size_t index, uint64_t* bytes_left) {
  const ElfSection& section = Sections()[index];
  if ((section.flags & SectionFlag::kLoaded) == 0 || section.type == 0) return kOk;
  if (const char* const obstacle = ObstacleOf(section)) return Refuse(section, obstacle);
  if (section.type == SectionType::kNote || IsForUnwinder(section)) return kOk;
  HAL_TRY(TakeBytes(section, bytes_left));
  ObjectPlace place = {};
  HAL_TRY(Reserve(PartOf(section), section.size, section.alignment, section.name, &place));
  places_[index] = place;
  return kOk;
}

Status ObjectFile::Reserve(CodePart part, uint64_t size, uint64_t alignment, std::string_view name,
                           ObjectPlace* out_place) {
  alignment = std::max<uint64_t>(alignment, 1);
  if ((alignment & (alignment - 1)) != 0) {
    return Fail(HAL_STATUS_DATA_LOSS, "%s: '%.*s' is aligned to %llu bytes, which is no power of two", kWhat,
                HALYARD_SV(name), Number(alignment));
  }
  if (alignment > CodeArena::kMaxAlignment) {
    return Fail(HAL_STATUS_INCOMPATIBLE, "%s: '%.*s' is aligned to %llu bytes; at most %llu are possible", kWhat,
                HALYARD_SV(name), Number(alignment), Number(CodeArena::kMaxAlignment));
  }
  CodeSize& whole = sizes_[static_cast<size_t>(part)];
  const uint64_t offset = RoundUp(whole.size, alignment);
  if (size > CodeArena::kMaxPart || offset + size > CodeArena::kMaxPart) {
    return Fail(HAL_STATUS_RESOURCE_EXHAUSTED, "%s: with '%.*s' it takes more than %llu bytes of memory", kWhat,
                HALYARD_SV(name), Number(CodeArena::kMaxPart));
  }
  if (part != CodePart::kData && offset + size > most_filled_) {
    return Fail(HAL_STATUS_DATA_LOSS, "%s: at '%.*s' its sections have %llu bytes between them for alignment", kWhat,
                HALYARD_SV(name), Number(offset));
  }
  whole.size = offset + size;
  whole.alignment = std::max(whole.alignment, alignment);
  *out_place = {part, offset};
  return kOk;
}

Status ObjectFile::FindRelocations(uint64_t* bytes_left) {
  HostVector<bool> taken(Sections().size());
  for (size_t i = 0; i < Sections().size(); ++i) {
    const ElfSection& section = Sections()[i];
    const bool is_known = section.type == SectionType::kRela;
    if (!is_known && section.type != SectionType::kRel && section.type != SectionType::kShortRela) continue;
    if (section.info >= Sections().size()) {
      return Fail(HAL_STATUS_DATA_LOSS, "%s: section '%.*s' is for section %u of %zu", kWhat, HALYARD_SV(section.name),
                  section.info, Sections().size());
    }
    if (!places_[section.info]) continue;
    if (!is_known) return Refuse(section, "has relocations in a form that is not known");
    if (section.entry_size != kRelocationSize || taken[section.info]) {
      return Fail(HAL_STATUS_DATA_LOSS,
                  "%s: section '%.*s' has entries of %llu bytes, not %llu, or is the second for '%.*s'", kWhat,
                  HALYARD_SV(section.name), Number(section.entry_size), Number(kRelocationSize),
                  HALYARD_SV(Sections()[section.info].name));
    }
    HAL_TRY(TakeBytes(section, bytes_left));
    taken[section.info] = true;
    relocations_.push_back(i);
  }
  return kOk;
}

Status ObjectFile::TakeSymbols() {
  HAL_TRY(elf_.ReadSymbols(ElfReader::kSymbolTable, &symbols_));
  for (ElfSymbol& symbol : symbols_) {
    if (symbol.section == kCommon) HAL_TRY(PlaceCommon(symbol));
    const bool is_reserved =
        symbol.section >= kFirstReserved && symbol.section != kAbsolute && symbol.section != kCommon;
    if (is_reserved || (symbol.section < kFirstReserved && symbol.section >= Sections().size())) {
      return Fail(symbol.section == kMoreSections ? HAL_STATUS_INCOMPATIBLE : HAL_STATUS_DATA_LOSS,
                  "%s: symbol '%.*s' is in section %u; there are %zu", kWhat, HALYARD_SV(symbol.name), symbol.section,
                  Sections().size());
    }
    if (symbol.section == kUndefined || symbol.section >= kFirstReserved) continue;
    if (symbol.type == kIndirectFunction) {
      return Fail(HAL_STATUS_INCOMPATIBLE,
                  "%s: '%.*s' is an indirect function (ifunc); link it to a shared object (cc -shared)", kWhat,
                  HALYARD_SV(symbol.name));
    }
    if (places_[symbol.section]) HAL_TRY(CheckPlace(symbol));
  }
  return kOk;
}

// Variables become buffers, so that their size counts, too.
Status ObjectFile::CheckPlace(const ElfSymbol& symbol) const {
  const ElfSection& section = Sections()[symbol.section];
  const uint64_t size = symbol.type == kVariable ? symbol.size : 0;
  if (symbol.address <= section.size && size <= section.size - symbol.address) return kOk;
  return Fail(HAL_STATUS_DATA_LOSS, "%s: symbol '%.*s' of %llu bytes at %llu is outside of section '%.*s'", kWhat,
              HALYARD_SV(symbol.name), Number(size), Number(symbol.address), HALYARD_SV(section.name));
}

// What a common symbol says at first is its alignment.
Status ObjectFile::PlaceCommon(ElfSymbol& symbol) {
  ObjectPlace place = {};
  HAL_TRY(Reserve(CodePart::kData, symbol.size, symbol.address, symbol.name, &place));
  symbol.address = place.offset;
  return kOk;
}

std::optional<ObjectPlace> ObjectFile::SymbolPlace(const ElfSymbol& symbol) const {
  if (symbol.section == kCommon) return ObjectPlace{CodePart::kData, symbol.address};
  if (symbol.section == kUndefined || symbol.section >= kFirstReserved || !places_[symbol.section]) return std::nullopt;
  const ObjectPlace& section = *places_[symbol.section];
  return ObjectPlace{section.part, section.offset + symbol.address};
}

Status ObjectFile::ReadRelocation(size_t section, uint64_t index, ObjectRelocation* out_relocation) const {
  const Bytes entry = Sections()[section].contents.subspan(index * kRelocationSize, kRelocationSize);
  *out_relocation = {ReadUint<uint64_t>(entry, 0), ReadUint<uint32_t>(entry, 8), ReadUint<uint32_t>(entry, 12),
                     static_cast<int64_t>(ReadUint<uint64_t>(entry, 16))};
  if (out_relocation->symbol >= symbols_.size()) {
    return Fail(HAL_STATUS_DATA_LOSS, "%s: section '%.*s': relocation %llu names symbol %u of %zu", kWhat,
                HALYARD_SV(Sections()[section].name), Number(index), out_relocation->symbol, symbols_.size());
  }
  if (symbols_[out_relocation->symbol].type == kThreadLocalSymbol) {
    return Fail(HAL_STATUS_INCOMPATIBLE,
                "%s: it uses the thread-local variable '%.*s'; link it to a shared object (cc -shared)", kWhat,
                HALYARD_SV(symbols_[out_relocation->symbol].name));
  }
  return kOk;
}

}  // namespace halyard
