// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which code a device runs.
#ifndef HALYARD_TESTS_SIM_HIP_TARGET_H_
#define HALYARD_TESTS_SIM_HIP_TARGET_H_

#include <string_view>

namespace halyard::hip::abi {

// Whether a device runs code for a target: the same processor, and no feature that the target names is otherwise there.
bool Runs(std::string_view architecture, std::string_view target);

}  // namespace halyard::hip::abi

#endif  // HALYARD_TESTS_SIM_HIP_TARGET_H_
