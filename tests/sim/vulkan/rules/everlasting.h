// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What there is once in a process.
#ifndef HALYARD_TESTS_SIM_VULKAN_EVERLASTING_H_
#define HALYARD_TESTS_SIM_VULKAN_EVERLASTING_H_

namespace halyard::vulkan_sim {

/// The one object of a type. Never destroyed: threads may outlive main().
template <typename Type>
Type& Everlasting() {
  static auto* const object = new Type;
  return *object;
}

}  // namespace halyard::vulkan_sim

#endif  // HALYARD_TESTS_SIM_VULKAN_EVERLASTING_H_
