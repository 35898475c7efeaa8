// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "framework/base.h"

#include "framework/sim_buffer.h"

extern "C" const void* halyardDispatchDataBytes(dispatch_data_t data);

@implementation SimObject

+ (id)allocWithZone:(NSZone*)zone {
  halyard::metal_sim::TheRecords().objects.fetch_add(1, std::memory_order_relaxed);
  return [super allocWithZone:zone];
}

- (void)dealloc {
  halyard::metal_sim::TheRecords().objects.fetch_sub(1, std::memory_order_relaxed);
  [super dealloc];
}

- (id)retain {
  std::atomic_ref(extraReferences_).fetch_add(1, std::memory_order_relaxed);
  return self;
}

- (oneway void)release {
  if (std::atomic_ref(extraReferences_).fetch_sub(1, std::memory_order_acq_rel) == 0) [self dealloc];
}

- (NSUInteger)retainCount {
  return static_cast<NSUInteger>(std::atomic_ref(extraReferences_).load(std::memory_order_relaxed)) + 1;
}

@end

namespace halyard::metal_sim {
namespace {

thread_local int t_result = 0;

}  // namespace

bool CallFails(SEL selector) {
  const auto planned = TheRecords().faults.Count(sel_getName(selector));
  if (planned) t_result = *planned;
  return planned.has_value();
}

int PlannedResult() { return t_result; }

NSError* MakeError(NSString* domain, NSInteger code, NSString* text) {
  NSDictionary* const info = [NSDictionary dictionaryWithObject:text forKey:NSLocalizedDescriptionKey];
  return [NSError errorWithDomain:domain code:code userInfo:info];
}

std::span<const std::byte> DispatchDataBytes(dispatch_data_t data) {
  return {static_cast<const std::byte*>(halyardDispatchDataBytes(data)), dispatch_data_get_size(data)};
}

uint64_t AddressOf(id<MTLBuffer> buffer) { return [(SimBuffer*)buffer storage]->address(); }

}  // namespace halyard::metal_sim
