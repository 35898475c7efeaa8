// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/memory/stream_buffer.h"

#include "base/round_up.h"
#include "base/text/flag_words.h"
#include "stream/memory/shared_device_memory.h"
#include "stream/native/stream_context.h"

namespace halyard::stream {
StreamBuffer::StreamBuffer(StreamContext& owner, MemoryKind kind, uint64_t size, uint64_t alignment)
    : hal_buffer_t{}, context_(owner), kind_(kind), length_(size), alignment_(alignment), imported_(false), import_{} {
  hal_object_initialize(&object, HAL_OBJECT_KIND_BUFFER, owner.tables().buffer);
  memory_type = owner.memory().TypeOf(kind);
}

StreamBuffer::StreamBuffer(StreamContext& owner, uint64_t size, hal_memory_type_t type, const ImportedMemory& memory)
    : hal_buffer_t{},
      context_(owner),
      kind_(memory.host ? MemoryKind::kHost : MemoryKind::kDevice),
      length_(size),
      alignment_(0),
      imported_(true),
      import_(memory) {
  hal_object_initialize(&object, HAL_OBJECT_KIND_BUFFER, owner.tables().buffer);
  memory_type = type;
  address_.store(memory.address, std::memory_order_release);
}

StreamBuffer::~StreamBuffer() {
  if (!imported_) {
    Decommit();
    return;
  }
  if (import_.registered) context_.ReleaseHost(import_.registered);
  import_.release();
}

bool StreamBuffer::stream_ordered() const { return kind_ == MemoryKind::kDevice && context_.memory().stream_ordered(); }

uint64_t StreamBuffer::PaddedLength() const {
  return alignment_ > StreamMemory::kMinAlignment ? length_ + alignment_ : length_;
}

void StreamBuffer::SetMemory(NativeAddress base) {
  base_ = base;
  const uint64_t alignment = alignment_ > StreamMemory::kMinAlignment ? alignment_ : 1;
  address_.store(RoundUp(base, alignment), std::memory_order_release);
}

NativeAddress StreamBuffer::TakeMemory() noexcept {
  return address_.exchange(0, std::memory_order_acq_rel) != 0 ? base_ : 0;
}

Status StreamBuffer::Commit() {
  const NativeScope scope(context_.api());
  if (!scope.entered()) return context_.Checked(scope.status());
  NativeAddress base = 0;
  const Status status = context_.memory().Allocate(kind_, PaddedLength(), &base);
  if (status != kOk) return context_.Checked(status);
  SetMemory(base);
  return kOk;
}

void StreamBuffer::Decommit() noexcept {
  const NativeAddress base = TakeMemory();
  if (base == 0) return;
  const NativeScope scope(context_.api());
  if (scope.entered()) context_.memory().Free(kind_, base, PaddedLength());
}

Status StreamBuffer::CommitOn(NativeStream stream) {
  NativeAddress base = 0;
  HAL_TRY(context_.memory().AllocateOn(stream, PaddedLength(), &base));
  SetMemory(base);
  return kOk;
}

Status StreamBuffer::DecommitOn(NativeStream stream) {
  const NativeAddress base = TakeMemory();
  if (base == 0) return kOk;
  const Status status = context_.memory().FreeOn(stream, base, PaddedLength());
  if (status != kOk) SetMemory(base);  // for the destructor
  return status;
}

bool StreamBuffer::CommitCached(hal_queue_mask_t any_of, QueuePoint* after) noexcept {
  NativeAddress base = 0;
  if (!context_.memory().AcquireCached(PaddedLength(), any_of, after, &base)) return false;
  SetMemory(base);
  return true;
}

bool StreamBuffer::DecommitToCache(QueuePoint after) noexcept {
  // Nothing else changes its memory: this is its dealloca.
  if (address() == 0) return true;
  if (!context_.memory().Cache(base_, PaddedLength(), after)) return false;
  address_.store(0, std::memory_order_release);
  return true;
}

void* StreamBuffer::GiveToHost(uint64_t offset) {
  with_host_.store(true, std::memory_order_relaxed);
  const NativeAddress first = address();
  if (first == 0 || (memory_type & HAL_MEMORY_TYPE_HOST_VISIBLE) == 0) return nullptr;
  if (imported_) return static_cast<char*>(import_.host) + offset;
  // Pinned and managed memory has one address for both sides.
  return reinterpret_cast<void*>(static_cast<uintptr_t>(first + offset));
}

Status StreamBuffer::Map(hal_map_access_t, uint64_t offset, uint64_t, void** out_pointer) {
  *out_pointer = GiveToHost(offset);
  return *out_pointer ? kOk : FailWithoutMemory();  // not asked twice: a queue_alloca may be giving the memory just now
}

Status StreamBuffer::ExportMemory(hal_external_memory_type_t type, hal_external_memory_t* out_memory) {
  if (const hal_peer_handles_t handle = HandleOf(type); (context_.api().traits().handles & handle) != 0) {
    if (import_.shared) return context_.Checked(import_.shared->Export(type, out_memory));
    const FlagWords words = HandleWords(handle);
    return Fail(HAL_STATUS_PERMISSION_DENIED,
                "the buffer's memory cannot leave as %s: allocate it with HAL_PEER_HANDLE_%s among "
                "hal_buffer_params_t::handles",
                words.c_str(), words.c_str());
  }
  const bool host = type == HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER;
  if (!host && type != HAL_EXTERNAL_MEMORY_TYPE_DEVICE_POINTER) {
    return Fail(HAL_STATUS_UNIMPLEMENTED,
                "memory can be exported as DEVICE_POINTER, HOST_POINTER, HOST_FD or %s, not as type %d",
                HandleWords(context_.api().traits().handles).c_str(), static_cast<int>(type));
  }
  if (host && (memory_type & HAL_MEMORY_TYPE_HOST_VISIBLE) == 0) {
    return FailWith(HAL_STATUS_UNIMPLEMENTED, "memory of the device alone has no HOST_POINTER");
  }
  const uint64_t handle = host ? reinterpret_cast<uintptr_t>(GiveToHost(0)) : address();
  return WriteExport(type, handle, length_, out_memory);
}

}  // namespace halyard::stream
