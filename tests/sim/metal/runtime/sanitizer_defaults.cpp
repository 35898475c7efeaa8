// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What sanitizers overlook in programs with Objective-C: its runtime keeps its tables until the process ends, and
// neither library is instrumented. Part of each such program, where the sanitizers look for these functions.
extern "C" {
__attribute__((visibility("default"))) const char* __lsan_default_suppressions() {
  return "leak:libobjc.so\nleak:libgnustep-base.so\n";
}
__attribute__((visibility("default"))) const char* __tsan_default_suppressions() {
  return "deadlock:libobjc.so\ndeadlock:libgnustep-base.so\n";
}
}
