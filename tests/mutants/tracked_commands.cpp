// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of a recording that tracks hazards, found by comparing all pairs of commands.
#include <algorithm>
#include <utility>

#include "driver_kit/queue/command.h"
#include "driver_kit/queue/command_order.h"
#include "mutants/collected_commands.h"

namespace halyard::mutants {
namespace {

struct Use {
  hal_buffer_ref_t ref;
  bool reads;
  bool writes;
  bool is_counts;
};

bool MayWrite(const hal_command_dispatch_t& dispatch, size_t binding) {
  const hal_export_info_t* const info = Local().executable->export_info(dispatch.executable, dispatch.ordinal);
  size_t index = 0;  // the suite's kernels take their bindings in flat order
  for (uint32_t i = 0; i < info->parameter_count; ++i) {
    const hal_parameter_t& parameter = info->parameters[i];
    if (parameter.kind == HAL_PARAMETER_KIND_BINDING && index++ == binding) {
      return parameter.access != HAL_BINDING_ACCESS_READ;
    }
  }
  return true;
}

std::vector<Use> UsesOf(const hal_command_t& command) {
  std::vector<Use> uses;
  size_t binding = 0;
  ForEachRange(command, [&](const hal_buffer_ref_t& ref, RangeUse how) {
    bool writes = how == RangeUse::kTarget;
    if (how == RangeUse::kBinding) writes = MayWrite(command.u.dispatch, binding++);
    uses.push_back({ref, how != RangeUse::kTarget, writes, how == RangeUse::kCounts});
  });
  return uses;
}

bool Overlap(const hal_buffer_ref_t& a, const hal_buffer_ref_t& b, Hazards lost) {
  if (a.length == 0 || b.length == 0) return false;
  const bool same = a.buffer == b.buffer && a.slot == b.slot;
  if (!a.buffer || !b.buffer) {  // what they stand for is not known
    if (!same) return lost != Hazards::kSlots;
  } else if (a.buffer != b.buffer) {
    return false;
  }
  if (lost == Hazards::kPartialOverlaps) return a.offset == b.offset && a.length == b.length;
  const auto end = [](const hal_buffer_ref_t& ref) {
    return ref.length == HAL_WHOLE_SIZE ? UINT64_MAX : ref.offset + ref.length;
  };
  return a.offset < end(b) && b.offset < end(a);
}

bool IsHazard(const Use& first, const Use& second, Hazards lost) {
  if (lost == Hazards::kCounts && second.is_counts) return false;
  if (first.writes && second.reads && lost != Hazards::kReadAfterWrite) return true;
  if (first.reads && second.writes && lost != Hazards::kWriteAfterRead) return true;
  return first.writes && second.writes && lost != Hazards::kWriteAfterWrite;
}

bool MustFollow(const hal_command_t& first, const hal_command_t& second, Hazards lost) {
  if (!IsWork(first) || !IsWork(second)) return true;
  const std::vector<Use> others = UsesOf(second);
  return std::ranges::any_of(UsesOf(first), [&](const Use& one) {
    return std::ranges::any_of(
        others, [&](const Use& other) { return Overlap(one.ref, other.ref, lost) && IsHazard(one, other, lost); });
  });
}

}  // namespace

void ReverseTracked(Commands& commands, Hazards lost) {
  Commands reordered;
  while (!commands.empty()) {
    size_t chosen = commands.size() - 1;
    const auto waits = [&](size_t i) {
      return std::any_of(commands.begin(), commands.begin() + static_cast<std::ptrdiff_t>(i),
                         [&](const hal_command_t& first) { return MustFollow(first, commands[i], lost); });
    };
    while (waits(chosen)) --chosen;
    reordered.push_back(commands[chosen]);
    commands.erase(commands.begin() + static_cast<std::ptrdiff_t>(chosen));
  }
  commands = std::move(reordered);
}

}  // namespace halyard::mutants
