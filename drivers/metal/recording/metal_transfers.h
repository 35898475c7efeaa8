// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fills and copies: by blits where Metal's rule of four bytes allows, by kernels of the driver's own elsewhere.
#ifndef HALYARD_METAL_RECORDING_METAL_TRANSFERS_H_
#define HALYARD_METAL_RECORDING_METAL_TRANSFERS_H_

#include <atomic>
#include <cstdint>
#include <mutex>

#include "base/drain_scope.h"
#include "base/status.h"
#include "driver_kit/queue/copy_box.h"
#include "halyard/driver_api.h"
#include "metal/native/metal_options.h"
#include "metal/native/metal_types.h"
#include "metal/recording/metal_encoder_plan.h"
#include "metal/recording/metal_encoding.h"

namespace halyard::metal {

/// A range of a native buffer.
struct NativeBytes {
  NativeBuffer buffer = nullptr;
  uint64_t offset = 0;
  uint64_t length = 0;
};

/// The kernels are compiled when the device opens, on a worker; whichever transfer needs them first waits for that.
/// Thread-safe once the device is open.
class MetalTransfers final : public Runnable {
 public:
  MetalTransfers(NativeDevice device, TransferMode mode) : device_(device), mode_(mode) {}

  /// For the worker: compiles the kernels.
  void Run() noexcept override;

  /// @name Which encoder runs a transfer
  /// With `alone` it is the only command, so that any encoder will do.
  /// @{
  PassKind KindOfFill(const NativeBytes& target, uint32_t pattern, bool alone) const;
  PassKind KindOfCopy(const NativeBytes& target, uint64_t source_offset, bool alone) const;
  /// @}

  /// In the open pass, whichever kind it is: a blit pass is only for what KindOf…() gave it.
  Status Fill(MetalEncoding& encoding, const NativeBytes& target, uint32_t pattern);
  Status Copy(MetalEncoding& encoding, const NativeBytes& target, NativeBuffer source, uint64_t source_offset);
  /// In a compute pass: Metal's blits have no pitches.
  Status CopyRows(MetalEncoding& encoding, const NativeBytes& target, const NativeBytes& source, const CopyBox& box);

 private:
  PassKind Choose(bool fits_blit, uint64_t length, bool alone) const;
  Status Compile();
  /// Compiles the kernels unless that is done.
  Status Prepare();

  const NativeDevice device_;
  const TransferMode mode_;
  std::atomic<bool> ready_{false};
  std::mutex mutex_;  // held while the kernels are compiled
  Owned<NativeComputePipelineState> fill_;
  Owned<NativeComputePipelineState> copy_;
  Owned<NativeComputePipelineState> copy_rows_;
};

}  // namespace halyard::metal

#endif  // HALYARD_METAL_RECORDING_METAL_TRANSFERS_H_
