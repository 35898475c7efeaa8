// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each relocation of x86-64 and AArch64 asks for: a row of a table for each, from the two ABI documents
// ("System V ABI, AMD64 supplement" and "ELF for the Arm 64-bit Architecture").
#ifndef HALYARD_IMAGE_HOST_OBJECT_RELOCATION_FORM_H_
#define HALYARD_IMAGE_HOST_OBJECT_RELOCATION_FORM_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "image/shared_object/bytes.h"

namespace halyard {

/// The address or number that a relocation stores.
enum class RelocationValue : uint8_t {
  kSymbol,  ///< of the symbol itself, wherever it is
  kNearby,  ///< of the symbol, or of a stub that jumps to it if it is too far away: right for functions only
  kCall,    ///< the same, and the instruction tells that it is a function
  kSlot,    ///< of the symbol's slot in the table of addresses
  kTable,   ///< of that table
  kSize,    ///< of the symbol, in bytes
};

/// What is taken from it.
enum class RelocationOrigin : uint8_t {
  kNothing,
  kPlace,      ///< the address of what is changed
  kTable,      ///< the address of the table of addresses
  kPage,       ///< of both, the 4,096 bytes that they are in
  kTablePage,  ///< the page of the table
};

/// How the number is stored.
enum class RelocationField : uint8_t {
  kBytes,         ///< `width` bytes
  kAdr,           ///< ADR, ADRP: 21 bits in two parts
  kTwelve,        ///< ADD, LDR, STR: 12 bits from bit 10 on, of the place within a page
  kFifteen,       ///< LDR: the same without the page
  kBranch14,      ///< TBZ: 14 bits from bit 5 on
  kBranch19,      ///< B.cond, LDR (literal): 19 bits from bit 5 on
  kBranch26,      ///< B, BL: 26 bits
  kMove,          ///< MOVZ, MOVK: 16 bits from bit 5 on
  kMoveWithSign,  ///< MOVZ, or MOVN for numbers below 0
};

/// Which numbers fit.
enum class RelocationRange : uint8_t {
  kAny,
  kSigned,
  kUnsigned,
  kEither,
};

struct RelocationForm {
  uint32_t type;
  RelocationValue value;
  RelocationOrigin origin;
  RelocationField field;
  uint8_t width;  ///< of kBytes: bytes
  uint8_t shift;  ///< bits that are dropped at the low end
  RelocationRange range;
  uint8_t bits;  ///< of the range
};

/// NULL for a type that is not known.
const RelocationForm* FindRelocationForm(uint16_t machine, uint32_t type);
/// Whether a type is for thread-local data.
bool IsThreadLocalRelocation(uint16_t machine, uint32_t type);

/// Bytes that are changed.
size_t RelocatedSize(const RelocationForm& form);
/// Whether the number can be stored.
bool CanStore(const RelocationForm& form, uint64_t number);
/// Stores a number that can be.
void Store(const RelocationForm& form, uint64_t number, std::span<std::byte> place);

/// A jump to what a slot says, for functions that are too far away.
inline constexpr size_t kStubSize = 16;  // bytes
void WriteStub(uint16_t machine, uint64_t stub, uint64_t slot, std::span<std::byte> bytes);

}  // namespace halyard

#endif  // HALYARD_IMAGE_HOST_OBJECT_RELOCATION_FORM_H_
