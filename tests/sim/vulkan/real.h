// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of the real library, and this library's own that stand before them.
#ifndef HALYARD_TESTS_SIM_VULKAN_REAL_H_
#define HALYARD_TESTS_SIM_VULKAN_REAL_H_

#include <atomic>
#include <type_traits>

#include "vulkan/vulkan_api.h"

namespace halyard::vulkan_sim {

/// A function of the real library, by its exported name. Null until the first instance that has it was made.
struct AnyRealFunction {
  const char* name;
  std::atomic<PFN_vkVoidFunction> pointer = nullptr;
};

template <typename Pointer>
struct RealFunction : AnyRealFunction {
  template <typename... Arguments>
  auto operator()(Arguments... arguments) const {
    return reinterpret_cast<Pointer>(pointer.load())(arguments...);
  }
};

namespace real {
#define PLAIN(function) inline constinit RealFunction<PFN_vk##function> function{{"vk" #function}};
#define OWN(function) PLAIN(function)
#define SHARED(function) PLAIN(function)
#include "vulkan/functions.inc"
#undef PLAIN
#undef OWN
#undef SHARED
}  // namespace real

namespace own {
#define PLAIN(function)
#define OWN(function) std::remove_pointer_t<PFN_vk##function> function;
#define SHARED(function)
#include "vulkan/functions.inc"
#undef PLAIN
#undef OWN
#undef SHARED
}  // namespace own

}  // namespace halyard::vulkan_sim

#endif  // HALYARD_TESTS_SIM_VULKAN_REAL_H_
