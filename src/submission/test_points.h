// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places where a test stops threads between two steps of a handshake.
#ifndef HALYARD_SUBMISSION_TEST_POINTS_H_
#define HALYARD_SUBMISSION_TEST_POINTS_H_

#include <cstdint>

namespace halyard {

/// Reached when a pass of Retirement has chosen its queues.
inline constexpr const char* kRetirementPass = "retirement pass";

// tests/unit/stream/stress compiles the files that have such places once more. In the library they do nothing.
#if defined(HALYARD_STREAM_STRESS)
void AtTestPoint(const char* place = "") noexcept;
/// In that test a doze is this many times longer. So a request that the thread misses waits for longer than any test
/// does.
inline constexpr uint64_t kDozeFactor = 60'000;
#else
inline void AtTestPoint(const char* /*place*/ = "") noexcept {}
inline constexpr uint64_t kDozeFactor = 1;
#endif

}  // namespace halyard

#endif  // HALYARD_SUBMISSION_TEST_POINTS_H_
