// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts back what macros_begin.hpp has put aside.
#pragma pop_macro("Status")
