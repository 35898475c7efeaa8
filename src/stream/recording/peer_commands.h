// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies whose buffers belong to two devices of the API.
#ifndef HALYARD_STREAM_RECORDING_PEER_COMMANDS_H_
#define HALYARD_STREAM_RECORDING_PEER_COMMANDS_H_

#include "base/status.h"
#include "halyard/driver_api.h"

namespace halyard::stream {

class StreamContext;

Status OpenPeersOf(StreamContext& context, const hal_buffer_ref_t& source, const hal_buffer_ref_t& target);

/// Opens the way to the device of each buffer of a copy; see PeerAccess. Slots hold memory of `context`'s device.
/// Without the lock of a lane.
inline Status OpenPeers(StreamContext& context, const hal_command_t& command) {
  if (command.type == HAL_COMMAND_TYPE_COPY) return OpenPeersOf(context, command.u.copy.source, command.u.copy.target);
  if (command.type != HAL_COMMAND_TYPE_COPY_STRIDED) return kOk;
  return OpenPeersOf(context, command.u.copy_strided.params->source, command.u.copy_strided.params->target);
}

/// Whether a graph can hold a copy as far as its devices are concerned: it has memory of one, or of two that reach each
/// other. True for other commands. After OpenPeers().
bool GraphReaches(StreamContext& context, const hal_command_t& command);

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_RECORDING_PEER_COMMANDS_H_
