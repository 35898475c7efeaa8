// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Log states. Kernels of the simulation have no os_log: a test says what they would have written.
#include <algorithm>
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
  NSMutableArray* handlers_;  // of LogHandler; changes under the lock of all states
}
@end

namespace {

struct LogStates {
  std::mutex mutex;                  // protects the list and the states' handlers
  std::vector<SimLogState*> states;  // not retained: each leaves the list when it ends
};

// Never destroyed: threads of the framework may outlive main().
LogStates& AllStates() {
  static auto* states = new LogStates;
  return *states;
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
  handlers_ = [[NSMutableArray alloc] init];
  const std::lock_guard lock(AllStates().mutex);
  AllStates().states.push_back(self);
  return self;
}

- (void)dealloc {
  {
    const std::lock_guard lock(AllStates().mutex);
    std::erase(AllStates().states, self);
  }
  [handlers_ release];
  [super dealloc];
}

- (void)addLogHandler:(LogHandler)block {
  LogHandler handler = [block copy];
  const std::lock_guard lock(AllStates().mutex);
  [handlers_ addObject:handler];
  [handler release];
}

// With the lock of all states.
- (void)addHandlersOf:(MTLLogLevel)level to:(NSMutableArray*)handlers {
  if (level >= level_) [handlers addObjectsFromArray:handlers_];
}
@end

@implementation SimDevice (LogStates)

- (id<MTLLogState>)newLogStateWithDescriptor:(MTLLogStateDescriptor*)descriptor error:(NSError**)error {
  if (Refused(_cmd, error, @"MTLLogStateErrorDomain", 1)) return nil;
  if (Misused(descriptor == nil, _cmd, "expected a descriptor")) return nil;
  return [[SimLogState alloc] initWithLevel:descriptor.level];
}
@end

void halyardSimMetalLog(int level, const char* text) {
  @autoreleasepool {
    NSMutableArray* handlers = [NSMutableArray array];
    {
      const std::lock_guard lock(AllStates().mutex);
      for (SimLogState* state : AllStates().states) [state addHandlersOf:MTLLogLevel(level) to:handlers];
    }
    NSString* message = [NSString stringWithUTF8String:text];
    for (LogHandler handler in handlers) handler(@"halyard", @"kernel", MTLLogLevel(level), message);
  }
}
