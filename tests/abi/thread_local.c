// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library that takes most of what glibc keeps of thread-local memory for libraries that are loaded late.
__attribute__((tls_model("initial-exec"))) static __thread char t_taken[1000];

char* TakenMemory(void);
char* TakenMemory(void) { return t_taken; }
