// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What sanitizers overlook of Mesa's lavapipe, which is not instrumented: it keeps some memory until the process ends,
// and destroys a fence that a thread of its own has just left. Part of each program that runs on it, where
// the sanitizers look for these functions.
extern "C" {
__attribute__((visibility("default"))) const char* __lsan_default_suppressions() { return "leak:libvulkan_lvp.so\n"; }
__attribute__((visibility("default"))) const char* __tsan_default_suppressions() {
  return "race:pthread_mutex_destroy\nrace:pthread_cond_destroy\n";
}
}
