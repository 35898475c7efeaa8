// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HALYARD_SIM_METAL_MTL_LOG_STATE_H_
#define HALYARD_SIM_METAL_MTL_LOG_STATE_H_

#import <Metal/MTLTypes.h>

typedef NS_ENUM(NSInteger, MTLLogLevel) {
  MTLLogLevelUndefined = 0,
  MTLLogLevelDebug = 1,
  MTLLogLevelInfo = 2,
  MTLLogLevelNotice = 3,
  MTLLogLevelError = 4,
  MTLLogLevelFault = 5,
};

@interface MTLLogStateDescriptor : NSObject <NSCopying> {
 @private
  MTLLogLevel level_;
  NSInteger bufferSize_;
}
@property(nonatomic) MTLLogLevel level;
@property(nonatomic) NSInteger bufferSize;
@end

API_AVAILABLE(macos(15.0), ios(18.0))
@protocol MTLLogState <NSObject>
- (void)addLogHandler:(void (^)(NSString* subsystem, NSString* category, MTLLogLevel level, NSString* message))block;
@end

#endif  // HALYARD_SIM_METAL_MTL_LOG_STATE_H_
