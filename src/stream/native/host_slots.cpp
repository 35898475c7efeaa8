// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/native/host_slots.h"

namespace halyard::stream {

HostSlot::~HostSlot() {
  if (memory_) slots_->Release(memory_);
}

HostSlots::~HostSlots() {
  for (void* block : blocks_) api_.FreeHost(block);
}

Status HostSlots::Acquire(HostSlot* out_slot) {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) HAL_TRY(AddBlock());
  *out_slot = HostSlot(this, free_.back());
  free_.pop_back();
  return kOk;
}

Status HostSlots::AddBlock() {
  constexpr size_t kSlots = kBlockSize / HostSlot::kSize;
  blocks_.reserve(blocks_.size() + 1);
  free_.reserve((blocks_.size() + 1) * kSlots);  // so that Release() never needs memory
  void* block = nullptr;
  HAL_TRY(api_.AllocateHost(kBlockSize, &block));
  blocks_.push_back(block);
  for (size_t i = 0; i < kSlots; ++i) free_.push_back(static_cast<char*>(block) + i * HostSlot::kSize);
  return kOk;
}

void HostSlots::Release(void* memory) noexcept {
  const std::lock_guard lock(mutex_);
  free_.push_back(memory);
}

}  // namespace halyard::stream
