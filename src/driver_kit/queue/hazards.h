// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the commands of a recording read and write, and which of them must therefore come after which.
#ifndef HALYARD_DRIVER_KIT_QUEUE_HAZARDS_H_
#define HALYARD_DRIVER_KIT_QUEUE_HAZARDS_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/host_memory.h"
#include "driver_kit/queue/disjoint_slots.h"
#include "driver_kit/queue/hazard_driver.h"
#include "driver_kit/queue/used_memory.h"
#include "halyard/driver_api.h"

namespace halyard {

/// For each node the nodes that it waits for. They stand before it.
class NodeEdges {
 public:
  bool empty() const { return ends_.empty(); }
  uint32_t size() const { return static_cast<uint32_t>(ends_.size()); }
  std::span<const uint32_t> Before(uint32_t node) const {
    const uint32_t begin = node == 0 ? 0 : ends_[node - 1];
    return std::span(list_).subspan(begin, ends_[node] - begin);
  }
  /// The next node's.
  void Add(std::span<const uint32_t> before) {
    list_.insert(list_.end(), before.begin(), before.end());
    ends_.push_back(static_cast<uint32_t>(list_.size()));
  }

 private:
  HostVector<uint32_t> ends_;
  HostVector<uint32_t> list_;
};

/// Finds hazards, node by node: a node must come after those that wrote what it reads or writes, and after those that
/// read what it writes. Of these it names the ones that none of the others waits for.
///
/// A slot overlaps nothing but itself here: see DisjointSlots.
class HazardTracker {
 public:
  /// @param slots  notes what the commands use; NULL if they name no slots
  HazardTracker(const HazardDriver& driver, DisjointSlots* slots) : driver_(driver), slots_(slots) {}

  /// The next node is a command that runs something. Returns how many nodes it must come after.
  uint32_t Add(const hal_command_t& command);
  /// The next node is a label.
  void AddLabel() { edges_.Add({}); }
  /// Nodes are numbered from 0 again: those up to here come before all that follow. Returns their edges.
  NodeEdges BeginSegment();

 private:
  struct Reader {
    uint32_t node = 0;
    uint32_t next = kNone;
  };
  static constexpr uint32_t kNone = UsedMemory::kNone;

  void Use(const hal_buffer_ref_t& ref, bool writes);
  void Read(const UsedMemory::Place& place, uint64_t end);
  void Write(const UsedMemory::Place& place, uint64_t end);
  void ComeAfter(uint32_t node);
  void DropIndirect();

  const HazardDriver driver_;
  DisjointSlots* const slots_;
  UsedMemory memory_;
  HostVector<Reader> readers_;  // in lists, one for each piece of memory
  NodeEdges edges_;
  HostVector<uint32_t> before_;  // of the node that is being added
  HostVector<uint32_t> marks_;   // [node] the last node that comes after it in two steps, plus 1
};

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_QUEUE_HAZARDS_H_
