// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The debug groups of a command buffer. Commands may change places, so each encoder opens the groups that its commands
// are in.
#ifndef HALYARD_METAL_RECORDING_METAL_DEBUG_GROUPS_H_
#define HALYARD_METAL_RECORDING_METAL_DEBUG_GROUPS_H_

#include <cstdint>
#include <string_view>

#include "base/host_memory.h"
#include "metal/recording/metal_encoding.h"

namespace halyard::metal {

/// A tree of groups, numbered from 1; 0 is outside of all.
class DebugGroups {
 public:
  DebugGroups() { groups_.push_back({}); }

  /// @name While commands are looked at in order
  /// @{
  void Begin(std::string_view label);
  void End();
  uint32_t current() const { return current_; }
  /// @}

  /// Closes and opens groups of an encoder, from those of `from` to those of `to`.
  void Switch(MetalEncoding& encoding, uint32_t from, uint32_t to) const;

 private:
  struct Group {
    uint32_t parent = 0;
    uint32_t depth = 0;
    std::string_view label;  // lives as long as the command buffer
  };

  void Open(MetalEncoding& encoding, uint32_t outer, uint32_t group) const;

  HostVector<Group> groups_;
  uint32_t current_ = 0;
};

}  // namespace halyard::metal

#endif  // HALYARD_METAL_RECORDING_METAL_DEBUG_GROUPS_H_
