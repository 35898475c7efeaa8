// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many threads this process has.
#ifndef HALYARD_TESTS_UNIT_SUPPORT_THREAD_COUNT_H_
#define HALYARD_TESTS_UNIT_SUPPORT_THREAD_COUNT_H_

#include <cstddef>
#include <filesystem>
#include <iterator>
#include <system_error>

namespace halyard {

// ThreadSanitizer starts a thread of its own with the program's first one.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HALYARD_THREAD_SANITIZER
#endif
#elif defined(__SANITIZE_THREAD__)
#define HALYARD_THREAD_SANITIZER
#endif
#if defined(HALYARD_THREAD_SANITIZER)
inline constexpr size_t kThreadsOfSanitizer = 1;
#else
inline constexpr size_t kThreadsOfSanitizer = 0;
#endif

/// 1 where the system does not report it.
inline size_t ThreadCount() {
  std::error_code error;
  const std::filesystem::directory_iterator tasks("/proc/self/task", error);
  return error ? 1 : static_cast<size_t>(std::distance(begin(tasks), end(tasks)));
}

/// Whether as many threads are left as there were `before`.
inline bool HasAsManyThreadsAs(size_t before) {
  const size_t now = ThreadCount();
  return now == before || now == before + kThreadsOfSanitizer;
}

}  // namespace halyard

#endif  // HALYARD_TESTS_UNIT_SUPPORT_THREAD_COUNT_H_
