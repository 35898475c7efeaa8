// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HALYARD_SIM_METAL_MTL_EVENT_H_
#define HALYARD_SIM_METAL_MTL_EVENT_H_

#import <Metal/MTLTypes.h>
#import <dispatch/dispatch.h>

@protocol MTLDevice;
@protocol MTLSharedEvent;

@protocol MTLFence <NSObject>
@property(readonly) id<MTLDevice> device;
@property(copy, atomic) NSString* label;
@end

@protocol MTLEvent <NSObject>
@property(readonly) id<MTLDevice> device;
@property(copy, atomic) NSString* label;
@end

typedef void (^MTLSharedEventNotificationBlock)(id<MTLSharedEvent>, uint64_t value);

@interface MTLSharedEventListener : NSObject {
 @private
  dispatch_queue_t dispatchQueue_;
}
- (instancetype)init;
- (instancetype)initWithDispatchQueue:(dispatch_queue_t)queue;
@property(readonly, nonatomic) dispatch_queue_t dispatchQueue;
@end

@protocol MTLSharedEvent <MTLEvent>
@property(readwrite) uint64_t signaledValue;
- (void)notifyListener:(MTLSharedEventListener*)listener
               atValue:(uint64_t)value
                 block:(MTLSharedEventNotificationBlock)block;
- (BOOL)waitUntilSignaledValue:(uint64_t)value timeoutMS:(uint64_t)milliseconds API_AVAILABLE(macos(12.0), ios(15.0));
@end

#endif  // HALYARD_SIM_METAL_MTL_EVENT_H_
