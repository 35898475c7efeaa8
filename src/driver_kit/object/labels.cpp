// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/object/labels.h"

#include <memory>
#include <mutex>

#include "base/host_memory.h"
#include "base/process_wide.h"
#include "base/stored_message.h"

namespace halyard {
namespace {

struct Label {
  HostString text;
  uint64_t number = 0;
};

/// The labels of some addresses.
struct Shard {
  std::atomic<size_t> count{0};  // of labels. Written with the lock, so that a look without it finds none quickly
  std::mutex mutex;              // protects what follows; a leaf
  HostMap<const void*, Label> labels;
};

/// All labels; objects of different shards do not wait for each other.
class LabelTable : public HostObject {
 public:
  Shard& Of(const void* object) {
    // Objects are at least a cache line apart.
    const auto address = reinterpret_cast<uintptr_t>(object) / 64;
    return shards_[(address ^ address / kShards) % kShards];
  }
  uint64_t NextNumber() { return count_.fetch_add(1, std::memory_order_relaxed) + 1; }

 private:
  static constexpr size_t kShards = 16;

  std::array<Shard, kShards> shards_;
  std::atomic<uint64_t> count_{0};
};

/// Calls `visit` with an object's label and the lock that protects it, if there is one.
template <class Visit>
void VisitLabel(const void* object, const Visit& visit) noexcept {
  LabelTable* const table = ProcessWide<LabelTable>::Find();
  if (!table) return;
  Shard& shard = table->Of(object);
  if (shard.count.load(std::memory_order_relaxed) == 0) return;
  const std::lock_guard lock(shard.mutex);
  const auto known = shard.labels.find(object);
  if (known != shard.labels.end()) visit(shard, known);
}

void Erase(Shard& shard, HostMap<const void*, Label>::iterator label) {
  shard.labels.erase(label);
  shard.count.store(shard.labels.size(), std::memory_order_relaxed);
}

}  // namespace

void Labels::Set(const void* object, std::string_view label) {
  if (label.empty()) {
    VisitLabel(object, [](Shard& shard, auto known) { Erase(shard, known); });
    return;
  }
  LabelTable& table = ProcessWide<LabelTable>::Get();
  HostString text(label);  // before the lock, as the host's allocator may be slow
  any_.store(true, std::memory_order_relaxed);
  Shard& shard = table.Of(object);
  const std::lock_guard lock(shard.mutex);
  Label& known = shard.labels[object];
  known.text.swap(text);
  known.number = table.NextNumber();
  shard.count.store(shard.labels.size(), std::memory_order_relaxed);
}

hal_string_view_t Labels::Of(const void* object) noexcept {
  hal_string_view_t text{};
  VisitLabel(object, [&](Shard&, auto known) { text = {known->second.text.data(), known->second.text.size()}; });
  return text;
}

uint64_t Labels::NumberOf(const void* object) noexcept {
  uint64_t number = 0;
  VisitLabel(object, [&](Shard&, auto known) { number = known->second.number; });
  return number;
}

void Labels::Remove(const void* object, uint64_t number) noexcept {
  VisitLabel(object, [&](Shard& shard, auto known) {
    if (known->second.number == number) Erase(shard, known);
  });
}

LabelWords::LabelWords(const void* object) noexcept {
  text_[0] = '\0';
  VisitLabel(object, [this](Shard&, auto known) {
    text_[0] = ' ';
    text_[1] = '\'';
    const size_t size = CopyTruncated(known->second.text, text_.data() + 2, kMostInMessage);
    text_[2 + size] = '\'';
    text_[3 + size] = '\0';
  });
}

}  // namespace halyard
