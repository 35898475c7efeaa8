// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "framework/sim_device.h"

#include <cstring>

#include "execution/storage.h"
#include "framework/queue/sim_event.h"
#include "framework/queue/sim_queue.h"
#include "framework/queue/sim_residency.h"
#include "framework/sim_buffer.h"

using halyard::metal_sim::CallFails;
using halyard::metal_sim::NeedsMacos;
using halyard::metal_sim::Report;
using halyard::metal_sim::Storage;
using halyard::metal_sim::TheSettings;

@implementation SimDevice

- (instancetype)initWithOrdinal:(unsigned)ordinal {
  self = [super init];
  ordinal_ = ordinal;
  return self;
}

- (unsigned)ordinal {
  return ordinal_;
}

// A framework of an older macOS does not know these.
- (BOOL)respondsToSelector:(SEL)selector {
  const bool of_15 = sel_isEqual(selector, @selector(newResidencySetWithDescriptor:error:)) ||
                     sel_isEqual(selector, @selector(newLogStateWithDescriptor:error:)) ||
                     sel_isEqual(selector, @selector(newCommandQueueWithDescriptor:));
  if (of_15 && TheSettings().macos < 15) return NO;
  if (sel_isEqual(selector, @selector(architecture)) && TheSettings().macos < 14) return NO;
  return [super respondsToSelector:selector];
}

- (NSString*)name {
  return [NSString stringWithFormat:@"Simulated GPU %u", ordinal_];
}
- (MTLArchitecture*)architecture {
  NeedsMacos(14, _cmd);
  return nil;
}
- (uint64_t)registryID {
  return 0x100000a00u + ordinal_;
}
- (MTLSize)maxThreadsPerThreadgroup {
  const NSUInteger most = TheSettings().max_threads;
  return MTLSizeMake(most, most, most);
}
- (BOOL)isLowPower {
  return NO;
}
- (BOOL)isRemovable {
  return NO;
}
- (BOOL)hasUnifiedMemory {
  return TheSettings().unified;
}
- (uint64_t)recommendedMaxWorkingSetSize {
  return TheSettings().memory;
}
- (MTLArgumentBuffersTier)argumentBuffersSupport {
  return TheSettings().tier >= 2 ? MTLArgumentBuffersTier2 : MTLArgumentBuffersTier1;
}
- (NSUInteger)maxThreadgroupMemoryLength {
  return 32768;
}
- (NSUInteger)maxBufferLength {
  return TheSettings().memory;
}
- (NSUInteger)currentAllocatedSize {
  return Storage::allocated();
}
- (NSUInteger)maximumConcurrentCompilationTaskCount {
  return 2;
}
- (BOOL)shouldMaximizeConcurrentCompilation {
  return NO;
}
- (void)setShouldMaximizeConcurrentCompilation:(BOOL)value {
  (void)value;
}

- (BOOL)supportsFamily:(MTLGPUFamily)family {
  if (family == MTLGPUFamilyMetal3) return TheSettings().metal3;
  if (family == MTLGPUFamilyMac2) return !TheSettings().unified;
  return family == MTLGPUFamilyCommon1 || family == MTLGPUFamilyCommon2 ||
         (family == MTLGPUFamilyApple7 && TheSettings().unified);
}

- (id<MTLCommandQueue>)newCommandQueue {
  return CallFails(_cmd) ? nil : [[SimQueue alloc] initWithDevice:self count:64];
}
- (id<MTLCommandQueue>)newCommandQueueWithMaxCommandBufferCount:(NSUInteger)count {
  return CallFails(_cmd) ? nil : [[SimQueue alloc] initWithDevice:self count:count];
}
- (id<MTLCommandQueue>)newCommandQueueWithDescriptor:(MTLCommandQueueDescriptor*)descriptor {
  NeedsMacos(15, _cmd);
  return CallFails(_cmd) ? nil : [[SimQueue alloc] initWithDevice:self descriptor:descriptor];
}

- (id<MTLFence>)newFence {
  return CallFails(_cmd) ? nil : [[SimFence alloc] initWithDevice:self];
}
- (id<MTLEvent>)newEvent {
  return CallFails(_cmd) ? nil : [[SimEvent alloc] initWithDevice:self];
}
- (id<MTLSharedEvent>)newSharedEvent {
  return CallFails(_cmd) ? nil : [[SimEvent alloc] initWithDevice:self];
}

- (id<MTLResidencySet>)newResidencySetWithDescriptor:(MTLResidencySetDescriptor*)descriptor error:(NSError**)error {
  (void)descriptor;
  NeedsMacos(15, _cmd);
  if (!CallFails(_cmd)) return [[SimResidencySet alloc] initWithDevice:self];
  if (error) *error = halyard::metal_sim::MakeError(@"MTLResidencySet", 1, @"refused by a test");
  return nil;
}

@end

@implementation SimDevice (Memory)

- (MTLSizeAndAlign)heapBufferSizeAndAlignWithLength:(NSUInteger)length options:(MTLResourceOptions)options {
  (void)options;
  return {(length + 255) / 256 * 256, 256};
}

- (id<MTLHeap>)newHeapWithDescriptor:(MTLHeapDescriptor*)descriptor {
  (void)descriptor;
  CallFails(_cmd);
  return nil;
}

- (id<MTLBuffer>)newBufferWithLength:(NSUInteger)length options:(MTLResourceOptions)options {
  if (CallFails(_cmd)) return nil;
  if (length == 0) Report("range", "newBufferWithLength:options: of 0 bytes");
  const auto mode = static_cast<MTLStorageMode>(options >> 4 & 0xf);
  if (mode == MTLStorageModeManaged && TheSettings().unified) {
    Report("storage-mode", "managed memory on a device with unified memory");
  }
  auto storage = Storage::Make(mode == MTLStorageModePrivate   ? Storage::Mode::kPrivate
                               : mode == MTLStorageModeManaged ? Storage::Mode::kManaged
                                                               : Storage::Mode::kShared,
                               length, TheSettings().unified);
  if (!storage) return nil;
  return [[SimBuffer alloc] initWithDevice:self storage:std::move(storage) options:options deallocator:nil];
}

- (id<MTLBuffer>)newBufferWithBytes:(const void*)bytes length:(NSUInteger)length options:(MTLResourceOptions)options {
  const id<MTLBuffer> buffer = [self newBufferWithLength:length options:options];
  if (buffer && [buffer contents]) std::memcpy([buffer contents], bytes, length);
  return buffer;
}

- (id<MTLBuffer>)newBufferWithBytesNoCopy:(void*)bytes
                                   length:(NSUInteger)length
                                  options:(MTLResourceOptions)options
                              deallocator:(void (^)(void* pointer, NSUInteger length))deallocator {
  if (CallFails(_cmd)) return nil;
  const uintptr_t page = 4096;
  if (reinterpret_cast<uintptr_t>(bytes) % page != 0 || length % page != 0 || length == 0) {
    Report("alignment", "newBufferWithBytesNoCopy: takes whole pages");
    return nil;
  }
  return [[SimBuffer alloc] initWithDevice:self
                                   storage:Storage::MakeOver(bytes, length)
                                   options:options
                               deallocator:deallocator];
}

@end

namespace {

NSArray* TheDevices() {
  static NSArray* const devices = [] {
    NSMutableArray* const made = [[NSMutableArray alloc] init];
    for (unsigned i = 0; i < TheSettings().devices; ++i) {
      [made addObject:[[[SimDevice alloc] initWithOrdinal:i] autorelease]];
      halyard::metal_sim::TheRecords().objects.fetch_sub(1);  // they are the system's
    }
    return made;
  }();
  return devices;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) id<MTLDevice> MTLCreateSystemDefaultDevice(void) {
  @autoreleasepool {
    return [TheDevices() count] > 0 ? [[TheDevices() objectAtIndex:0] retain] : nil;
  }
}

extern "C" __attribute__((visibility("default"))) NSArray* MTLCopyAllDevices(void) {
  @autoreleasepool {
    return [TheDevices() retain];
  }
}

@implementation MTLArchitecture
- (NSString*)name {
  return @"simulated";
}
- (id)copyWithZone:(NSZone*)zone {
  (void)zone;
  return [self retain];
}
@end
