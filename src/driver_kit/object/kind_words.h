// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kinds of objects in messages.
#ifndef HALYARD_DRIVER_KIT_OBJECT_KIND_WORDS_H_
#define HALYARD_DRIVER_KIT_OBJECT_KIND_WORDS_H_

#include "halyard/driver_api.h"

namespace halyard {

inline constexpr hal_object_kind_t kLastObjectKind = HAL_OBJECT_KIND_STREAM;

/// What a message calls a kind: "a semaphore".
const char* KindWords(hal_object_kind_t kind) noexcept;

/// In the kind of an object that was destroyed, while validation is on: no check takes such an object for a live one.
inline constexpr uint32_t kDestroyedBit = 0x40000000;

/// Whether it is the kind of an object that was destroyed.
inline bool IsDestroyed(hal_object_kind_t kind) {
  return (static_cast<uint32_t>(kind) & kDestroyedBit) != 0 &&
         (static_cast<uint32_t>(kind) & ~kDestroyedBit) <= kLastObjectKind;
}
/// Which kind an object that was destroyed had.
inline hal_object_kind_t KindBefore(hal_object_kind_t kind) {
  return static_cast<hal_object_kind_t>(static_cast<uint32_t>(kind) & ~kDestroyedBit);
}

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_OBJECT_KIND_WORDS_H_
