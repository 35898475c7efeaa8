// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reports two threads in what Vulkan wants synchronised by the application.
#ifndef HALYARD_TESTS_SIM_VULKAN_EXCLUSIVE_H_
#define HALYARD_TESTS_SIM_VULKAN_EXCLUSIVE_H_

#include <vector>

#include "vulkan/handles.h"

namespace halyard::vulkan_sim {

/// The objects that a call uses exclusively, until the call returns.
class Exclusive {
 public:
  explicit Exclusive(const char* call) : call_(call) {}
  ~Exclusive();
  Exclusive(const Exclusive&) = delete;
  Exclusive& operator=(const Exclusive&) = delete;

  /// Reports the rule external-sync if another thread is inside a call that uses the object exclusively.
  void Use(const Handle& object);
  /// Ends the use of an object that is about to be destroyed: another thread may get its handle at once.
  void End(const Handle& object);
  bool IsEmpty() const { return used_.empty(); }

 private:
  const char* const call_;
  std::vector<Handle> used_;
};

}  // namespace halyard::vulkan_sim

#endif  // HALYARD_TESTS_SIM_VULKAN_EXCLUSIVE_H_
