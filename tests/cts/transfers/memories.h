// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kinds of memory, for cases that run in each.
#ifndef HALYARD_TESTS_CTS_TRANSFERS_MEMORIES_H_
#define HALYARD_TESTS_CTS_TRANSFERS_MEMORIES_H_

#include <ostream>

#include "cts/cts.h"

namespace halyard::cts {

struct Memory {
  const char* name;
  hal_buffer_params_t (*params)(hal_buffer_usage_t usage);
};
inline void PrintTo(const Memory& memory, std::ostream* out) { *out << memory.name; }

}  // namespace halyard::cts

#endif  // HALYARD_TESTS_CTS_TRANSFERS_MEMORIES_H_
