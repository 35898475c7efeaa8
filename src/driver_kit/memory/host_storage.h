// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory behind a buffer that lies in the host's memory.
#ifndef HALYARD_DRIVER_KIT_MEMORY_HOST_STORAGE_H_
#define HALYARD_DRIVER_KIT_MEMORY_HOST_STORAGE_H_

#include <atomic>

#include "base/status.h"
#include "driver_kit/memory/host_heap.h"
#include "halyard/allocator.h"

namespace halyard {

/// Memory that was taken from a heap, lent by the application, or is yet to come.
class HostStorage {
 public:
  /// No memory yet; Commit() takes some. `transient` if Decommit() may come while the memory is in use.
  HostStorage(HostHeap& heap, uint64_t length, uint64_t alignment, bool transient)
      : heap_(&heap), length_(length), alignment_(alignment), transient_(transient) {}
  /// Memory of the application; see CanImport(). `release` may be NULL.
  HostStorage(const hal_external_memory_t& memory, hal_memory_release_fn_t release, void* user_data);
  HostStorage(const HostStorage&) = delete;
  HostStorage& operator=(const HostStorage&) = delete;
  ~HostStorage();

  /// UNIMPLEMENTED unless it is a pointer. The core has checked the pointer itself.
  static Status CanImport(const hal_external_memory_t& memory);

  /// Takes memory from the heap. At once for an allocation, when its turn comes for a queue allocation.
  Status Commit();
  /// Frees the memory of a queue allocation, once no thread pins it any more; there is no new one after that.
  void Decommit();

  /// The first byte; NULL while there is no memory.
  char* data() const { return data_.load(std::memory_order_acquire); }

  /// Whether what works on the memory must pin it: a dealloca that is not ordered after a use is a mistake, but one
  /// that must not bring the process down.
  bool transient() const { return transient_; }
  /// As data(), which stays as it is until Unpin(). NULL pins nothing.
  char* Pin();
  void Unpin();

  /// The address of a byte. FAILED_PRECONDITION while there is no memory.
  Status Map(uint64_t offset, void** out_pointer) const;
  /// Hands the memory out. FAILED_PRECONDITION while there is none.
  Status Export(hal_external_memory_type_t type, hal_external_memory_t* out_memory) const;

 private:
  static constexpr uint32_t kDead = uint32_t{1} << 31;
  void Free();

  HostHeap* const heap_ = nullptr;  // NULL for memory of the application
  const uint64_t length_;           // bytes
  const uint64_t alignment_ = 0;    // bytes
  const bool transient_ = false;
  std::atomic<char*> data_{nullptr};
  std::atomic<uint32_t> pins_{0};  // and kDead from Decommit() on; the thread that leaves kDead alone frees the memory
  const hal_memory_release_fn_t release_ = nullptr;
  void* const release_data_ = nullptr;
};

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_MEMORY_HOST_STORAGE_H_
