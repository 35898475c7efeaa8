// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "execution/storage.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>

#include "execution/scheduler.h"
#include "framework/settings.h"

namespace halyard::metal_sim {
namespace {

constexpr int kPoison = 0xA5;            // what new and freed memory contains
constexpr size_t kKeptBlocks = 64;       // that were freed
constexpr size_t kPoisonedBytes = 4096;  // at the beginning of what was freed

struct Ranges {
  std::mutex mutex;                              // protects what follows; a leaf
  std::multimap<uint64_t, Storage*> by_address;  // two imports may begin at the same page
  size_t allocated = 0;
  std::deque<char*> freed;  // blocks that nothing uses, so that their addresses stay unused for a while
};
Ranges& TheRanges() {
  static Ranges* const ranges = new Ranges;
  return *ranges;
}

char* NewBytes(size_t length) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* const bytes = std::aligned_alloc(page, (length + page - 1) / page * page);
  if (bytes) std::memset(bytes, kPoison, length);
  return static_cast<char*>(bytes);
}

void FreeLater(char* bytes, size_t length) {
  std::memset(bytes, kPoison, std::min(length, kPoisonedBytes));
  char* oldest = nullptr;
  {
    Ranges& ranges = TheRanges();
    const std::lock_guard lock(ranges.mutex);
    ranges.freed.push_back(bytes);
    if (ranges.freed.size() > kKeptBlocks) {
      oldest = ranges.freed.front();
      ranges.freed.pop_front();
    }
  }
  std::free(oldest);
}

}  // namespace

std::shared_ptr<Storage> Storage::Register(std::shared_ptr<Storage> storage) {
  Ranges& ranges = TheRanges();
  const std::lock_guard lock(ranges.mutex);
  ranges.by_address.emplace(storage->address(), storage.get());
  return storage;
}

std::shared_ptr<Storage> Storage::Make(Mode mode, size_t length, bool unified) {
  {
    Ranges& ranges = TheRanges();
    const std::lock_guard lock(ranges.mutex);
    if (length > TheSettings().memory - std::min(ranges.allocated, TheSettings().memory)) return nullptr;
    ranges.allocated += length;
  }
  std::shared_ptr<Storage> storage(new Storage(length, true));
  storage->device_ = NewBytes(length);
  if (mode == Mode::kShared || (mode == Mode::kManaged && unified)) storage->host_ = storage->device_;
  if (mode == Mode::kManaged && !unified) storage->host_ = NewBytes(length);
  return Register(std::move(storage));
}

std::shared_ptr<Storage> Storage::MakeOver(void* bytes, size_t length) {
  std::shared_ptr<Storage> storage(new Storage(length, false));
  storage->device_ = storage->host_ = static_cast<char*>(bytes);
  return Register(std::move(storage));
}

Storage::~Storage() {
  Retire();
  if (!owned_) return;
  if (has_copies()) std::free(host_);
  FreeLater(device_, length_);
}

void Storage::Track() { hazards_ = std::make_shared<FenceState>(); }

void Storage::Retire() {
  if (!alive_.exchange(false, std::memory_order_acq_rel)) return;
  Ranges& ranges = TheRanges();
  const std::lock_guard lock(ranges.mutex);
  auto [next, end] = ranges.by_address.equal_range(address());
  while (next != end && next->second != this) ++next;
  if (next != end) ranges.by_address.erase(next);
  if (owned_) ranges.allocated -= length_;
}

// A storage is in the map while its buffer lives, so its count is not 0.
std::shared_ptr<Storage> Storage::Find(uint64_t address) {
  Ranges& ranges = TheRanges();
  const std::lock_guard lock(ranges.mutex);
  for (auto next = ranges.by_address.upper_bound(address); next != ranges.by_address.begin();) {
    --next;
    Storage& storage = *next->second;
    if (address <= storage.address() + storage.length()) return storage.shared_from_this();
    if (std::prev(next, next == ranges.by_address.begin() ? 0 : 1)->first != next->first) return nullptr;
  }
  return nullptr;
}

size_t Storage::allocated() {
  Ranges& ranges = TheRanges();
  const std::lock_guard lock(ranges.mutex);
  return ranges.allocated;
}

}  // namespace halyard::metal_sim
