// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which memory the device must be able to reach: the buffers whose addresses kernels find in argument buffers.
#ifndef HALYARD_METAL_MEMORY_METAL_RESIDENCY_H_
#define HALYARD_METAL_MEMORY_METAL_RESIDENCY_H_

#include <atomic>
#include <mutex>

#include "base/status.h"
#include "metal/native/metal_types.h"

namespace halyard::metal {

/// One residency set for the device, added to each of its queues. Without one (macOS 14 and before, or residency=use)
/// nothing is done here, and each encoder says what it uses.
///
/// A set's changes count from its next commit on, and that for command buffers that are committed later. So Publish()
/// comes before each commit; it is one load if nothing has changed. Thread-safe; the mutex is a leaf.
class MetalResidency {
 public:
  MetalResidency() = default;
  MetalResidency(const MetalResidency&) = delete;
  MetalResidency& operator=(const MetalResidency&) = delete;

  /// Makes the set.
  Status Open(NativeDevice device);
  bool uses_set() const { return static_cast<bool>(set_); }
  void AddTo(NativeCommandQueue queue);

  Status Add(NativeBuffer buffer);
  /// No command buffer that is in flight uses it.
  void Remove(NativeBuffer buffer) noexcept;
  void Publish() noexcept {
    if (changed_.load(std::memory_order_acquire)) Commit();
  }

 private:
  void Commit() noexcept;

  Owned<NativeResidencySet> set_;
  std::mutex mutex_;  // held for calls of the set
  std::atomic<bool> changed_{false};
};

}  // namespace halyard::metal

#endif  // HALYARD_METAL_MEMORY_METAL_RESIDENCY_H_
