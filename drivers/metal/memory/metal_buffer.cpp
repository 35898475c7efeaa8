// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "metal/memory/metal_buffer.h"

#include <algorithm>
#include <utility>

#include "halyard/metal_interop.h"
#include "metal/native/metal_calls.h"
#include "submission/submission_device.h"

namespace halyard::metal {
MetalBuffer::MetalBuffer(MetalMemory& owner, MemoryKind kind, uint64_t size, uint64_t alignment)
    : hal_buffer_t{}, BlockBuffer(owner), memory_(owner), kind_(kind), length_(size), alignment_(alignment) {
  hal_object_initialize(&object, HAL_OBJECT_KIND_BUFFER, owner.device().tables().buffer);
  memory_type = owner.TypeOf(kind);
}

MetalBuffer::MetalBuffer(MetalMemory& owner, MemoryKind kind, uint64_t size, ImportedMemory memory)
    : MetalBuffer(owner, kind, size, uint64_t{0}) {
  imported_ = true;
  import_ = std::move(memory);
  SetMemory(import_.block);
}

MetalBuffer::~MetalBuffer() {
  if (!imported_) {
    Decommit();
    return;
  }
  const AutoreleaseScope scope;
  memory_.residency().Remove(import_.block.buffer.get());
  import_.block = {};
  import_.release();
}

uint64_t MetalBuffer::PaddedLength() const {
  return alignment_ > MetalMemory::kMinAlignment ? length_ + alignment_ : length_;
}

BlockRequest MetalBuffer::Request() const {
  return {static_cast<uint32_t>(kind_), PaddedLength(), 0, kind_ == MemoryKind::kPrivate};
}

void MetalBuffer::SetMemory(const MetalBlock& block) {
  const uint64_t base = block.address != 0 ? block.address : reinterpret_cast<uintptr_t>(block.contents);
  if (imported_) {
    offset_ = import_.offset;
  } else if (alignment_ > MetalMemory::kMinAlignment) {
    offset_ = (base + alignment_ - 1) / alignment_ * alignment_ - base;
  }
  address_ = block.address != 0 ? block.address + offset_ : 0;
  contents_ = block.contents ? block.contents + offset_ : nullptr;
  native_.store(block.buffer.get(), std::memory_order_release);
}

void MetalBuffer::SetBlock(MemoryBlock* block) noexcept {
  block_ = static_cast<MetalBlock*>(block);
  SetMemory(*block_);
}

MemoryBlock* MetalBuffer::TakeBlock() noexcept {
  return native_.exchange(nullptr, std::memory_order_acq_rel) ? block_ : nullptr;
}

void* MetalBuffer::HostPointer(uint64_t offset) const { return native() && contents_ ? contents_ + offset : nullptr; }

// A mapping may stay open for as long as the buffer lives, so its range counts until it is unmapped, and once more.
bool MetalBuffer::TakeModified(uint64_t* out_offset, uint64_t* out_length) const {
  if (!managed()) return false;
  const std::lock_guard lock(modified_mutex_);
  if (modified_begin_ == modified_end_) return false;
  *out_offset = offset_ + modified_begin_;
  *out_length = modified_end_ - modified_begin_;
  if (write_maps_ == 0) modified_begin_ = modified_end_ = 0;
  return true;
}

Status MetalBuffer::Map(hal_map_access_t access, uint64_t offset, uint64_t size, void** out_pointer) {
  *out_pointer = HostPointer(offset);
  if (!*out_pointer) return FailWithoutMemory();  // not asked twice: a queue_alloca may be giving the memory just now
  if (!managed() || (access & (HAL_MAP_ACCESS_WRITE | HAL_MAP_ACCESS_DISCARD)) == 0) return kOk;
  const std::lock_guard lock(modified_mutex_);
  ++write_maps_;
  const bool none = modified_begin_ == modified_end_;
  modified_begin_ = none ? offset : std::min(modified_begin_, offset);
  modified_end_ = none ? offset + size : std::max(modified_end_, offset + size);
  return kOk;
}

Status MetalBuffer::Unmap() {
  if (!managed()) return kOk;
  const std::lock_guard lock(modified_mutex_);
  if (write_maps_ > 0) --write_maps_;
  return kOk;
}

Status MetalBuffer::ExportMemory(hal_external_memory_type_t type, hal_external_memory_t* out_memory) {
  const NativeBuffer memory = native();
  uint64_t handle = 0;
  switch (static_cast<uint32_t>(type)) {
    case HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER:
      if ((memory_type & HAL_MEMORY_TYPE_HOST_VISIBLE) == 0) {
        return FailWith(HAL_STATUS_UNIMPLEMENTED, "private memory has no HOST_POINTER");
      }
      handle = reinterpret_cast<uintptr_t>(HostPointer(0));
      break;
    case HAL_EXTERNAL_MEMORY_TYPE_DEVICE_POINTER:
      if (!memory_.context().traits.gpu_addresses) {
        return FailWith(HAL_STATUS_UNIMPLEMENTED, "a device before Metal 3 tells no addresses: no DEVICE_POINTER");
      }
      handle = memory ? address_ : 0;
      break;
    case HAL_METAL_EXTERNAL_MEMORY_TYPE_BUFFER:
      if (memory && offset_ != 0) {
        return FailWith(HAL_STATUS_UNIMPLEMENTED, "the buffer does not begin where its MTLBuffer does");
      }
      handle = reinterpret_cast<uintptr_t>(memory);
      break;
    default:
      return Fail(HAL_STATUS_UNIMPLEMENTED,
                  "memory can be exported as HOST_POINTER, DEVICE_POINTER or METAL_BUFFER, not as type %d",
                  static_cast<int>(type));
  }
  return WriteExport(type, handle, length_, out_memory);
}

}  // namespace halyard::metal
