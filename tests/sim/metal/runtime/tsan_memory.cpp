// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clang's code calls these under thread sanitizer; GCC's runtime checks memcpy() itself and has no such names.
#include <cstring>

extern "C" {
__attribute__((visibility("default"))) void* __tsan_memcpy(void* target, const void* source, size_t size) {
  return std::memcpy(target, source, size);
}
__attribute__((visibility("default"))) void* __tsan_memmove(void* target, const void* source, size_t size) {
  return std::memmove(target, source, size);
}
__attribute__((visibility("default"))) void* __tsan_memset(void* target, int value, size_t size) {
  return std::memset(target, value, size);
}
}
