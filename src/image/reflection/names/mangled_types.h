// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The types in a mangled name of C++, as far as they say what a parameter is.
#ifndef HALYARD_IMAGE_REFLECTION_MANGLED_TYPES_H_
#define HALYARD_IMAGE_REFLECTION_MANGLED_TYPES_H_

#include <cstdint>
#include <string_view>

#include "base/host_memory.h"
#include "halyard/buffer_view.h"

namespace halyard {

enum class MangledTypeKind : uint8_t {
  kNumber,
  kVoid,
  kFunction,
  kPointer,           // to `inner`
  kArray,             // of `inner`
  kNamed,             // a class or an enumeration; with `inner` if its template arguments have a pack
  kOther,             // a type of which only the place is known
  kForeign,           // in a state space of its own
  kClosureParameter,  // T_ with the number `count`, which each call of a closure decides
  kPack,              // several template arguments: `count` elements of MangledTypes::packed from `inner` on
  kExpanded,          // the pack of `inner`, as so many types
  kNumbaArray,        // of Numba: as many parameters as ReadMangledParameters() says, for `count` dimensions
};

inline constexpr uint32_t kNoMangledType = UINT32_MAX;

struct MangledType {
  MangledTypeKind kind = MangledTypeKind::kOther;
  hal_element_type_t element = HAL_ELEMENT_TYPE_NONE;  // kNumber, kNamed: of what is in it
  uint32_t size = 0;                                   // kNumber: bytes
  uint32_t inner = kNoMangledType;
  uint32_t count = 0;
};

/// A name's types. They refer to each other, and only to those that came earlier.
struct MangledTypes {
  static constexpr size_t kMostDepth = 128;  ///< of types in types
  static constexpr size_t kMostParameters = 4096;

  HostVector<MangledType> all;
  HostVector<uint32_t> packed;      ///< elements of packs
  HostVector<uint32_t> parameters;  ///< of the function

  /// The pack in a type, which is expanded with it; kNoMangledType if there is none.
  uint32_t PackOf(uint32_t type) const;
};

/// Reads the types. False if the name is not made as the Itanium C++ ABI makes names, or is not understood whole.
bool ReadMangledTypes(std::string_view name, MangledTypes* out_types);

}  // namespace halyard

#endif  // HALYARD_IMAGE_REFLECTION_MANGLED_TYPES_H_
