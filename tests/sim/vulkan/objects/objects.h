// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which objects exist, and which existed once.
#ifndef HALYARD_TESTS_SIM_VULKAN_OBJECTS_H_
#define HALYARD_TESTS_SIM_VULKAN_OBJECTS_H_

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "vulkan/handles.h"

namespace halyard::vulkan_sim {

/// The live objects by handle. Thread-safe; its own lock is innermost.
class Objects {
 public:
  static Objects& The();

  void Add(const Handle& object, const Handle& parent);
  void Remove(const Handle& object);
  /// Removes what was made from an object, and returns "2 VkBuffer, 1 VkFence"; empty if there was nothing.
  std::string RemoveChildren(const Handle& parent);
  /// Whether an object was destroyed. Handles that this library never saw were not.
  bool IsGone(const Handle& object) const;
  /// What an object was made from; a null handle if that is not known.
  Handle ParentOf(const Handle& object) const;

  uint64_t Count() const;
  /// Whether there is nothing else than objects of that kind.
  bool HasOnly(std::string_view kind) const;
  /// "2 VkBuffer, 1 VkFence"; empty if there is nothing.
  std::string Text() const;

 private:
  struct Object {
    Handle parent;
    unsigned count = 0;  // a driver may answer two creations with the same handle
  };

  void Erase(const Handle& object);

  mutable std::mutex mutex_;  // protects what follows
  std::map<Handle, Object> objects_;
  std::set<Handle> gone_;  // destroyed, and not made again
};

/// Whether an object may be used by a call: reports it if it was destroyed. A null handle may be.
bool MayUse(const char* call, const Handle& object);

/// Bytes that are allocated of a heap, by all devices.
uint64_t UsedMemory(uint32_t heap);

}  // namespace halyard::vulkan_sim

#endif  // HALYARD_TESTS_SIM_VULKAN_OBJECTS_H_
