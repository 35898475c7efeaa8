// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that comes too early, too late, twice or never, and is counted or mapped wrongly.
#include <cstring>

#include "local/memory/local_buffer.h"
#include "mutants/mutations.h"

namespace halyard::mutants {
namespace {

using Operation = hal_queue_operation_t;

bool Is(const Operation& operation, hal_queue_operation_type_t type) { return operation.type == type; }

// Waits on the caller's thread, for as long as a test can bear.
hal_status_t AllocaBlocks(hal_device_t* device, const Operation* operation) {
  if (Is(*operation, HAL_QUEUE_OPERATION_TYPE_ALLOCA)) {
    constexpr uint64_t kPatience = 500'000'000;  // nanoseconds
    const hal_status_t status = hal_semaphore_list_wait(operation->wait_list, HAL_WAIT_ALL, kPatience, nullptr);
    if (status == HAL_STATUS_DEADLINE_EXCEEDED) return status;
  }
  return Local().device->submit(device, operation);
}

// The work is done at once; the signals come when they should.
template <hal_queue_operation_type_t kType>
hal_status_t SubmitEarly(hal_device_t* device, const Operation* operation) {
  if (!Is(*operation, kType)) return Local().device->submit(device, operation);
  Operation early = *operation;
  early.wait_list = early.signal_list = {};
  if (hal_status_t status = Local().device->submit(device, &early); status != HAL_STATUS_OK) return status;
  const Operation rest = BarrierLike(*operation);
  return Local().device->submit(device, &rest);
}

void DeallocaNothing(Operation& operation) {
  if (Is(operation, HAL_QUEUE_OPERATION_TYPE_DEALLOCA)) operation = BarrierLike(operation);
}

// Running out of memory is not reported.
hal_status_t AllocaHidesFailure(hal_device_t* device, const Operation* operation) {
  if (!Is(*operation, HAL_QUEUE_OPERATION_TYPE_ALLOCA)) return Local().device->submit(device, operation);
  return AfterWork(device, *operation, [signals = KeptPoints(operation->signal_list)](hal_status_t, hal_string_view_t) {
    signals.Signal();
  });
}

hal_status_t MapAtStart(hal_buffer_t* buffer, hal_map_access_t access, uint64_t, uint64_t length, void** out_pointer) {
  return Local().buffer->map(buffer, access, 0, length, out_pointer);
}

// Discarding a range takes everything around it, too.
hal_status_t MapDiscardsAll(hal_buffer_t* buffer, hal_map_access_t access, uint64_t offset, uint64_t length,
                            void** out_pointer) {
  const hal_status_t status = Local().buffer->map(buffer, access, offset, length, out_pointer);
  if (status != HAL_STATUS_OK || (access & HAL_MAP_ACCESS_DISCARD) == 0) return status;
  std::memset(static_cast<local::LocalBuffer*>(buffer)->data(), 0xDD, buffer->length);
  return HAL_STATUS_OK;
}

// A mapping that is not for reading begins empty, as if DISCARD had been asked for.
hal_status_t MapForWritingDiscards(hal_buffer_t* buffer, hal_map_access_t access, uint64_t offset, uint64_t length,
                                   void** out_pointer) {
  const hal_status_t status = Local().buffer->map(buffer, access, offset, length, out_pointer);
  if (status == HAL_STATUS_OK && (access & HAL_MAP_ACCESS_READ) == 0 && length > 0)
    std::memset(*out_pointer, 0xDD, length);
  return status;
}

hal_status_t ExportNothing(hal_buffer_t* buffer, hal_external_memory_type_t type, hal_external_memory_t* out_memory) {
  const hal_status_t status = Local().buffer->export_memory(buffer, type, out_memory);
  out_memory->length = 0;
  return status;
}

using Statistics = hal_allocator_statistics_t;

/// allocator.query_statistics that changes what is told.
template <void (*kChange)(Statistics&)>
hal_status_t TellChanged(hal_allocator_t* allocator, Statistics* out_statistics) {
  const hal_status_t status = Local().allocator->query_statistics(allocator, out_statistics);
  kChange(*out_statistics);
  return status;
}
void NeverDecrease(Statistics& statistics) { statistics.bytes_in_use = statistics.bytes_allocated; }
void ForgetPeak(Statistics& statistics) { statistics.bytes_peak = statistics.bytes_in_use; }
void CountNothing(Statistics& statistics) { statistics.allocation_count = 0; }

hal_status_t PromiseAlignment(hal_allocator_t* allocator, size_t* count, hal_memory_heap_t* heaps) {
  const hal_status_t status = Local().allocator->query_heaps(allocator, count, heaps);
  for (size_t i = 0; status == HAL_STATUS_OK && heaps && i < *count; ++i) heaps[i].min_allocation_alignment = 1u << 20;
  return status;
}

// The memory is aligned as the driver likes, whatever was asked for.
hal_status_t AllocateUnaligned(hal_allocator_t* allocator, const hal_buffer_params_t* params, uint64_t length,
                               hal_buffer_t** out_buffer) {
  hal_buffer_params_t mutated = *params;
  mutated.alignment = 0;
  return Local().allocator->allocate(allocator, &mutated, length, out_buffer);
}

constexpr Mutant kMemoryMutants[] = {
    {"alloca-blocks", "a queue allocation waits on the caller's thread", "QueueAllocaTest.*",
     [](Tables& tables) { tables.device.submit = AllocaBlocks; }},
    {"alloca-early", "a queue allocation has its memory before its waits are reached",
     "*QueueAllocaEarlyUseTest.*:QueueAllocaTest.*",
     [](Tables& tables) { tables.device.submit = SubmitEarly<HAL_QUEUE_OPERATION_TYPE_ALLOCA>; }},
    {"alloca-hides-failure", "a queue allocation that finds no memory signals as if it had",
     "*QueueAllocaOutOfMemoryTest.*", [](Tables& tables) { tables.device.submit = AllocaHidesFailure; }},
    {"dealloca-ignored", "memory is not freed in the order of the queue", "*QueueAllocaLargeChainTest.*-*Slow*",
     [](Tables& tables) { tables.device.submit = SubmitMutated<DeallocaNothing>; }},
    {"dealloca-early", "memory is freed before the waits are reached", "*QueueAlloca*-*Slow*",
     [](Tables& tables) { tables.device.submit = SubmitEarly<HAL_QUEUE_OPERATION_TYPE_DEALLOCA>; }},
    {"map-offset-ignored", "a mapping begins at the buffer's start", "*BufferMap*",
     [](Tables& tables) { tables.buffer.map = MapAtStart; }},
    {"map-discards-all", "discarding a range loses what lies around it", "BufferMapTest.*",
     [](Tables& tables) { tables.buffer.map = MapDiscardsAll; }},
    {"map-write-discards", "mapping a range for writing loses what it holds", "*BufferMap*",
     [](Tables& tables) { tables.buffer.map = MapForWritingDiscards; }},
    {"export-empty", "exported memory has no length", "BufferExportTest.*",
     [](Tables& tables) { tables.buffer.export_memory = ExportNothing; }},
    {"statistics-never-decrease", "bytes in use only ever grow", "AllocatorStatisticsTest.*",
     [](Tables& tables) { tables.allocator.query_statistics = TellChanged<NeverDecrease>; }},
    {"statistics-without-peak", "the peak is what is in use now", "AllocatorStatisticsTest.*",
     [](Tables& tables) { tables.allocator.query_statistics = TellChanged<ForgetPeak>; }},
    {"statistics-without-count", "live allocations are not counted", "AllocatorStatisticsTest.*",
     [](Tables& tables) { tables.allocator.query_statistics = TellChanged<CountNothing>; }},
    {"heap-alignment-wrong", "buffers are aligned to less than their heap says", "*Alloc*:*Heap*:*Buffer*-*Slow*",
     [](Tables& tables) { tables.allocator.query_heaps = PromiseAlignment; }},
    {"alignment-ignored", "buffers are not aligned as was asked for", "*AllocationAlignmentTest.*",
     [](Tables& tables) { tables.allocator.allocate = AllocateUnaligned; }},
};

}  // namespace

std::span<const Mutant> MemoryMutants() { return kMemoryMutants; }

}  // namespace halyard::mutants
