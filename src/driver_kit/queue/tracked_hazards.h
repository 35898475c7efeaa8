// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a command buffer keeps if it tracks hazards (HAL_COMMAND_BUFFER_TRACK_HAZARDS).
#ifndef HALYARD_DRIVER_KIT_QUEUE_TRACKED_HAZARDS_H_
#define HALYARD_DRIVER_KIT_QUEUE_TRACKED_HAZARDS_H_

#include <memory>
#include <optional>

#include "driver_kit/queue/disjoint_slots.h"
#include "driver_kit/queue/hazards.h"
#include "halyard/driver_api.h"

namespace halyard {

/// Nothing, if it does not track them.
class TrackedHazards {
 public:
  TrackedHazards(const hal_command_buffer_params_t& params, const HazardDriver& driver)
      : driver_(driver), tracks_((params.flags & HAL_COMMAND_BUFFER_TRACK_HAZARDS) != 0) {
    if (tracks_ && params.binding_capacity > 0) slots_ = std::make_unique<DisjointSlots>(driver);
  }

  bool tracks() const { return tracks_; }
  /// For the CommandOrder of a recording that ends.
  std::optional<HazardTracker> MakeTracker() {
    if (!tracks_) return std::nullopt;
    return std::optional<HazardTracker>(std::in_place, driver_, slots_.get());
  }
  /// Nothing is tracked from now on.
  void Seal() {
    if (slots_) slots_->Seal();
  }
  /// Whether an execution with this table may run in the order that the tracker has found; else its commands must run
  /// one after the other. Thread-safe.
  bool Allow(BindingTable table) const { return !slots_ || slots_->Hold(table); }

 private:
  const HazardDriver driver_;
  const bool tracks_;
  std::unique_ptr<DisjointSlots> slots_;
};

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_QUEUE_TRACKED_HAZARDS_H_
