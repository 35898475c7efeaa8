// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A Metal device as recordings see it.
#ifndef HALYARD_METAL_RECORDING_METAL_RECORDING_DEVICE_H_
#define HALYARD_METAL_RECORDING_METAL_RECORDING_DEVICE_H_

#include "metal/memory/metal_memory.h"
#include "metal/memory/metal_residency.h"
#include "metal/native/metal_context.h"
#include "metal/native/metal_library.h"
#include "metal/recording/metal_transfers.h"
#include "submission/submission_device.h"

namespace halyard::metal {

/// The parts of the floors up to this one.
class MetalRecordingDevice : public SubmissionDevice {
 public:
  const MetalContext& context() const { return context_; }
  NativeDevice native() const { return context_.native.get(); }
  const MetalTraits& traits() const { return context_.traits; }
  const MetalOptions& options() const { return context_.options; }
  /// Whether encoders must hear of each buffer that a dispatch uses.
  bool names_resources() const { return !options().residency_set || !traits().unified_memory; }
  MetalMemory& memory() { return memory_; }
  MetalTransfers& transfers() { return transfers_; }
  const MetalTransfers& transfers() const { return transfers_; }

 protected:
  MetalRecordingDevice(const hal_driver_interface_t& tables, NativeDevice native, const MetalTraits& traits,
                       const MetalOptions& options)
      : SubmissionDevice(tables, g_metal_gate, Joins::kAllDevices),
        context_{Owned<NativeDevice>::Retaining(native), traits, options},
        memory_(*this, context_, residency_),
        transfers_(native, options.transfers) {}
  ~MetalRecordingDevice() = default;

 private:
  const MetalContext context_;
  MetalResidency residency_;
  MetalMemory memory_;
  MetalTransfers transfers_;
};

}  // namespace halyard::metal

#endif  // HALYARD_METAL_RECORDING_METAL_RECORDING_DEVICE_H_
