// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What sanitizers overlook of Mesa's lavapipe, which is not instrumented: it keeps some memory until the process ends,
// and destroys a fence that a thread of its own has just left. Part of each program that runs on it, where
// the sanitizers look for these functions. A program may have Objective-C, too (tests/sim/metal/runtime).
extern "C" {
__attribute__((visibility("default"))) const char* __lsan_default_suppressions() {
  return "leak:libvulkan_lvp.so\nleak:libobjc.so\nleak:libgnustep-base.so\n";
}
__attribute__((visibility("default"))) const char* __tsan_default_suppressions() {
  return "race:pthread_mutex_destroy\nrace:pthread_cond_destroy\ndeadlock:libobjc.so\ndeadlock:libgnustep-base.so\n";
}
}
