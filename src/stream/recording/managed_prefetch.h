// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moves managed memory to the device before dispatches use it.
//
// Pages that the host has touched move when a kernel touches them, one fault after the other, each of which costs as
// much as several launches. So PrefetchManaged() moves a buffer as a whole, before the first dispatch that binds it. It
// does so if the buffer was mapped since the device used it last, or was never used yet. Copies and fills move less,
// and are left alone.
#ifndef HALYARD_STREAM_RECORDING_MANAGED_PREFETCH_H_
#define HALYARD_STREAM_RECORDING_MANAGED_PREFETCH_H_

#include <span>

#include "driver_kit/queue/recorded_commands.h"
#include "halyard/driver_api.h"
#include "stream/native/native_api.h"

namespace halyard::stream {

/// Moves the managed memory that dispatches of the commands bind. Failures only cost time. Within a NativeScope.
void PrefetchManaged(NativeApi& api, NativeStream stream, CommandList commands,
                     std::span<const hal_buffer_ref_t> table) noexcept;

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_RECORDING_MANAGED_PREFETCH_H_
