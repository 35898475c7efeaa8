// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "metal/memory/metal_residency.h"

#include "metal/native/metal_errors.h"
#include "metal/native/metal_library.h"

namespace halyard::metal {

Status MetalResidency::Open(NativeDevice device) {
  if (@available(macOS 15.0, iOS 18.0, *)) {
    const AutoreleaseScope scope;
    MTLResidencySetDescriptor* const descriptor =
        [[[HALYARD_METAL_CLASS(MTLResidencySetDescriptor) alloc] init] autorelease];
    NSError* error = nil;
    const id<MTLResidencySet> set = [Id(device) newResidencySetWithDescriptor:descriptor error:&error];
    if (!set) return FailCall(HAL_STATUS_RESOURCE_EXHAUSTED, "newResidencySetWithDescriptor", error);
    set_ = Owned<NativeResidencySet>::Adopting(ToNative<NativeResidencySet>(set));
  }
  return kOk;
}

void MetalResidency::AddTo(NativeCommandQueue queue) {
  if (@available(macOS 15.0, iOS 18.0, *)) {
    if (set_) [Id(queue) addResidencySet:Id(set_.get())];
  }
}

Status MetalResidency::Add(NativeBuffer buffer) {
  if (@available(macOS 15.0, iOS 18.0, *)) {
    if (!set_) return kOk;
    const std::lock_guard lock(mutex_);
    [Id(set_.get()) addAllocation:Id(buffer)];
    changed_.store(true, std::memory_order_release);
  }
  return kOk;
}

void MetalResidency::Remove(NativeBuffer buffer) noexcept {
  if (@available(macOS 15.0, iOS 18.0, *)) {
    if (!set_) return;
    const std::lock_guard lock(mutex_);
    [Id(set_.get()) removeAllocation:Id(buffer)];
    changed_.store(true, std::memory_order_release);
  }
}

void MetalResidency::Commit() noexcept {
  if (@available(macOS 15.0, iOS 18.0, *)) {
    const std::lock_guard lock(mutex_);
    if (!changed_.exchange(false, std::memory_order_acq_rel)) return;
    [Id(set_.get()) commit];
  }
}

}  // namespace halyard::metal
