// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which object needs which: a command buffer what it uses, a set its buffers, a buffer its memory, each what it was
// made from.
#ifndef HALYARD_TESTS_SIM_VULKAN_NEEDS_H_
#define HALYARD_TESTS_SIM_VULKAN_NEEDS_H_

#include <cstdint>
#include <map>
#include <mutex>

#include "vulkan/handles.h"

namespace halyard::vulkan_sim {

/// Thread-safe; its own lock is innermost.
class Needs {
 public:
  static Needs& The();

  void Add(const Handle& object, const Handle& needed) { Set(object, needed.value, needed); }
  /// One of the places in which an object needs another, such as a binding of a set. Takes the earlier one's place.
  void Set(const Handle& object, uint64_t place, const Handle& needed);
  void Forget(const Handle& object);

  /// Whether an object needs another, also by what it needs.
  bool Reaches(const Handle& object, const Handle& needed) const;

 private:
  bool ReachesLocked(const Handle& object, const Handle& needed) const;

  mutable std::mutex mutex_;  // protects what follows
  std::map<Handle, std::map<uint64_t, Handle>> needs_;
};

}  // namespace halyard::vulkan_sim

#endif  // HALYARD_TESTS_SIM_VULKAN_NEEDS_H_
