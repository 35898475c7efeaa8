// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// halyard-lifecycle-program URI: a program in C that holds the static library, and uses it as the plugin does.
#include <stdio.h>

int use_halyard(const char* uri);

int main(int argc, char** argv) {
  const int failed = argc > 1 ? use_halyard(argv[1]) : -1;
  if (failed != 0) fprintf(stderr, "step %d failed\n", failed);
  return failed != 0;
}
