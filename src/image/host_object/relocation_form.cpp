// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/host_object/relocation_form.h"

#include <algorithm>
#include <array>

#include "image/host_object/object_file.h"

namespace halyard {
namespace {

using V = RelocationValue;
using O = RelocationOrigin;
using F = RelocationField;
using R = RelocationRange;

constexpr std::array kX86Forms = {
    RelocationForm{1, V::kSymbol, O::kNothing, F::kBytes, 8, 0, R::kAny, 64},        // R_X86_64_64
    RelocationForm{2, V::kNearby, O::kPlace, F::kBytes, 4, 0, R::kSigned, 32},       // PC32
    RelocationForm{3, V::kSlot, O::kTable, F::kBytes, 4, 0, R::kSigned, 32},         // GOT32
    RelocationForm{4, V::kCall, O::kPlace, F::kBytes, 4, 0, R::kSigned, 32},         // PLT32
    RelocationForm{9, V::kSlot, O::kPlace, F::kBytes, 4, 0, R::kSigned, 32},         // GOTPCREL
    RelocationForm{10, V::kNearby, O::kNothing, F::kBytes, 4, 0, R::kUnsigned, 32},  // 32
    RelocationForm{11, V::kNearby, O::kNothing, F::kBytes, 4, 0, R::kSigned, 32},    // 32S
    RelocationForm{12, V::kSymbol, O::kNothing, F::kBytes, 2, 0, R::kEither, 16},    // 16
    RelocationForm{13, V::kSymbol, O::kPlace, F::kBytes, 2, 0, R::kSigned, 16},      // PC16
    RelocationForm{14, V::kSymbol, O::kNothing, F::kBytes, 1, 0, R::kEither, 8},     // 8
    RelocationForm{15, V::kSymbol, O::kPlace, F::kBytes, 1, 0, R::kSigned, 8},       // PC8
    RelocationForm{24, V::kSymbol, O::kPlace, F::kBytes, 8, 0, R::kAny, 64},         // PC64
    RelocationForm{25, V::kSymbol, O::kTable, F::kBytes, 8, 0, R::kAny, 64},         // GOTOFF64
    RelocationForm{26, V::kTable, O::kPlace, F::kBytes, 4, 0, R::kSigned, 32},       // GOTPC32
    RelocationForm{27, V::kSlot, O::kTable, F::kBytes, 8, 0, R::kAny, 64},           // GOT64
    RelocationForm{28, V::kSlot, O::kPlace, F::kBytes, 8, 0, R::kAny, 64},           // GOTPCREL64
    RelocationForm{29, V::kTable, O::kPlace, F::kBytes, 8, 0, R::kAny, 64},          // GOTPC64
    RelocationForm{31, V::kCall, O::kTable, F::kBytes, 8, 0, R::kAny, 64},           // PLTOFF64
    RelocationForm{32, V::kSize, O::kNothing, F::kBytes, 4, 0, R::kUnsigned, 32},    // SIZE32
    RelocationForm{33, V::kSize, O::kNothing, F::kBytes, 8, 0, R::kAny, 64},         // SIZE64
    RelocationForm{41, V::kSlot, O::kPlace, F::kBytes, 4, 0, R::kSigned, 32},        // GOTPCRELX
    RelocationForm{42, V::kSlot, O::kPlace, F::kBytes, 4, 0, R::kSigned, 32},        // REX_GOTPCRELX
    RelocationForm{43, V::kSlot, O::kPlace, F::kBytes, 4, 0, R::kSigned, 32},        // CODE_4_GOTPCRELX
};

constexpr std::array kArmForms = {
    RelocationForm{257, V::kSymbol, O::kNothing, F::kBytes, 8, 0, R::kAny, 64},             // R_AARCH64_ABS64
    RelocationForm{258, V::kSymbol, O::kNothing, F::kBytes, 4, 0, R::kEither, 32},          // ABS32
    RelocationForm{259, V::kSymbol, O::kNothing, F::kBytes, 2, 0, R::kEither, 16},          // ABS16
    RelocationForm{260, V::kSymbol, O::kPlace, F::kBytes, 8, 0, R::kAny, 64},               // PREL64
    RelocationForm{261, V::kSymbol, O::kPlace, F::kBytes, 4, 0, R::kEither, 32},            // PREL32
    RelocationForm{262, V::kSymbol, O::kPlace, F::kBytes, 2, 0, R::kEither, 16},            // PREL16
    RelocationForm{263, V::kSymbol, O::kNothing, F::kMove, 4, 0, R::kUnsigned, 16},         // MOVW_UABS_G0
    RelocationForm{264, V::kSymbol, O::kNothing, F::kMove, 4, 0, R::kAny, 64},              // MOVW_UABS_G0_NC
    RelocationForm{265, V::kSymbol, O::kNothing, F::kMove, 4, 16, R::kUnsigned, 32},        // MOVW_UABS_G1
    RelocationForm{266, V::kSymbol, O::kNothing, F::kMove, 4, 16, R::kAny, 64},             // MOVW_UABS_G1_NC
    RelocationForm{267, V::kSymbol, O::kNothing, F::kMove, 4, 32, R::kUnsigned, 48},        // MOVW_UABS_G2
    RelocationForm{268, V::kSymbol, O::kNothing, F::kMove, 4, 32, R::kAny, 64},             // MOVW_UABS_G2_NC
    RelocationForm{269, V::kSymbol, O::kNothing, F::kMove, 4, 48, R::kAny, 64},             // MOVW_UABS_G3
    RelocationForm{270, V::kSymbol, O::kNothing, F::kMoveWithSign, 4, 0, R::kSigned, 17},   // MOVW_SABS_G0
    RelocationForm{271, V::kSymbol, O::kNothing, F::kMoveWithSign, 4, 16, R::kSigned, 33},  // MOVW_SABS_G1
    RelocationForm{272, V::kSymbol, O::kNothing, F::kMoveWithSign, 4, 32, R::kSigned, 49},  // MOVW_SABS_G2
    RelocationForm{273, V::kNearby, O::kPlace, F::kBranch19, 4, 2, R::kSigned, 21},         // LD_PREL_LO19
    RelocationForm{274, V::kNearby, O::kPlace, F::kAdr, 4, 0, R::kSigned, 21},              // ADR_PREL_LO21
    RelocationForm{275, V::kNearby, O::kPage, F::kAdr, 4, 12, R::kSigned, 33},              // ADR_PREL_PG_HI21
    RelocationForm{276, V::kNearby, O::kPage, F::kAdr, 4, 12, R::kAny, 64},                 // ADR_PREL_PG_HI21_NC
    RelocationForm{277, V::kNearby, O::kNothing, F::kTwelve, 4, 0, R::kAny, 64},            // ADD_ABS_LO12_NC
    RelocationForm{278, V::kNearby, O::kNothing, F::kTwelve, 4, 0, R::kAny, 64},            // LDST8_ABS_LO12_NC
    RelocationForm{279, V::kCall, O::kPlace, F::kBranch14, 4, 2, R::kSigned, 16},           // TSTBR14
    RelocationForm{280, V::kCall, O::kPlace, F::kBranch19, 4, 2, R::kSigned, 21},           // CONDBR19
    RelocationForm{282, V::kCall, O::kPlace, F::kBranch26, 4, 2, R::kSigned, 28},           // JUMP26
    RelocationForm{283, V::kCall, O::kPlace, F::kBranch26, 4, 2, R::kSigned, 28},           // CALL26
    RelocationForm{284, V::kNearby, O::kNothing, F::kTwelve, 4, 1, R::kAny, 64},            // LDST16_ABS_LO12_NC
    RelocationForm{285, V::kNearby, O::kNothing, F::kTwelve, 4, 2, R::kAny, 64},            // LDST32_ABS_LO12_NC
    RelocationForm{286, V::kNearby, O::kNothing, F::kTwelve, 4, 3, R::kAny, 64},            // LDST64_ABS_LO12_NC
    RelocationForm{287, V::kSymbol, O::kPlace, F::kMoveWithSign, 4, 0, R::kSigned, 17},     // MOVW_PREL_G0
    RelocationForm{288, V::kSymbol, O::kPlace, F::kMove, 4, 0, R::kAny, 64},                // MOVW_PREL_G0_NC
    RelocationForm{289, V::kSymbol, O::kPlace, F::kMoveWithSign, 4, 16, R::kSigned, 33},    // MOVW_PREL_G1
    RelocationForm{290, V::kSymbol, O::kPlace, F::kMove, 4, 16, R::kAny, 64},               // MOVW_PREL_G1_NC
    RelocationForm{291, V::kSymbol, O::kPlace, F::kMoveWithSign, 4, 32, R::kSigned, 49},    // MOVW_PREL_G2
    RelocationForm{292, V::kSymbol, O::kPlace, F::kMove, 4, 32, R::kAny, 64},               // MOVW_PREL_G2_NC
    RelocationForm{293, V::kSymbol, O::kPlace, F::kMoveWithSign, 4, 48, R::kAny, 64},       // MOVW_PREL_G3
    RelocationForm{299, V::kNearby, O::kNothing, F::kTwelve, 4, 4, R::kAny, 64},            // LDST128_ABS_LO12_NC
    RelocationForm{307, V::kSymbol, O::kTable, F::kBytes, 8, 0, R::kAny, 64},               // GOTREL64
    RelocationForm{308, V::kSymbol, O::kTable, F::kBytes, 4, 0, R::kSigned, 32},            // GOTREL32
    RelocationForm{309, V::kSlot, O::kPlace, F::kBranch19, 4, 2, R::kSigned, 21},           // GOT_LD_PREL19
    RelocationForm{310, V::kSlot, O::kTable, F::kFifteen, 4, 3, R::kUnsigned, 15},          // LD64_GOTOFF_LO15
    RelocationForm{311, V::kSlot, O::kPage, F::kAdr, 4, 12, R::kSigned, 33},                // ADR_GOT_PAGE
    RelocationForm{312, V::kSlot, O::kNothing, F::kTwelve, 4, 3, R::kAny, 64},              // LD64_GOT_LO12_NC
    RelocationForm{313, V::kSlot, O::kTablePage, F::kFifteen, 4, 3, R::kUnsigned, 15},      // LD64_GOTPAGE_LO15
    RelocationForm{314, V::kCall, O::kPlace, F::kBytes, 4, 0, R::kSigned, 32},              // PLT32
    RelocationForm{315, V::kSlot, O::kPlace, F::kBytes, 4, 0, R::kSigned, 32},              // GOTPCREL32
};

std::span<const RelocationForm> FormsOf(uint16_t machine) {
  if (machine == ObjectFile::kX86_64) return kX86Forms;
  return kArmForms;
}

constexpr bool Rises(std::span<const RelocationForm> forms) {
  for (size_t i = 1; i < forms.size(); ++i) {
    if (forms[i - 1].type >= forms[i].type) return false;
  }
  return true;
}
static_assert(Rises(kX86Forms) && Rises(kArmForms));

uint32_t ReadWord(std::span<const std::byte> place) { return ReadUint<uint32_t>(place, 0); }

void WriteNumber(uint64_t number, std::span<std::byte> place) {
  for (std::byte& byte : place) {
    byte = static_cast<std::byte>(number & 0xff);
    number >>= 8;
  }
}

/// The instruction with other bits from `first` on.
uint32_t WithBits(uint32_t instruction, uint64_t number, unsigned first, unsigned count) {
  const uint32_t mask = ((uint32_t{1} << count) - 1) << first;
  return (instruction & ~mask) | (static_cast<uint32_t>(number << first) & mask);
}

uint32_t WithAdr(uint32_t instruction, uint64_t number) {
  return WithBits(WithBits(instruction, number, 29, 2), number >> 2, 5, 19);
}

uint32_t WithSign(uint32_t instruction, uint64_t number, unsigned shift) {
  constexpr uint32_t kZeros = uint32_t{1} << 30;  // MOVZ, not MOVN
  const bool is_negative = static_cast<int64_t>(number) < 0;
  const uint32_t chosen = is_negative ? instruction & ~kZeros : instruction | kZeros;
  return WithBits(chosen, (is_negative ? ~number : number) >> shift, 5, 16);
}

uint32_t Changed(const RelocationForm& form, uint64_t number, uint32_t instruction) {
  switch (form.field) {
    case F::kAdr:
      return WithAdr(instruction, number >> form.shift);
    case F::kTwelve:
      return WithBits(instruction, (number & 0xfff) >> form.shift, 10, 12);
    case F::kFifteen:
      return WithBits(instruction, number >> form.shift, 10, 12);
    case F::kBranch14:
      return WithBits(instruction, number >> form.shift, 5, 14);
    case F::kBranch19:
      return WithBits(instruction, number >> form.shift, 5, 19);
    case F::kBranch26:
      return WithBits(instruction, number >> form.shift, 0, 26);
    case F::kMove:
      return WithBits(instruction, number >> form.shift, 5, 16);
    default:
      return WithSign(instruction, number, form.shift);
  }
}

/// Instructions that count in steps leave out bits, which must be 0.
bool DropsBits(const RelocationForm& form, uint64_t number) {
  const bool counts_steps = form.field == F::kTwelve || form.field == F::kFifteen || form.field == F::kBranch14 ||
                            form.field == F::kBranch19 || form.field == F::kBranch26;
  return counts_steps && (number & ((uint64_t{1} << form.shift) - 1)) != 0;
}

}  // namespace

const RelocationForm* FindRelocationForm(uint16_t machine, uint32_t type) {
  const std::span<const RelocationForm> forms = FormsOf(machine);
  const auto found = std::ranges::lower_bound(forms, type, {}, &RelocationForm::type);
  return found == forms.end() || found->type != type ? nullptr : &*found;
}

bool IsThreadLocalRelocation(uint16_t machine, uint32_t type) {
  if (machine == ObjectFile::kAarch64) return type >= 512 && type < 1024;
  return (type >= 16 && type <= 23) || (type >= 34 && type <= 36) || type == 44 || type == 45;
}

size_t RelocatedSize(const RelocationForm& form) { return form.width; }

bool CanStore(const RelocationForm& form, uint64_t number) {
  if (DropsBits(form, number)) return false;
  if (form.range == R::kAny) return true;
  const auto as_signed = static_cast<int64_t>(number);
  const int64_t half = int64_t{1} << (form.bits - 1);
  const bool fits_signed = as_signed >= -half && as_signed < half;
  const bool fits_unsigned = number >> form.bits == 0;
  if (form.range == R::kSigned) return fits_signed;
  return fits_unsigned || (form.range == R::kEither && fits_signed);
}

void Store(const RelocationForm& form, uint64_t number, std::span<std::byte> place) {
  WriteNumber(form.field == F::kBytes ? number : Changed(form, number, ReadWord(place)), place.first(form.width));
}

void WriteStub(uint16_t machine, uint64_t stub, uint64_t slot, std::span<std::byte> bytes) {
  std::ranges::fill(bytes, std::byte{0});
  if (machine == ObjectFile::kX86_64) {
    bytes[0] = std::byte{0xff};  // jmp *slot(%rip)
    bytes[1] = std::byte{0x25};
    WriteNumber(slot - (stub + 6), bytes.subspan(2, 4));
    return;
  }
  const uint64_t pages = (slot >> 12) - (stub >> 12);
  WriteNumber(WithAdr(0x90000010, pages), bytes.first(4));                              // adrp x16, slot
  WriteNumber(WithBits(0xf9400210, (slot & 0xfff) >> 3, 10, 12), bytes.subspan(4, 4));  // ldr x16, [x16, slot]
  WriteNumber(0xd61f0200, bytes.subspan(8, 4));                                         // br x16
}

}  // namespace halyard
