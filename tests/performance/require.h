// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ends the program when a call fails: there is nothing to count then.
#ifndef HALYARD_TESTS_PERFORMANCE_REQUIRE_H_
#define HALYARD_TESTS_PERFORMANCE_REQUIRE_H_

#include <cstdio>
#include <cstdlib>

#include "halyard/halyard.h"

namespace halyard::performance {

inline void Require(hal_status_t status, const char* what) {
  if (status == HAL_STATUS_OK) return;
  std::fprintf(stderr, "halyard-counted-paths: %s: %s: %s\n", what, hal_status_name(status), hal_last_error_message());
  std::exit(1);
}

}  // namespace halyard::performance

#endif  // HALYARD_TESTS_PERFORMANCE_REQUIRE_H_
