// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "metal/memory/metal_allocator.h"

#include <array>
#include <utility>

#include "driver_kit/device/lists.h"
#include "halyard/metal_interop.h"
#include "metal/native/metal_calls.h"
#include "platform/memory.h"
#include "submission/submission_device.h"

namespace halyard::metal {

MetalAllocator::MetalAllocator(MetalMemory& memory) : hal_allocator_t{}, memory_(memory) {
  hal_object_initialize(&object, HAL_OBJECT_KIND_ALLOCATOR, memory.device().tables().allocator);
}

Status MetalAllocator::QueryHeaps(size_t* count, hal_memory_heap_t* heaps) {
  std::array<hal_memory_heap_t, 3> list;
  size_t length = 0;
  for (const MemoryKind kind : {MemoryKind::kPrivate, MemoryKind::kShared, MemoryKind::kManaged}) {
    if (!memory_.Has(kind)) continue;
    hal_memory_heap_t& heap = list[length++];
    heap = DescribeHeap(memory_, kind);
    heap.available = memory_.available();
    heap.max_allocation_size = std::min(heap.capacity, memory_.max_length());
  }
  return WriteList<hal_memory_heap_t>({list.data(), length}, count, heaps);
}

Status MetalAllocator::QueryStatistics(hal_allocator_statistics_t* out_statistics) {
  *out_statistics = memory_.Statistics();
  return kOk;
}

Status MetalAllocator::MakeTransient(const hal_buffer_params_t& params, uint64_t length, MetalBuffer** out_buffer) {
  MemoryKind kind{};
  HAL_TRY(memory_.Choose(params.memory_type, params.usage, &kind));
  *out_buffer = new MetalBuffer(memory_, kind, length, params.alignment);
  return kOk;
}

// Metal takes whole pages: those around the range, so that any range can be imported.
Status MetalAllocator::ImportHost(const hal_external_memory_t& memory, ImportedMemory* out) {
  const uint64_t page = PageSize();  // imports are made of pages
  const uint64_t begin = memory.handle / page * page;
  const uint64_t end = (memory.handle + std::max<uint64_t>(memory.length, 1) + page - 1) / page * page;
  out->offset = memory.handle - begin;
  HAL_TRY(NewBufferOver(memory_.context().native.get(), reinterpret_cast<void*>(static_cast<uintptr_t>(begin)),
                        end - begin, &out->block.buffer));
  return kOk;
}

Status MetalAllocator::ImportBuffer(const hal_external_memory_t& memory, MemoryKind* out_kind, ImportedMemory* out) {
  const auto native = reinterpret_cast<NativeBuffer>(static_cast<uintptr_t>(memory.handle));
  if (!native) return FailWith(HAL_STATUS_INVALID_ARGUMENT, "the MTLBuffer to import is nil");
  HAL_TRY(DescribeBuffer(memory_.context().native.get(), native, out_kind));
  if (LengthOf(native) < memory.length) {
    return Fail(HAL_STATUS_OUT_OF_RANGE, "the MTLBuffer has %llu bytes, not %llu",
                static_cast<unsigned long long>(LengthOf(native)), static_cast<unsigned long long>(memory.length));
  }
  out->block.buffer = OwnedBuffer::Retaining(native);
  return kOk;
}

Status MetalAllocator::Import(const hal_buffer_params_t* params, const hal_external_memory_t* memory,
                              hal_memory_release_fn_t release, void* user_data, hal_buffer_t** out_buffer) {
  const AutoreleaseScope scope;
  MemoryKind kind = MemoryKind::kShared;
  ImportedMemory imported;
  switch (static_cast<uint32_t>(memory->type)) {
    case HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER:
      HAL_TRY(CheckImport(*params, memory_.TypeOf(kind), memory_.UsageOf(kind)));
      HAL_TRY(ImportHost(*memory, &imported));
      break;
    case HAL_METAL_EXTERNAL_MEMORY_TYPE_BUFFER:
      HAL_TRY(ImportBuffer(*memory, &kind, &imported));
      HAL_TRY(CheckImport(*params, memory_.TypeOf(kind), memory_.UsageOf(kind)));
      break;
    default:
      return Fail(HAL_STATUS_UNIMPLEMENTED, "memory can be imported as HOST_POINTER or METAL_BUFFER, not as type %d",
                  static_cast<int>(memory->type));
  }
  HAL_TRY(memory_.residency().Add(imported.block.buffer.get()));
  imported.block.Describe(memory_.context().traits);
  imported.release = {release, user_data};
  *out_buffer = new MetalBuffer(memory_, kind, memory->length, std::move(imported));
  return kOk;
}

Status MetalAllocator::Trim() {
  memory_.Trim();
  return memory_.device().TrimActions();
}

}  // namespace halyard::metal
