// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "framework/sim_buffer.h"

#include <cstring>
#include <utility>

#import <objc/blocks_runtime.h>

#include "framework/sim_device.h"

using halyard::metal_sim::CallFails;
using halyard::metal_sim::Report;
using halyard::metal_sim::Storage;

@implementation SimBuffer

- (instancetype)initWithDevice:(SimDevice*)device
                       storage:(std::shared_ptr<Storage>)storage
                       options:(MTLResourceOptions)options
                   deallocator:(void (^)(void*, NSUInteger))deallocator {
  self = [super init];
  device_ = device;
  storage_ = std::move(storage);
  options_ = options;
  if ([self hazardTrackingMode] != MTLHazardTrackingModeUntracked) storage_->Track();
  if (deallocator) deallocator_ = Block_copy(deallocator);
  return self;
}

- (void)dealloc {
  storage_->Retire();
  if (deallocator_) {
    deallocator_(storage_->host(), storage_->length());
    Block_release(deallocator_);
  }
  storage_.reset();
  [label_ release];
  [super dealloc];
}

- (const std::shared_ptr<Storage>&)storage {
  return storage_;
}

- (NSUInteger)length {
  return storage_->length();
}
- (NSUInteger)allocatedSize {
  return storage_->length();
}
- (uint64_t)gpuAddress {
  CallFails(_cmd);
  if (!halyard::metal_sim::TheSettings().metal3) Report("missing-call", "gpuAddress of a device before Metal 3");
  return storage_->address();
}
- (void*)contents {
  CallFails(_cmd);
  return storage_->host();
}

- (void)didModifyRange:(NSRange)range {
  CallFails(_cmd);
  if ([self storageMode] != MTLStorageModeManaged)
    Report("storage-mode", "didModifyRange: of memory that is not managed");
  if (range.location + range.length > storage_->length()) return Report("range", "didModifyRange: beyond the buffer");
  if (storage_->has_copies()) {
    std::memcpy(storage_->device() + range.location, storage_->host() + range.location, range.length);
  }
}

- (id<MTLDevice>)device {
  return device_;
}
- (MTLResourceOptions)resourceOptions {
  return options_;
}
- (MTLCPUCacheMode)cpuCacheMode {
  return static_cast<MTLCPUCacheMode>(options_ & 0xf);
}
- (MTLStorageMode)storageMode {
  return static_cast<MTLStorageMode>(options_ >> 4 & 0xf);
}
- (MTLHazardTrackingMode)hazardTrackingMode {
  return static_cast<MTLHazardTrackingMode>(options_ >> 8 & 0x3);
}
- (id<MTLHeap>)heap {
  return nil;
}
- (NSUInteger)heapOffset {
  return 0;
}
- (NSString*)label {
  return label_;
}
- (void)setLabel:(NSString*)label {
  [label_ autorelease];
  label_ = [label copy];
}

@end
