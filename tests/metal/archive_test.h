// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HALYARD_TESTS_METAL_ARCHIVE_TEST_H_
#define HALYARD_TESTS_METAL_ARCHIVE_TEST_H_

#include <string>

namespace halyard::metal {

/// Prepares and runs kernels, with an executable cache in a folder. Returns how many of their functions Metal compiled,
/// or kPreparedWrongly. What a process does that archive_test.cpp starts: main.cpp with --prepare=<folder>.
int PrepareWithCache(const std::string& folder);
inline constexpr int kPreparedWrongly = 99;

}  // namespace halyard::metal

#endif  // HALYARD_TESTS_METAL_ARCHIVE_TEST_H_
