// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all classes of the simulated Metal have: their own atomic counts, which thread sanitizer sees, and a place in
// the number of live objects.
#ifndef HALYARD_SIM_METAL_FRAMEWORK_BASE_H_
#define HALYARD_SIM_METAL_FRAMEWORK_BASE_H_

#import <Metal/Metal.h>

#include <atomic>
#include <cstddef>
#include <span>
#include <string>

#include "framework/reports.h"
#include "framework/settings.h"

@interface SimObject : NSObject {
 @private
  int extraReferences_;
}
@end

namespace halyard::metal_sim {

/// Counts a call by its selector's name; whether a test wants it to fail.
bool CallFails(SEL selector);
/// The number that the test gave for the last failed call of this thread.
int PlannedResult();
/// Reports a call that autoreleases an object on a thread without a pool, where the object would stay permanently.
void NeedsPool(const char* call);
/// Reports a call that the macOS which is played does not know, as it came with `macos`.
void NeedsMacos(unsigned macos, SEL selector);
NSError* MakeError(NSString* domain, NSInteger code, NSString* text);
std::span<const std::byte> DispatchDataBytes(dispatch_data_t data);

/// The device's address of a buffer, in every mode.
uint64_t AddressOf(id<MTLBuffer> buffer);
}  // namespace halyard::metal_sim

#endif  // HALYARD_SIM_METAL_FRAMEWORK_BASE_H_
