// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Log states. Kernels of the simulation have no os_log: a test says what they would have written.
#import <objc/blocks_runtime.h>

#include <mutex>
#include <vector>

#include "framework/refusal.h"
#include "framework/sim_device.h"
#include "metal/library_control.h"

using namespace halyard::metal_sim;

typedef void (^LogHandler)(NSString* subsystem, NSString* category, MTLLogLevel level, NSString* message);

@interface SimLogState : SimObject <MTLLogState> {
 @private
  MTLLogLevel level_;
}
@end

namespace {

struct Handler {
  const void* state;
  MTLLogLevel level;  // the least that it takes
  LogHandler block;   // owned
};

struct Handlers {
  std::mutex mutex;  // protects the list
  std::vector<Handler> list;
};

// Never destroyed: threads of the framework may outlive main().
Handlers& AllHandlers() {
  static auto* handlers = new Handlers;
  return *handlers;
}

// Copies of the handlers that take a level. The caller releases them, after calls without the lock.
std::vector<LogHandler> CopyHandlers(MTLLogLevel level) {
  const std::lock_guard lock(AllHandlers().mutex);
  std::vector<LogHandler> copies;
  for (const Handler& handler : AllHandlers().list) {
    if (level >= handler.level) copies.push_back(Block_copy(handler.block));
  }
  return copies;
}

}  // namespace

@implementation MTLLogStateDescriptor
@synthesize level = level_;
@synthesize bufferSize = bufferSize_;

- (id)copyWithZone:(NSZone*)zone {
  MTLLogStateDescriptor* copy = [[MTLLogStateDescriptor allocWithZone:zone] init];
  copy.level = level_;
  copy.bufferSize = bufferSize_;
  return copy;
}
@end

@implementation SimLogState

- (instancetype)initWithLevel:(MTLLogLevel)level {
  self = [super init];
  level_ = level;
  return self;
}

- (void)dealloc {
  {
    const std::lock_guard lock(AllHandlers().mutex);
    std::erase_if(AllHandlers().list, [self](const Handler& handler) {
      if (handler.state == self) Block_release(handler.block);
      return handler.state == self;
    });
  }
  [super dealloc];
}

- (void)addLogHandler:(LogHandler)block {
  if (Misused(block == nil, _cmd, "expected a handler")) return;
  const std::lock_guard lock(AllHandlers().mutex);
  AllHandlers().list.push_back({self, level_, Block_copy(block)});
}
@end

@implementation SimDevice (LogStates)

- (id<MTLLogState>)newLogStateWithDescriptor:(MTLLogStateDescriptor*)descriptor error:(NSError**)error {
  NeedsMacos(15, _cmd);
  if (Refused(_cmd, error, @"MTLLogStateErrorDomain", 1)) return nil;
  if (Misused(descriptor == nil, _cmd, "expected a descriptor")) return nil;
  return [[SimLogState alloc] initWithLevel:descriptor.level];
}
@end

void halyardSimMetalLog(int level, const char* text) {
  @autoreleasepool {
    NSString* message = [NSString stringWithUTF8String:text];
    for (const LogHandler handler : CopyHandlers(MTLLogLevel(level))) {
      handler(@"halyard", @"kernel", MTLLogLevel(level), message);
      Block_release(handler);
    }
  }
}
