// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/memory/stream_allocator.h"

#include <array>
#include <cinttypes>
#include <memory>
#include <span>

#include "base/text/flag_words.h"
#include "driver_kit/device/lists.h"
#include "stream/memory/shared_device_memory.h"
#include "stream/native/stream_context.h"

namespace halyard::stream {

StreamAllocator::StreamAllocator(StreamContext& owner) : hal_allocator_t{}, context_(owner) {
  hal_object_initialize(&object, HAL_OBJECT_KIND_ALLOCATOR, owner.tables().allocator);
}

Status StreamAllocator::QueryHeaps(size_t* count, hal_memory_heap_t* heaps) {
  return context_.Checked(ListHeaps(count, heaps));
}

Status StreamAllocator::ListHeaps(size_t* count, hal_memory_heap_t* heaps) {
  const StreamMemory& memory = context_.memory();
  const NativeScope scope(context_.api());
  if (!scope.entered()) return scope.status();
  std::array<hal_memory_heap_t, 3> list;
  size_t length = 0;
  for (const MemoryKind kind : {MemoryKind::kDevice, MemoryKind::kHost, MemoryKind::kManaged}) {
    if (!memory.Has(kind)) continue;
    hal_memory_heap_t& heap = list[length++];
    heap = DescribeHeap(memory, kind);
    HAL_TRY(memory.Available(kind, &heap.available));
  }
  return WriteList<hal_memory_heap_t>({list.data(), length}, count, heaps);
}

Status StreamAllocator::QueryStatistics(hal_allocator_statistics_t* out_statistics) {
  *out_statistics = context_.memory().Statistics();
  return kOk;
}

Status StreamAllocator::MakeTransient(const hal_buffer_params_t& params, uint64_t length, StreamBuffer** out_buffer) {
  MemoryKind kind{};
  HAL_TRY(context_.memory().Choose(params.memory_type, params.usage, &kind));
  *out_buffer = new StreamBuffer(context_, kind, length, params.alignment);
  return kOk;
}

Status StreamAllocator::ImportHost(const hal_external_memory_t& memory, ImportedMemory* out) {
  out->host = reinterpret_cast<void*>(static_cast<uintptr_t>(memory.handle));
  return context_.RegisterHost(out->host, memory.length, &out->registered, &out->address);
}

Status StreamAllocator::ImportDevice(const hal_external_memory_t& memory, ImportedMemory* out) {
  const NativeScope scope(context_.api());
  if (!scope.entered()) return scope.status();
  NativePointerKind kind{};
  HAL_TRY(context_.api().DescribePointer(memory.handle, &kind));
  if (kind == NativePointerKind::kUnknown || kind == NativePointerKind::kForeign) {
    return Fail(HAL_STATUS_INCOMPATIBLE, "0x%" PRIx64 " is no address of this device's memory%s", memory.handle,
                kind == NativePointerKind::kForeign ? ", but of another device's" : "");
  }
  out->address = memory.handle;
  return kOk;
}

template <class Make>
Status StreamAllocator::MakeShared(const hal_buffer_params_t& params, uint64_t length, const Make& make,
                                   const ImportRelease& release, hal_buffer_t** out_buffer) {
  const hal_memory_type_t type = context_.memory().TypeOf(MemoryKind::kDevice);
  HAL_TRY(CheckImport(params, type, context_.memory().UsageOf(MemoryKind::kDevice)));
  std::unique_ptr<SharedDeviceMemory> shared;
  {
    const NativeScope scope(context_.api());
    HAL_TRY(context_.Checked(scope.entered() ? make(&shared) : scope.status()));
  }
  if (params.alignment != 0 && shared->address() % params.alignment != 0) {
    return Fail(HAL_STATUS_INCOMPATIBLE, "the memory is not aligned to %" PRIu64 " bytes", params.alignment);
  }
  ImportedMemory memory;
  memory.address = shared->address();
  memory.shared = shared.get();
  memory.release = {SharedDeviceMemory::OnRelease, shared.get()};
  *out_buffer = new StreamBuffer(context_, length, type, memory);
  shared->SetRelease(release);
  static_cast<void>(shared.release());  // the buffer has it
  return kOk;
}

Status StreamAllocator::AllocateShared(const hal_buffer_params_t& params, uint64_t length, hal_buffer_t** out_buffer) {
  return MakeShared(
      params, length, [&](auto* out) { return SharedDeviceMemory::Allocate(context_, params, length, out); }, {},
      out_buffer);
}

Status StreamAllocator::ImportShared(const hal_buffer_params_t& params, const hal_external_memory_t& memory,
                                     const ImportRelease& release, hal_buffer_t** out_buffer) {
  return MakeShared(
      params, memory.length, [&](auto* out) { return SharedDeviceMemory::Import(context_, memory, out); }, release,
      out_buffer);
}

Status StreamAllocator::Import(const hal_buffer_params_t* params, const hal_external_memory_t* memory,
                               hal_memory_release_fn_t release, void* user_data, hal_buffer_t** out_buffer) {
  if ((context_.api().traits().handles & HandleOf(memory->type)) != 0) {
    return ImportShared(*params, *memory, {release, user_data}, out_buffer);
  }
  const bool host = memory->type == HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER;
  if (!host && memory->type != HAL_EXTERNAL_MEMORY_TYPE_DEVICE_POINTER) {
    return Fail(HAL_STATUS_UNIMPLEMENTED,
                "memory can be imported as DEVICE_POINTER, HOST_POINTER, HOST_FD or %s, not as type %d",
                HandleWords(context_.api().traits().handles).c_str(), static_cast<int>(memory->type));
  }
  const MemoryKind kind = host ? MemoryKind::kHost : MemoryKind::kDevice;
  const hal_memory_type_t type = context_.memory().TypeOf(kind);
  HAL_TRY(CheckImport(*params, type, context_.memory().UsageOf(kind)));
  ImportedMemory imported;
  const Status status = host ? ImportHost(*memory, &imported) : ImportDevice(*memory, &imported);
  if (status != kOk) return context_.Checked(status);
  imported.release = {release, user_data};
  const auto unpin = [this](void* registered) noexcept { context_.ReleaseHost(registered); };
  std::unique_ptr<void, decltype(unpin)> pinned(imported.registered, unpin);  // until the buffer does it
  *out_buffer = new StreamBuffer(context_, memory->length, type, imported);
  static_cast<void>(pinned.release());
  return kOk;
}

// Memory of the host, and managed memory, have one address on all devices.
Status StreamAllocator::Share(const hal_buffer_params_t* params, hal_buffer_t* buffer, hal_memory_release_fn_t release,
                              void* user_data, hal_buffer_t** out_buffer) {
  auto& memory = *static_cast<StreamBuffer*>(buffer);
  if (memory.owner()) {
    PeerAccess& peers = context_.memory().peers();
    HAL_TRY(peers.Open(context_, memory.context()));
    if (!peers.Reaches(memory.context())) {
      return FailWith(HAL_STATUS_INCOMPATIBLE, "the devices do not reach each other's memory");
    }
  }
  const MemoryKind kind = memory.owner() ? MemoryKind::kDevice : MemoryKind::kHost;
  const hal_memory_type_t type = context_.memory().TypeOf(kind);
  HAL_TRY(CheckImport(*params, type, context_.memory().UsageOf(kind)));
  ImportedMemory shared;
  shared.address = memory.address();
  if (!memory.owner()) shared.host = memory.GiveToHost(0);
  shared.owner = memory.owner();
  shared.release = {release, user_data};
  *out_buffer = new StreamBuffer(context_, buffer->length, type, shared);
  return kOk;
}

Status StreamAllocator::Trim() {
  {
    const NativeScope scope(context_.api());
    HAL_TRY(scope.status());
    HAL_TRY(context_.memory().Trim());
  }
  return context_.device().TrimActions();
}

}  // namespace halyard::stream
