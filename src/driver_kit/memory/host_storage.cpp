// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/memory/host_storage.h"

#include "driver_kit/memory/buffer_parts.h"

namespace halyard {
namespace {

// To a device that works in the host's memory the host's addresses are its own.
Status CheckIsPointer(const char* action, hal_external_memory_type_t type) {
  if (type == HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER || type == HAL_EXTERNAL_MEMORY_TYPE_DEVICE_POINTER) return kOk;
  return Fail(HAL_STATUS_UNIMPLEMENTED, "memory can be %s as HOST_POINTER or DEVICE_POINTER, not as type %d", action,
              static_cast<int>(type));
}

}  // namespace

HostStorage::HostStorage(const hal_external_memory_t& memory, hal_memory_release_fn_t release, void* user_data)
    : length_(memory.length),
      data_(reinterpret_cast<char*>(static_cast<uintptr_t>(memory.handle))),
      release_(release),
      release_data_(user_data) {}

// Also what Commit() has taken after Decommit(), where the application did not order its queue_dealloca.
HostStorage::~HostStorage() {
  Free();
  if (release_) release_(release_data_);
}

Status HostStorage::CanImport(const hal_external_memory_t& memory) { return CheckIsPointer("imported", memory.type); }

Status HostStorage::Commit() {
  char* memory = nullptr;
  HAL_TRY(heap_->Allocate(length_, alignment_, &memory));
  data_.store(memory, std::memory_order_release);
  return kOk;
}

void HostStorage::Decommit() {
  if (pins_.fetch_or(kDead, std::memory_order_acq_rel) == 0) Free();
}

char* HostStorage::Pin() {
  const bool dead = (pins_.fetch_add(1, std::memory_order_acq_rel) & kDead) != 0;
  char* const memory = dead ? nullptr : data();
  if (!memory) Unpin();
  return memory;
}

void HostStorage::Unpin() {
  if (pins_.fetch_sub(1, std::memory_order_acq_rel) == kDead + 1) Free();
}

// More than one may come here when a pin is refused late; the first takes the memory.
void HostStorage::Free() {
  if (!heap_) return;
  if (char* memory = data_.exchange(nullptr, std::memory_order_acq_rel)) heap_->Free(memory, length_);
}

Status HostStorage::Map(uint64_t offset, void** out_pointer) const {
  const bool dead = (pins_.load(std::memory_order_acquire) & kDead) != 0;
  char* const memory = dead ? nullptr : data();
  if (!memory && heap_) return FailWithoutMemory();
  *out_pointer = memory ? memory + offset : nullptr;
  return kOk;
}

Status HostStorage::Export(hal_external_memory_type_t type, hal_external_memory_t* out_memory) const {
  HAL_TRY(CheckIsPointer("exported", type));
  void* memory = nullptr;
  HAL_TRY(Map(0, &memory));
  out_memory->type = type;
  out_memory->flags = 0;
  out_memory->handle = reinterpret_cast<uintptr_t>(memory);
  out_memory->length = length_;
  return kOk;
}

}  // namespace halyard
