// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of one device as a buffer of another one.
#ifndef HALYARD_CORE_PEER_BUFFER_SHARE_H_
#define HALYARD_CORE_PEER_BUFFER_SHARE_H_

#include "halyard/driver_api.h"

namespace halyard {

/// The allocation whose memory one that hal_buffer_share() has made is, at the same offsets; any other one itself.
/// The caller keeps the given one. Thread-safe.
hal_buffer_t* OriginalOf(hal_buffer_t* allocation);

}  // namespace halyard

#endif  // HALYARD_CORE_PEER_BUFFER_SHARE_H_
