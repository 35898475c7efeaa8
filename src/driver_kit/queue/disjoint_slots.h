// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether the slots of a binding table are different memory, as the order of tracked commands takes for granted.
#ifndef HALYARD_DRIVER_KIT_QUEUE_DISJOINT_SLOTS_H_
#define HALYARD_DRIVER_KIT_QUEUE_DISJOINT_SLOTS_H_

#include <cstdint>
#include <mutex>
#include <span>

#include "base/host_memory.h"
#include "driver_kit/device/binding_table.h"
#include "driver_kit/queue/hazard_driver.h"
#include "halyard/driver_api.h"

namespace halyard {

/// What a tracked recording takes for granted of a binding table: a slot that is written has no byte in common with
/// another slot or with a buffer that the commands name. Else its commands run one after the other.
class DisjointSlots {
 public:
  explicit DisjointSlots(const HazardDriver& driver) : driver_(driver) {}

  /// A command uses a range, of a slot or of a buffer.
  void Note(const hal_buffer_ref_t& ref, bool writes);
  /// Nothing is noted from now on.
  void Seal();
  /// Whether it is true of a table. Thread-safe.
  bool Hold(BindingTable table) const;

 private:
  struct Use {
    uint64_t first = 0;  // bytes
    uint64_t end = 0;
    bool writes = false;
  };
  struct Item {
    MemoryPlace place;
    uint64_t end = 0;  // as place.first
    bool writes = false;
    bool is_slot = false;
  };
  static void Widen(Use* use, const hal_buffer_ref_t& ref, bool writes);
  static bool AreDisjoint(std::span<Item> items);
  Item ItemOf(const hal_buffer_t& buffer, uint64_t offset, uint64_t length, const Use& use) const;

  const HazardDriver driver_;
  HostMap<uint32_t, Use> slots_;
  HostMap<const hal_buffer_t*, Use> buffers_;

  mutable std::mutex mutex_;          // protects what follows; a leaf
  mutable HostVector<Item> scratch_;  // keeps its room, so that an execution allocates nothing
};

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_QUEUE_DISJOINT_SLOTS_H_
