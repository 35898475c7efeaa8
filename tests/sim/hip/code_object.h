// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Machine code as HIP takes it: a code object without its size.
#ifndef HALYARD_TESTS_SIM_HIP_CODE_OBJECT_H_
#define HALYARD_TESTS_SIM_HIP_CODE_OBJECT_H_

#include <span>
#include <string>
#include <vector>

#include "engine/error.h"
#include "engine/module.h"

namespace halyard::hip::abi {

struct CodeObject {
  std::span<const std::byte> bytes;
  std::string target;  // "gfx942:sramecc+:xnack-"
  std::vector<sim::Entry> kernels;
};

// kInvalidImage for what is no code object, saying why. One that begins as such and then cannot be read is reported:
// the vendor's library would believe it and end the process.
sim::Error ReadCodeObject(const void* image, CodeObject* code, std::string* why);

}  // namespace halyard::hip::abi

#endif  // HALYARD_TESTS_SIM_HIP_CODE_OBJECT_H_
