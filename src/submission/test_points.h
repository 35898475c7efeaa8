// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Places where a test holds threads up, between two steps of a handshake that must not miss anything.
#ifndef HALYARD_SUBMISSION_TEST_POINTS_H_
#define HALYARD_SUBMISSION_TEST_POINTS_H_

#include <cstdint>

namespace halyard {

/// A pass of Retirement knows which queues it looks at.
inline constexpr const char* kRetirementPass = "retirement pass";

// tests/unit/stream/stress compiles the files that have such places once more, for itself. In the library they are
// nothing.
#if defined(HALYARD_STREAM_STRESS)
void AtTestPoint(const char* place = "") noexcept;
/// A doze lasts so many times as long: a request that the thread misses waits for longer than any test does.
inline constexpr uint64_t kDozeFactor = 60'000;
#else
inline void AtTestPoint(const char* /*place*/ = "") noexcept {}
inline constexpr uint64_t kDozeFactor = 1;
#endif

}  // namespace halyard

#endif  // HALYARD_SUBMISSION_TEST_POINTS_H_
