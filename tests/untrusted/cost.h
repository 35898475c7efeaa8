// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What reading a file may cost, and what it does cost.
#ifndef HALYARD_TESTS_UNTRUSTED_COST_H_
#define HALYARD_TESTS_UNTRUSTED_COST_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <string>

namespace halyard::testing {

/// Has `read` read a file of `size` bytes. Fails if the library takes more than 64 bytes of memory for each byte of the
/// file, plus 16 MiB; or more processor time than a second for each MiB, and a second for files that are smaller. Under
/// sanitizers the time may be twenty times as long.
void ExpectCheap(const std::string& what, size_t size, const std::function<void()>& read);

}  // namespace halyard::testing

#endif  // HALYARD_TESTS_UNTRUSTED_COST_H_
