// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HALYARD_SIM_METAL_MTL_COUNTERS_H_
#define HALYARD_SIM_METAL_MTL_COUNTERS_H_

#import <Metal/MTLResource.h>
#import <Metal/SimDescriptors.h>

#define MTLCounterErrorValue ((uint64_t)-1)
#define MTLCounterDontSample ((NSUInteger)-1)

typedef NSString* MTLCommonCounterSet;
extern MTLCommonCounterSet const MTLCommonCounterSetTimestamp;

typedef struct {
  uint64_t timestamp;
} MTLCounterResultTimestamp;

typedef NS_ENUM(NSUInteger, MTLCounterSamplingPoint) {
  MTLCounterSamplingPointAtStageBoundary = 0,
  MTLCounterSamplingPointAtDrawBoundary = 1,
  MTLCounterSamplingPointAtDispatchBoundary = 2,
  MTLCounterSamplingPointAtTileDispatchBoundary = 3,
  MTLCounterSamplingPointAtBlitBoundary = 4,
};

@protocol MTLCounter <NSObject>
@property(readonly, copy) NSString* name;
@end

@protocol MTLCounterSet <NSObject>
@property(readonly, copy) NSString* name;
@property(readonly, copy) NSArray* counters;
@end

@interface MTLCounterSampleBufferDescriptor : NSObject <NSCopying> {
 @private
  id<MTLCounterSet> counterSet_;
  NSString* label_;
  MTLStorageMode storageMode_;
  NSUInteger sampleCount_;
}
@property(readwrite, retain) id<MTLCounterSet> counterSet;
@property(readwrite, copy) NSString* label;
@property(readwrite) MTLStorageMode storageMode;
@property(readwrite) NSUInteger sampleCount;
@end

@protocol MTLCounterSampleBuffer <NSObject>
@property(readonly) id<MTLDevice> device;
@property(readonly) NSString* label;
@property(readonly) NSUInteger sampleCount;
- (NSData*)resolveCounterRange:(NSRange)range;
@end

@interface MTLComputePassSampleBufferAttachmentDescriptor : SimSampleAttachment
@end

@interface MTLComputePassSampleBufferAttachmentDescriptorArray : SimDescriptorArray
- (MTLComputePassSampleBufferAttachmentDescriptor*)objectAtIndexedSubscript:(NSUInteger)index;
@end

@interface MTLBlitPassSampleBufferAttachmentDescriptor : SimSampleAttachment
@end

@interface MTLBlitPassSampleBufferAttachmentDescriptorArray : SimDescriptorArray
- (MTLBlitPassSampleBufferAttachmentDescriptor*)objectAtIndexedSubscript:(NSUInteger)index;
@end

#endif  // HALYARD_SIM_METAL_MTL_COUNTERS_H_
