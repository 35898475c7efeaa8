// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A shared object whose answer a test can change in its bytes.

// Volatile, so that the compiler leaves it a number in memory.
static const volatile unsigned kAnswer = 0x5AFEC0DEu;

__attribute__((visibility("default"))) unsigned Answer(void);

unsigned Answer(void) { return kAnswer; }

// Variables that a host may look for.
__attribute__((visibility("default"))) unsigned Numbers[4] = {1, 2, 3, 4};
__attribute__((visibility("default"))) const unsigned ConstantNumber = 5;
__attribute__((visibility("default"))) unsigned* const ConstantAddress = Numbers;  // the loader writes it
