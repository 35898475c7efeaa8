// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/recording/peer_commands.h"

#include "driver_kit/queue/command.h"
#include "stream/memory/stream_buffer.h"
#include "stream/native/stream_context.h"

namespace halyard::stream {
namespace {

/// The other device whose buffer it is; NULL if there is none.
StreamContext* PeerOf(const StreamContext& context, const hal_buffer_ref_t& ref) {
  if (!ref.buffer) return nullptr;
  StreamContext& owner = static_cast<const StreamBuffer*>(ref.buffer)->context();
  return &owner == &context ? nullptr : &owner;
}

}  // namespace

Status OpenPeersOf(StreamContext& context, const hal_buffer_ref_t& source, const hal_buffer_ref_t& target) {
  for (const hal_buffer_ref_t* const ref : {&source, &target}) {
    if (StreamContext* const peer = PeerOf(context, *ref)) [[unlikely]]
      HAL_TRY(context.memory().peers().Open(context, *peer));
  }
  return kOk;
}

bool GraphReaches(StreamContext& context, const hal_command_t& command) {
  if (command.type != HAL_COMMAND_TYPE_COPY && command.type != HAL_COMMAND_TYPE_COPY_STRIDED) return true;
  bool reaches = true;
  ForEachRange(command, [&](const hal_buffer_ref_t& ref, RangeUse) {
    StreamContext* const peer = PeerOf(context, ref);
    if (!peer) return;
    reaches &= context.api().traits().graph_peer_copies && context.memory().peers().Reaches(*peer);
  });
  return reaches;
}

}  // namespace halyard::stream
