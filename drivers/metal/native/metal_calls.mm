// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "metal/native/metal_calls.h"

#include "metal/native/metal_errors.h"
#include "metal/native/metal_library.h"

namespace halyard::metal {
namespace {

MTLResourceOptions OptionsOf(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::kShared:
      return MTLResourceStorageModeShared | MTLResourceHazardTrackingModeUntracked;
#if !TARGET_OS_IPHONE
    case MemoryKind::kManaged:
      return MTLResourceStorageModeManaged | MTLResourceHazardTrackingModeUntracked;
#endif
    default:
      return MTLResourceStorageModePrivate | MTLResourceHazardTrackingModeUntracked;
  }
}

}  // namespace

Status NewBuffer(NativeDevice device, MemoryKind kind, uint64_t length, OwnedBuffer* out_buffer) {
  const id<MTLBuffer> buffer = [Id(device) newBufferWithLength:length options:OptionsOf(kind)];
  if (!buffer) return FailNil("newBufferWithLength");
  *out_buffer = OwnedBuffer::Adopting(ToNative<NativeBuffer>(buffer));
  return kOk;
}

Status NewBufferOver(NativeDevice device, void* pages, uint64_t length, OwnedBuffer* out_buffer) {
  const id<MTLBuffer> buffer = [Id(device) newBufferWithBytesNoCopy:pages
                                                             length:length
                                                            options:OptionsOf(MemoryKind::kShared)
                                                        deallocator:nil];
  if (!buffer) return FailNil("newBufferWithBytesNoCopy");
  *out_buffer = OwnedBuffer::Adopting(ToNative<NativeBuffer>(buffer));
  return kOk;
}

Status DescribeBuffer(NativeDevice device, NativeBuffer buffer, MemoryKind* out_kind) {
  if ([Id(buffer) device] != Id(device)) return FailWith(HAL_STATUS_INCOMPATIBLE, "the MTLBuffer is another device's");
  switch ([Id(buffer) storageMode]) {
    case MTLStorageModeShared:
      *out_kind = MemoryKind::kShared;
      return kOk;
    case MTLStorageModePrivate:
      *out_kind = MemoryKind::kPrivate;
      return kOk;
#if !TARGET_OS_IPHONE
    case MTLStorageModeManaged:
      *out_kind = MemoryKind::kManaged;
      return kOk;
#endif
    default:
      return FailWith(HAL_STATUS_INCOMPATIBLE, "the MTLBuffer has no storage that a buffer can have");
  }
}

void* Contents(NativeBuffer buffer) { return [Id(buffer) contents]; }

uint64_t GpuAddress(NativeBuffer buffer) {
  if (@available(macOS 13.0, iOS 16.0, *)) return [Id(buffer) gpuAddress];
  return 0;
}

uint64_t LengthOf(NativeBuffer buffer) { return [Id(buffer) length]; }

void TellModified(NativeBuffer buffer, uint64_t offset, uint64_t length) {
#if !TARGET_OS_IPHONE
  [Id(buffer) didModifyRange:NSMakeRange(offset, length)];
#endif
}

Status NewFence(NativeDevice device, Owned<NativeFence>* out_fence) {
  const id<MTLFence> fence = [Id(device) newFence];
  if (!fence) return FailNil("newFence");
  *out_fence = Owned<NativeFence>::Adopting(ToNative<NativeFence>(fence));
  return kOk;
}

Status NewSharedEvent(NativeDevice device, Owned<NativeSharedEvent>* out_event) {
  const id<MTLSharedEvent> event = [Id(device) newSharedEvent];
  if (!event) return FailNil("newSharedEvent");
  *out_event = Owned<NativeSharedEvent>::Adopting(ToNative<NativeSharedEvent>(event));
  return kOk;
}

void SetSignaledValue(NativeSharedEvent event, uint64_t value) { [Id(event) setSignaledValue:value]; }

uint64_t SignaledValue(NativeSharedEvent event) { return [Id(event) signaledValue]; }

Status NotifyAt(NativeSharedEvent event, uint64_t value, void (*function)(void*) noexcept,
                const std::shared_ptr<void>& data) {
  // One for the process: each has a thread.
  static MTLSharedEventListener* const listener = [[HALYARD_METAL_CLASS(MTLSharedEventListener) alloc] init];
  if (!listener) return FailNil("MTLSharedEventListener init");
  const std::shared_ptr<void> kept = data;
  [Id(event) notifyListener:listener
                    atValue:value
                      block:^(id<MTLSharedEvent>, uint64_t) {
                        function(kept.get());
                      }];
  return kOk;
}

Status NewCommandQueue(NativeDevice device, uint32_t in_flight, Owned<NativeCommandQueue>* out_queue) {
  const id<MTLCommandQueue> queue = [Id(device) newCommandQueueWithMaxCommandBufferCount:in_flight];
  if (!queue) return FailNil("newCommandQueueWithMaxCommandBufferCount");
  *out_queue = Owned<NativeCommandQueue>::Adopting(ToNative<NativeCommandQueue>(queue));
  return kOk;
}

}  // namespace halyard::metal
