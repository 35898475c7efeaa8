// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GNUstep's headers ask for this file. The functions are in tests/sim/metal/runtime/blocks.cpp.
