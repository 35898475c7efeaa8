// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/recording/stream_command_buffer.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "stream/memory/stream_buffer.h"
#include "stream/native/stream_context.h"

namespace halyard::stream {
namespace {

// With command_buffer=auto a graph has so many nodes: then it is faster than as many launches, once it is there.
constexpr size_t kMinAutoNodes = 4;

}  // namespace

StreamCommandBuffer::StreamCommandBuffer(StreamContext& owner, const hal_command_buffer_params_t& params)
    : hal_command_buffer_t{},
      context_(owner),
      given_flags_(params.flags),
      hazards_(params, HazardDriverOf<StreamBuffer, StreamExecutable>()),
      commands_(owner.device().arenas()) {
  hal_object_initialize(&object, HAL_OBJECT_KIND_COMMAND_BUFFER, owner.tables().command_buffer);
}

// The graphs that a lane keeps know of barriers only.
bool StreamCommandBuffer::keeps_graphs() const {
  return graphs_.empty() && !hazards_.tracks() && context_.keeps_graphs();
}

Status StreamCommandBuffer::End() {
  const CommandBufferMode mode = context_.command_buffer_mode();
  const NativeTraits& traits = context_.api().traits();
  const bool pays = traits.graphs_pay && (given_flags_ & HAL_COMMAND_BUFFER_ONE_SHOT) == 0;
  if (mode == CommandBufferMode::kStream || (mode == CommandBufferMode::kAuto && !pays)) return kOk;
  const size_t min_nodes = mode == CommandBufferMode::kAuto ? kMinAutoNodes : 1;
  IndirectMode indirect = IndirectMode::kHost;
  const CommandList commands = commands_.commands();
  if (std::any_of(commands.begin(), commands.end(), IsIndirectDispatch)) {
    HAL_TRY(context_.ChooseIndirectMode(&indirect));
  }
  const auto can_hold = [&](const hal_command_t& command) {
    return GraphCanHold(traits, command) && GraphReaches(context_, command);
  };
  std::optional<HazardTracker> tracker = hazards_.MakeTracker();
  for (GraphSegment& segment : FindSegments(commands, min_nodes, indirect, tracker ? &*tracker : nullptr, can_hold)) {
    graphs_.push_back(std::make_unique<SegmentGraphs>(context_, commands, std::move(segment)));
  }
  hazards_.Seal();
  return kOk;
}

}  // namespace halyard::stream
