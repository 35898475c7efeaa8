// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All memory that the simulated devices know: who owns it, whether it may be touched, what is left of it.
#ifndef HALYARD_TESTS_SIM_ENGINE_MEMORY_H_
#define HALYARD_TESTS_SIM_ENGINE_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/completion.h"
#include "engine/device.h"
#include "engine/report.h"

namespace halyard::sim {

// kVirtual: physical memory where the program has mapped it. kOpened: memory of another process.
enum class MemoryKind { kDevice, kPool, kManaged, kPinned, kRegistered, kGlobal, kVirtual, kOpened };

struct Pool;

// A range of addresses. Device memory is host memory, so that an address means the same everywhere.
struct Allocation : Needed {
  uintptr_t base = 0;
  size_t size = 0;  // bytes
  MemoryKind kind = MemoryKind::kDevice;
  std::shared_ptr<Context> context;  // that it was allocated in
  Device* device = nullptr;
  std::shared_ptr<Pool> pool;
  bool reached = true;                // false until the stream-ordered allocation was carried out
  bool free_queued = false;           // a stream-ordered free was submitted
  std::shared_ptr<Completion> freed;  // of that
  uint64_t id = 0;
  int file = -1;  // that it lies in; -1 for memory that no other process can have

  bool OnDevice() const {
    return kind == MemoryKind::kDevice || kind == MemoryKind::kPool || kind == MemoryKind::kVirtual ||
           kind == MemoryKind::kOpened;
  }
  bool OwnsMemory() const {
    return kind != MemoryKind::kRegistered && kind != MemoryKind::kGlobal && kind != MemoryKind::kVirtual &&
           kind != MemoryKind::kOpened;
  }
};

// Stream-ordered memory of one device.
struct Pool {
  void Account() { reserved = std::max(used, std::min(reserved, threshold)); }

  Device* device = nullptr;
  uint64_t threshold = 0;  // bytes kept in reserve when memory is freed
  uint64_t used = 0;       // bytes
  uint64_t used_high = 0;
  uint64_t reserved = 0;  // bytes, the used ones included
  uint64_t reserved_high = 0;
  uint64_t max_size = 0;  // bytes; 0 for no bound
  std::set<int> accessible;
};

// Which memory an operation touches, and how its complaint begins.
struct Access {
  uintptr_t address = 0;
  size_t size = 0;
  bool host_allowed = false;  // whether unregistered memory will do
  bool needs_access = false;  // reaches other devices' memory only with peer access: kernels, and most copies
  const char* what = "";
};

class Memory {
 public:
  explicit Memory(Reports* reports) : reports_(reports) {}

  // Finds room. kOutOfMemory when the device is full.
  Error Allocate(MemoryKind kind, std::shared_ptr<Context> context, size_t size, std::shared_ptr<Allocation>* out);
  // The same from a pool, to be carried out in stream order: `reached` is set later. Where the device is full, memory
  // that is about to be freed to the pool will do: `*after` gets the frees that the allocation is to wait for.
  Error AllocateFromPool(const std::shared_ptr<Pool>& pool, std::shared_ptr<Context> context, size_t size,
                         std::shared_ptr<Allocation>* out, std::vector<std::shared_ptr<Completion>>* after);
  // Device memory in whole units of that many bytes can be had by other processes.
  static constexpr size_t kShareable = size_t{2} << 20;

  // Takes a range that is the program's own.
  Error Register(MemoryKind kind, std::shared_ptr<Context> context, uintptr_t base, size_t size);
  // Forgets the registrations that overlap a range.
  void Deregister(uintptr_t base, size_t size);
  // Frees it; its addresses are remembered for a while.
  void Free(const std::shared_ptr<Allocation>& allocation);

  // The allocation that an address lies in, or null.
  std::shared_ptr<Allocation> Find(uintptr_t address) const;
  // The one that begins there, for freeing it; null with a report that says whether it was freed before.
  std::shared_ptr<Allocation> FindForFree(uintptr_t base, const char* call) const;
  // Whether the memory may be touched now; reports what is wrong.
  Error Check(const Access& access, const Context& context) const;
  // The same when work is submitted: memory whose allocation is still under way will do.
  Error CheckAtSubmission(const Access& access) const;

  template <typename Visit>
  void ForEach(Visit visit) const {
    for (const auto& [base, allocation] : live_) visit(allocation);
  }

 private:
  Error CheckRange(const Access& access, std::shared_ptr<Allocation>* out) const;
  std::shared_ptr<Allocation> FindFreed(uintptr_t address) const;
  Error Obtain(Allocation& allocation);
  static void* ObtainHost(Allocation& allocation);
  static void GiveBack(const Allocation& allocation);
  void Quarantine(const std::shared_ptr<Allocation>& allocation);
  bool Forget();
  size_t CollectFrees(const Pool& pool, std::vector<std::shared_ptr<Completion>>* frees) const;

  static constexpr size_t kQuarantineBytes = size_t{32} << 20;
  static constexpr size_t kQuarantineCount = 4096;

  Reports* reports_;
  std::map<uintptr_t, std::shared_ptr<Allocation>> live_;   // by base
  std::map<uintptr_t, std::shared_ptr<Allocation>> freed_;  // by base; their memory is not given out again yet
  std::deque<uintptr_t> freed_order_;
  size_t freed_bytes_ = 0;
  uint64_t next_id_ = 1;
};

// "256 bytes at 0x7f00 (allocation 3, 64 bytes)"
std::string Describe(const Access& access, const Allocation* allocation);

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_ENGINE_MEMORY_H_
