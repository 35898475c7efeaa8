// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Long parameter lists, on the real device and on the simulated one: a kernel copies the last word of its constants to
// its only binding, by every way in which a kernel can be launched.
#ifndef HALYARD_TESTS_CUDA_HARDWARE_LAST_WORD_H_
#define HALYARD_TESTS_CUDA_HARDWARE_LAST_WORD_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "driver_kit/object/object.h"
#include "halyard/halyard.h"

namespace halyard::cuda {

/// An export of an executable. Its parameters are the constants and the address of a binding.
struct LastWordKernel {
  const char* name = nullptr;
  uint32_t constants = 0;      ///< bytes
  bool binding_first = false;  ///< in the parameter list
  bool apart = false;          ///< each word of the constants is a parameter of its own; else all are one
};

hal_status_t LoadLastWord(hal_device_t* device, std::string_view image, const char* format,
                          const LastWordKernel& kernel, Ref<hal_executable_t>* out_executable);

/// What the kernel copied: of a dispatch on a queue, and of two executions of a command buffer, each into a buffer of
/// its own that the binding table names. Failures are the test's.
std::vector<uint32_t> RunLastWord(hal_device_t* device, const Ref<hal_executable_t>& executable,
                                  const LastWordKernel& kernel);
/// What it ought to copy.
std::vector<uint32_t> ExpectedLastWords(const LastWordKernel& kernel);

}  // namespace halyard::cuda

#endif  // HALYARD_TESTS_CUDA_HARDWARE_LAST_WORD_H_
