// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A framework that has Metal's first function, and none of its classes.

extern "C" __attribute__((visibility("default"))) void* MTLCreateSystemDefaultDevice() { return nullptr; }
