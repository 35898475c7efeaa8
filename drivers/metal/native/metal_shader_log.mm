// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "metal/native/metal_shader_log.h"

#include "base/log.h"
#include "metal/native/metal_calls.h"
#include "metal/native/metal_errors.h"
#include "metal/native/metal_library.h"

namespace halyard::metal {
namespace {

hal_log_level_t LevelOf(MTLLogLevel level) {
  switch (level) {
    case MTLLogLevelError:
    case MTLLogLevelFault:
      return HAL_LOG_LEVEL_ERROR;
    case MTLLogLevelNotice:
      return HAL_LOG_LEVEL_WARNING;
    case MTLLogLevelDebug:
      return HAL_LOG_LEVEL_DEBUG;
    default:
      return HAL_LOG_LEVEL_INFO;
  }
}

// The pool owns it. Nil if Metal refuses, as it may on a device whose kernels cannot log: that costs messages alone.
API_AVAILABLE(macos(15.0), ios(18.0))
id<MTLLogState> NewLogState(NativeDevice device) {
  NSError* error = nil;
  MTLLogStateDescriptor* const descriptor = [[[HALYARD_METAL_CLASS(MTLLogStateDescriptor) alloc] init] autorelease];
  [descriptor setLevel:MTLLogLevelDebug];
  const id<MTLLogState> state = [[Id(device) newLogStateWithDescriptor:descriptor error:&error] autorelease];
  if (state) return state;
  const Failure failure(FailCall(HAL_STATUS_UNAVAILABLE, "what kernels log is lost: newLogStateWithDescriptor", error));
  LogLater(HAL_LOG_LEVEL_INFO, failure.message());
  return nil;
}

}  // namespace

Status NewLoggingQueue(NativeDevice device, bool has_log_states, uint32_t in_flight,
                       Owned<NativeCommandQueue>* out_queue) {
  if (!has_log_states) return NewCommandQueue(device, in_flight, out_queue);
  if (@available(macOS 15.0, iOS 18.0, *)) {
    const id<MTLLogState> state = NewLogState(device);
    if (!state) return NewCommandQueue(device, in_flight, out_queue);
    [state addLogHandler:^(NSString*, NSString*, MTLLogLevel level, NSString* message) {
      LogLater(LevelOf(level), FromNSString(message));
    }];
    MTLCommandQueueDescriptor* const descriptor =
        [[[HALYARD_METAL_CLASS(MTLCommandQueueDescriptor) alloc] init] autorelease];
    [descriptor setMaxCommandBufferCount:in_flight];
    [descriptor setLogState:state];
    const id<MTLCommandQueue> queue = [Id(device) newCommandQueueWithDescriptor:descriptor];
    if (!queue) return FailNil("newCommandQueueWithDescriptor");
    *out_queue = Owned<NativeCommandQueue>::Adopting(ToNative<NativeCommandQueue>(queue));
  }
  return kOk;
}

}  // namespace halyard::metal
