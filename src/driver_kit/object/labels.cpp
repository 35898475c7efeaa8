// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/object/labels.h"

#include <mutex>
#include <utility>

#include "base/host_memory.h"
#include "base/message_memory.h"
#include "base/per_thread.h"
#include "base/process_wide.h"
#include "base/status.h"

namespace halyard {
namespace {

/// The labels of some addresses.
struct Shard {
  std::atomic<size_t> count{0};  // of labels. Written with the lock, so that a look without it finds none quickly
  std::mutex mutex;              // protects what follows; a leaf
  HostMap<const void*, HostString> labels;
};

/// All labels; objects of different shards do not wait for each other.
class LabelTable : public HostObject {
 public:
  Shard& Of(const void* object) {
    // Objects are at least a cache line apart.
    const auto address = reinterpret_cast<uintptr_t>(object) / 64;
    return shards_[(address ^ address / kShards) % kShards];
  }

 private:
  static constexpr size_t kShards = 16;

  std::array<Shard, kShards> shards_;
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

/// Takes a label out of the table; empty if there is none. The table's memory is freed after the lock.
HostString Take(const void* object) noexcept {
  HostMap<const void*, HostString>::node_type node;
  VisitLabel(object, [&](Shard& shard, auto known) {
    node = shard.labels.extract(known);
    shard.count.store(shard.labels.size(), std::memory_order_relaxed);
  });
  return node ? std::move(node.mapped()) : HostString();
}

/// The labels of the objects that a thread is destroying.
struct EndingLabels {
  const EndingLabel* innermost = nullptr;
};

}  // namespace

void Labels::Set(const void* object, std::string_view label) {
  if (label.empty()) {
    Take(object);
    return;
  }
  LabelTable& table = ProcessWide<LabelTable>::Get();
  HostMap<const void*, HostString> made;  // before the lock, as the host's allocator may be slow
  made.emplace(object, label);
  g_any.store(true, std::memory_order_relaxed);
  Shard& shard = table.Of(object);
  HostMap<const void*, HostString>::insert_return_type inserted;  // frees what is replaced, after the lock
  const std::lock_guard lock(shard.mutex);
  inserted = shard.labels.insert(made.extract(made.begin()));
  if (!inserted.inserted) inserted.position->second.swap(inserted.node.mapped());
  shard.count.store(shard.labels.size(), std::memory_order_relaxed);
}

hal_string_view_t Labels::Of(const void* object) noexcept {
  if (const HostString* const ending = EndingLabel::Of(object)) return ToC(*ending);
  hal_string_view_t text{};
  VisitLabel(object, [&](Shard&, auto known) { text = ToC(known->second); });
  return text;
}

size_t Labels::Copy(const void* object, char* out, size_t capacity) noexcept {
  constexpr size_t kCut = 3;  // bytes of what a label that is cut ends in
  size_t size = 0;
  const auto copy = [&](std::string_view text) {
    if (text.size() <= capacity || capacity >= kCut) size = CopyTruncated(text, out, capacity);
  };
  if (const HostString* const ending = EndingLabel::Of(object)) {
    copy(*ending);
  } else {
    VisitLabel(object, [&](Shard&, auto known) { copy(known->second); });
  }
  return size;
}

// Without memory the messages of this thread lack the label.
EndingLabel::EndingLabel(const void* object) noexcept : object_(object), text_(Take(object)) {
  if (text_.empty()) return;
  try {
    outer_ = std::exchange(PerThread<EndingLabels>::Get().innermost, this);
  } catch (const std::bad_alloc&) {
    return;
  }
}

EndingLabel::~EndingLabel() {
  if (text_.empty()) return;
  EndingLabels* const labels = PerThread<EndingLabels>::Find();
  if (labels && labels->innermost == this) labels->innermost = outer_;
}

const HostString* EndingLabel::Of(const void* object) noexcept {
  const EndingLabels* const labels = PerThread<EndingLabels>::Find();
  const EndingLabel* ending = labels ? labels->innermost : nullptr;
  while (ending && ending->object_ != object) ending = ending->outer_;
  return ending ? &ending->text_ : nullptr;
}

LabelWords::LabelWords(const void* object) noexcept {
  const size_t size = Labels::Copy(object, text_.data() + 2, kMostInMessage);
  if (size == 0) {
    text_[0] = '\0';
    return;
  }
  text_[0] = ' ';
  text_[1] = '\'';
  text_[2 + size] = '\'';
  text_[3 + size] = '\0';
}

}  // namespace halyard
