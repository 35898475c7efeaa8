// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HALYARD_SIM_METAL_MTL_PASS_H_
#define HALYARD_SIM_METAL_MTL_PASS_H_

#import <Metal/MTLCommandBuffer.h>
#import <Metal/MTLCounters.h>

@interface MTLComputePassDescriptor : NSObject <NSCopying> {
 @private
  MTLDispatchType dispatchType_;
  MTLComputePassSampleBufferAttachmentDescriptorArray* sampleBufferAttachments_;
}
+ (MTLComputePassDescriptor*)computePassDescriptor;
@property(nonatomic) MTLDispatchType dispatchType;
@property(readonly) MTLComputePassSampleBufferAttachmentDescriptorArray* sampleBufferAttachments;
@end

@interface MTLBlitPassDescriptor : NSObject <NSCopying> {
 @private
  MTLBlitPassSampleBufferAttachmentDescriptorArray* sampleBufferAttachments_;
}
+ (MTLBlitPassDescriptor*)blitPassDescriptor;
@property(readonly) MTLBlitPassSampleBufferAttachmentDescriptorArray* sampleBufferAttachments;
@end

#endif  // HALYARD_SIM_METAL_MTL_PASS_H_
