// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Single calls of Metal that parts written in C++ need.
#ifndef HALYARD_METAL_NATIVE_METAL_CALLS_H_
#define HALYARD_METAL_NATIVE_METAL_CALLS_H_

#include <cstdint>
#include <memory>

#include "base/status.h"
#include "metal/native/metal_types.h"

namespace halyard::metal {

/// A buffer whose hazards Metal does not track: the driver orders work itself. RESOURCE_EXHAUSTED.
Status NewBuffer(NativeDevice device, MemoryKind kind, uint64_t length, OwnedBuffer* out_buffer);
/// A buffer over whole pages of the application's memory.
Status NewBufferOver(NativeDevice device, void* pages, uint64_t length, OwnedBuffer* out_buffer);
/// What memory a buffer of the application has. INCOMPATIBLE if it is another device's.
Status DescribeBuffer(NativeDevice device, NativeBuffer buffer, MemoryKind* out_kind);

/// The first byte for the host; NULL for private memory.
void* Contents(NativeBuffer buffer);
/// The first byte for the device. Metal 3.
uint64_t GpuAddress(NativeBuffer buffer);
uint64_t LengthOf(NativeBuffer buffer);
/// Managed memory: the host has written a range.
void TellModified(NativeBuffer buffer, uint64_t offset, uint64_t length);

Status NewFence(NativeDevice device, Owned<NativeFence>* out_fence);
Status NewSharedEvent(NativeDevice device, Owned<NativeSharedEvent>* out_event);
void SetSignaledValue(NativeSharedEvent event, uint64_t value);
uint64_t SignaledValue(NativeSharedEvent event);
/// Calls `function` with `data`, which it keeps, once the event has reached a value, on a thread of Metal.
Status NotifyAt(NativeSharedEvent event, uint64_t value, void (*function)(void*) noexcept,
                const std::shared_ptr<void>& data);
Status NewCommandQueue(NativeDevice device, uint32_t in_flight, Owned<NativeCommandQueue>* out_queue);

}  // namespace halyard::metal

#endif  // HALYARD_METAL_NATIVE_METAL_CALLS_H_
