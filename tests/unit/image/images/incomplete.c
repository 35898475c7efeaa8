// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A shared object that takes from others what there is and what there is not.
#include <math.h>

int MissingFunction(int x);
extern int g_missing_variable;
__attribute__((weak)) int WeakFunction(int x);

__attribute__((visibility("default"))) double Sum(double x);

double Sum(double x) {
  return tgamma(x) + MissingFunction(1) + g_missing_variable + (WeakFunction ? WeakFunction(2) : 0);
}
