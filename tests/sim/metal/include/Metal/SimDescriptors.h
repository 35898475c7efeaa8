// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What descriptors of the simulation have in common. Apple's framework has separate classes; sources do not see that.
#ifndef HALYARD_SIM_METAL_SIM_DESCRIPTORS_H_
#define HALYARD_SIM_METAL_SIM_DESCRIPTORS_H_

#import <Metal/MTLTypes.h>

@protocol MTLCounterSampleBuffer;

// An array of descriptors that are there from the beginning.
@interface SimDescriptorArray : NSObject {
 @private
  NSMutableArray* descriptors_;
}
- (instancetype)initWithType:(Class)type count:(NSUInteger)count;
- (instancetype)initWithCopiesOf:(SimDescriptorArray*)other;
- (id)objectAtIndexedSubscript:(NSUInteger)index;
@end

// Where a pass leaves the times of its beginning and end.
@interface SimSampleAttachment : NSObject <NSCopying> {
 @private
  id<MTLCounterSampleBuffer> sampleBuffer_;
  NSUInteger startOfEncoderSampleIndex_;
  NSUInteger endOfEncoderSampleIndex_;
}
@property(nonatomic, retain) id<MTLCounterSampleBuffer> sampleBuffer;
@property(nonatomic) NSUInteger startOfEncoderSampleIndex;
@property(nonatomic) NSUInteger endOfEncoderSampleIndex;
@end

#endif  // HALYARD_SIM_METAL_SIM_DESCRIPTORS_H_
