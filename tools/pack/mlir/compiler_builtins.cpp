// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler_builtins.h"

namespace halyard::tools {

// Wider floats are rounded to an f32 with an odd last bit where they lie between two, which keeps what the second
// rounding has to know.
const char* const kCompilerBuiltins = R"(/* Made by halyard-pack. */
#define HALYARD_BUILTIN __attribute__((weak, visibility("hidden")))
static unsigned halyard_bits(float x) { unsigned bits; __builtin_memcpy(&bits, &x, 4); return bits; }
static __bf16 halyard_round(unsigned bits) {
  unsigned short half = (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  if ((bits & 0x7fffffff) > 0x7f800000) half = (unsigned short)(bits >> 16 | 0x40);
  __bf16 result;
  __builtin_memcpy(&result, &half, 2);
  return result;
}
#define HALYARD_TO_BF16(name, type)                            \
  HALYARD_BUILTIN __bf16 name(type x) {                        \
    float rounded = (float)x;                                  \
    unsigned bits = halyard_bits(rounded);                     \
    type back = rounded;                                       \
    if (x == x && back != x && !(bits & 1)) {                  \
      type size = x < 0 ? -x : x;                              \
      bits = (back < 0 ? -back : back) < size ? bits + 1 : bits - 1; \
    }                                                          \
    return halyard_round(bits);                                \
  }
HALYARD_BUILTIN __bf16 __truncsfbf2(float x) { return halyard_round(halyard_bits(x)); }
HALYARD_TO_BF16(__truncdfbf2, double)
HALYARD_TO_BF16(__truncxfbf2, long double)
HALYARD_TO_BF16(__trunctfbf2, __float128)
)";

}  // namespace halyard::tools
