// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Timestamps: the device's clock, and where encoders leave what they read from it.
#ifndef HALYARD_SIM_METAL_FRAMEWORK_COUNTERS_H_
#define HALYARD_SIM_METAL_FRAMEWORK_COUNTERS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "framework/sim_device.h"

namespace halyard::metal_sim {

// The device's clock. It has another rate and another beginning than the host's, as on real devices.
MTLTimestamp GpuTimestamp();
// Where work that an encoder has recorded leaves times. Keeps the buffer, as Metal does. Thread-safe.
class SampleTarget {
 public:
  explicit SampleTarget(id<MTLCounterSampleBuffer> buffer);
  // Stores the device's time. MTLCounterDontSample stores nothing.
  void Store(NSUInteger index) const;

 private:
  std::shared_ptr<const void> buffer_;
};

}  // namespace halyard::metal_sim

@interface SimCounterSampleBuffer : SimObject <MTLCounterSampleBuffer> {
 @private
  id<MTLDevice> device_;
  NSString* label_;
  MTLStorageMode storage_;
  std::vector<MTLCounterResultTimestamp> samples_;  // fixed in number; each is atomic in itself
}
- (void)store:(MTLTimestamp)timestamp at:(NSUInteger)index;
// Samples for the host or for a buffer of the device.
- (NSData*)samplesInRange:(NSRange)range;
@end

#endif  // HALYARD_SIM_METAL_FRAMEWORK_COUNTERS_H_
