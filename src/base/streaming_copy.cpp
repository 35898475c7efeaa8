// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/streaming_copy.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace halyard {

#ifdef __SSE2__
namespace {

constexpr size_t kLine = 64;               // bytes of a cache line
constexpr size_t kWord = sizeof(__m128i);  // bytes of a store
constexpr size_t kWords = kLine / kWord;

/// `target` is at the beginning of a line.
void CopyLine(char* target, const char* source) {
  __m128i words[kWords];
  std::memcpy(words, source, kLine);
  for (size_t i = 0; i < kWords; ++i) _mm_stream_si128(reinterpret_cast<__m128i*>(target + i * kWord), words[i]);
}

}  // namespace

void StreamingCopy(void* target, const void* source, size_t count) {
  auto* to = static_cast<char*>(target);
  const auto* from = static_cast<const char*>(source);
  const size_t head = std::min(count, (kLine - reinterpret_cast<uintptr_t>(to) % kLine) % kLine);
  std::memcpy(to, from, head);
  size_t done = head;
  for (; count - done >= kLine; done += kLine) CopyLine(to + done, from + done);
  std::memcpy(to + done, from + done, count - done);
  _mm_sfence();  // such stores are ordered by nothing else, not even by a release
}
#else
void StreamingCopy(void* target, const void* source, size_t count) { std::memcpy(target, source, count); }
#endif

}  // namespace halyard
