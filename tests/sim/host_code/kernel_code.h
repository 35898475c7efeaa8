// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the host runs one kernel of a device image, and the text that says so:
//
//     kernel <name in the image> <name in the shared object>
//     workgroup <x> <y> <z>          0 in x if the launch says
//     local <bytes>                  declared by the kernel itself
//     constants <bytes>
//     binding <number>               the parameters, in the kernel's order
//     constant <offset> <bytes>
#ifndef HALYARD_TESTS_SIM_HOST_CODE_KERNEL_CODE_H_
#define HALYARD_TESTS_SIM_HOST_CODE_KERNEL_CODE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "halyard/local_kernel.h"

namespace halyard::sim {

// A parameter of a kernel: the address of a binding, or some of the constant bytes.
struct KernelParameter {
  bool is_binding = false;
  uint32_t place = 0;  // number of the binding, or offset of the constant
  uint32_t size = 8;   // bytes
};

struct KernelCode {
  std::string name;    // in the image
  std::string symbol;  // in the shared object
  hal_local_kernel_fn_t run = nullptr;
  std::array<uint32_t, 3> workgroup = {0, 0, 0};
  uint32_t local_memory = 0;  // bytes
  uint32_t constants_size = 0;
  uint32_t binding_count = 0;
  std::vector<KernelParameter> parameters;
};

// Where a parameter lies among the arguments of a launch.
struct ParameterPlace {
  size_t offset = 0;  // bytes
  size_t size = 0;    // bytes
};

// Parameters one after the other, each aligned to its size.
std::vector<ParameterPlace> NaturalLayout(const KernelCode& kernel);

// The name of an image's files in the folder of host code, without their endings: its XXH3-128 in hexadecimal digits.
std::string ImageName(std::span<const std::byte> image);

// The text above, and back. A wrong text gives nothing and says why.
std::string KernelText(const KernelCode& kernel);
std::optional<std::vector<KernelCode>> ParseKernels(const std::string& text, std::string* why);

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_HOST_CODE_KERNEL_CODE_H_
