// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A Metal device as queue operations see it.
#ifndef HALYARD_METAL_QUEUE_METAL_QUEUE_DEVICE_H_
#define HALYARD_METAL_QUEUE_METAL_QUEUE_DEVICE_H_

#include "driver_kit/queue/action_pool.h"
#include "metal/queue/metal_action.h"
#include "metal/queue/metal_file_io.h"
#include "metal/recording/metal_profiling.h"
#include "metal/recording/metal_recording_device.h"

namespace halyard::metal {

/// The parts of the floors up to this one.
class MetalQueueDevice : public MetalRecordingDevice {
 public:
  MetalFileIo& file_io() { return file_io_; }
  MetalClock& clock() { return clock_; }
  ActionPool<MetalAction>& actions() { return actions_; }

  Status TrimActions() override { return TrimPool(actions_); }

 protected:
  MetalQueueDevice(const hal_driver_interface_t& tables, NativeDevice native, const MetalTraits& traits,
                   const MetalOptions& options)
      : MetalRecordingDevice(tables, native, traits, options), file_io_(*this), clock_(native) {}
  ~MetalQueueDevice() = default;

 private:
  MetalFileIo file_io_;
  MetalClock clock_;
  ActionPool<MetalAction> actions_;
};

}  // namespace halyard::metal

#endif  // HALYARD_METAL_QUEUE_METAL_QUEUE_DEVICE_H_
