// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HALYARD_BASE_TEXT_PRINTF_NUMBER_H_
#define HALYARD_BASE_TEXT_PRINTF_NUMBER_H_

#include <cstdint>

namespace halyard {

/// The type that %llu prints, which uint64_t is not everywhere.
inline unsigned long long Number(uint64_t value) { return value; }

}  // namespace halyard

#endif  // HALYARD_BASE_TEXT_PRINTF_NUMBER_H_
