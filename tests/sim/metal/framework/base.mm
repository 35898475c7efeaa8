// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "framework/base.h"

#import <objc/runtime.h>

#include <array>

#include "framework/sim_buffer.h"

extern "C" const void* halyardDispatchDataBytes(dispatch_data_t data);

namespace {

/// How many objects of a class exist. Without a lock: that would order the threads that make objects.
struct ClassCount {
  std::atomic<const void*> of{nullptr};  // a Class; clang's atomics take no pointers to objects
  std::atomic<int64_t> objects{0};
};
std::array<ClassCount, 64> g_counts;  // more than there are classes

void Count(Class of, int64_t change) {
  halyard::metal_sim::TheRecords().objects.fetch_add(change, std::memory_order_relaxed);
  for (ClassCount& count : g_counts) {
    const void* known = nullptr;
    if (!count.of.compare_exchange_strong(known, (const void*)of, std::memory_order_relaxed) &&
        known != (const void*)of)
      continue;
    count.objects.fetch_add(change, std::memory_order_relaxed);
    return;
  }
}

}  // namespace

@implementation SimObject

+ (id)allocWithZone:(NSZone*)zone {
  Count(self, 1);
  return [super allocWithZone:zone];
}

- (void)dealloc {
  Count([self class], -1);
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

std::string LiveObjects() {
  std::string text;
  for (const ClassCount& count : g_counts) {
    const Class of = (Class)count.of.load(std::memory_order_relaxed);
    const int64_t objects = count.objects.load(std::memory_order_relaxed);
    if (!of || objects == 0 || of == NSClassFromString(@"SimDevice")) continue;  // devices are the system's
    text += (text.empty() ? "" : ", ") + std::to_string(objects) + " " + class_getName(of);
  }
  return text;
}

namespace {

thread_local int t_result = 0;

}  // namespace

bool CallFails(SEL selector) {
  const auto planned = TheRecords().faults.Count(sel_getName(selector));
  if (planned) t_result = *planned;
  return planned.has_value();
}

int PlannedResult() { return t_result; }

void NeedsPool(const char* call) {
  if (![NSAutoreleasePool currentPool]) Report("no-pool", call);
}

void NeedsMacos(unsigned macos, SEL selector) {
  if (TheSettings().macos >= macos) return;
  Report("missing-call", sel_getName(selector) + std::string(" came with macOS ") + std::to_string(macos));
}

NSError* MakeError(NSString* domain, NSInteger code, NSString* text) {
  NSDictionary* const info = [NSDictionary dictionaryWithObject:text forKey:NSLocalizedDescriptionKey];
  return [NSError errorWithDomain:domain code:code userInfo:info];
}

std::span<const std::byte> DispatchDataBytes(dispatch_data_t data) {
  return {static_cast<const std::byte*>(halyardDispatchDataBytes(data)), dispatch_data_get_size(data)};
}

uint64_t AddressOf(id<MTLBuffer> buffer) { return [(SimBuffer*)buffer storage]->address(); }

}  // namespace halyard::metal_sim
