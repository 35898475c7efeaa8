// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "halyard/allocator.h"

#include <bit>
#include <cinttypes>
#include <memory>
#include <utility>

#include "core/application_calls.h"
#include "core/buffer.h"
#include "core/handles/handle_checks.h"
#include "core/handles/host_memory.h"
#include "core/public_call.h"
#include "core/subspan.h"
#include "core/validation/checks.h"
#include "halyard/buffer.h"

namespace halyard {
namespace {

// With this bound a driver can round a length up to any alignment without an overflow.
constexpr uint64_t kMaxBufferLength = INT64_MAX;

Status FinishBuffer(hal_device_t* device, const hal_buffer_params_t& params, uint64_t length, hal_buffer_t* buffer,
                    hal_buffer_t** out_buffer) {
  const hal_object_t* const object = buffer ? &buffer->object : nullptr;
  HAL_TRY(CheckMade(object, HAL_OBJECT_KIND_BUFFER, sizeof(hal_buffer_vtable_t)));
  AdoptBuffer(device, params, length, buffer);
  *out_buffer = buffer;
  return kOk;
}

/// A buffer whose memory the driver takes for memory of the application.
/// @param usage  what the buffer has; drivers do not know of READ_ONLY
Status ImportShared(hal_allocator_t* allocator, const hal_buffer_params_t& params, hal_buffer_usage_t usage,
                    uint64_t length, std::unique_ptr<SharedHostMemory> shared, hal_buffer_t** out_buffer) {
  const hal_external_memory_t memory = shared->AsPointer();
  hal_buffer_t* buffer = nullptr;
  HAL_TRY(VtableOf(allocator)->import(allocator, &params, &memory, SharedHostMemory::OnRelease, shared.get(), &buffer));
  static_cast<void>(shared.release());  // the buffer has it
  hal_buffer_params_t own = params;
  own.usage = usage;
  return FinishBuffer(allocator->device, own, length, buffer, out_buffer);
}

Status AllocateShared(hal_allocator_t* allocator, const hal_buffer_params_t& params, uint64_t length,
                      hal_buffer_t** out_buffer) {
  std::unique_ptr<SharedHostMemory> shared;
  HAL_TRY(SharedHostMemory::Create(length, params.alignment, &shared));
  return ImportShared(allocator, params, params.usage, length, std::move(shared), out_buffer);
}

Status Allocate(hal_allocator_t* allocator, const hal_buffer_params_t* given, uint64_t length,
                hal_buffer_t** out_buffer) {
  HAL_TRY(CheckNotNull("allocator", allocator));
  hal_device_t* const device = allocator->device;
  hal_buffer_params_t params;
  HAL_TRY(ReadBufferParams(device, given, &params));
  if (length > kMaxBufferLength) return Fail(HAL_STATUS_RESOURCE_EXHAUSTED, "no memory has %" PRIu64 " bytes", length);
  hal_buffer_t* buffer = nullptr;
  if (params.handles != HAL_PEER_HANDLES_NONE) [[unlikely]] {
    HAL_TRY(CheckExports(device, params.handles));
    if (params.handles & HAL_PEER_HANDLE_HOST_FD) return AllocateShared(allocator, params, length, out_buffer);
  }
  HAL_TRY(VtableOf(allocator)->allocate(allocator, &params, length, &buffer));
  return FinishBuffer(device, params, length, buffer, out_buffer);
}

Status ReadExternalMemory(const hal_external_memory_t* given, hal_external_memory_t* out) {
  *out = HAL_INIT(hal_external_memory_t);
  HAL_TRY(ReadStruct("memory", given, out));
  HAL_TRY(CheckFlags("memory->flags", out->flags, HAL_EXTERNAL_MEMORY_READ_ONLY));
  if (out->type == HAL_EXTERNAL_MEMORY_TYPE_NONE) {
    return FailWith(HAL_STATUS_INVALID_ARGUMENT, "memory->type is not set");
  }
  if (out->length > UINT64_MAX - out->offset) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "memory->offset %" PRIu64 " + length %" PRIu64 " overflows", out->offset,
                out->length);
  }
  if (out->length <= kMaxBufferLength) return kOk;
  return Fail(HAL_STATUS_INVALID_ARGUMENT, "memory->length is %" PRIu64 " bytes", out->length);
}

// Holds for pointers and device addresses. What a vendor's handle means only its driver knows.
Status CheckAddress(const hal_external_memory_t& memory, uint64_t alignment) {
  if (!IsPointer(memory.type)) return kOk;
  if (memory.handle == 0 && memory.length > 0) return FailWith(HAL_STATUS_INVALID_ARGUMENT, "memory->handle is NULL");
  if (memory.length > UINT64_MAX - memory.handle) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "memory->handle 0x%" PRIx64 " + length %" PRIu64 " overflows",
                memory.handle, memory.length);
  }
  if (alignment == 0 || memory.length == 0 || memory.handle % alignment == 0) return kOk;
  return Fail(HAL_STATUS_INCOMPATIBLE, "memory->handle 0x%" PRIx64 " is not aligned to %" PRIu64 " bytes",
              memory.handle, alignment);
}

/// An empty buffer of the kind of memory that a pointer is to. Where both sides share all memory, none is the host's.
Status AllocateNothing(hal_allocator_t* allocator, hal_external_memory_type_t type, const hal_buffer_params_t& params,
                       hal_buffer_t** out_buffer) {
  const auto allocate = [&](hal_memory_type_t of_type) {
    hal_buffer_params_t asked = params;
    asked.memory_type |= of_type;
    return FromC(VtableOf(allocator)->allocate(allocator, &asked, 0, out_buffer));
  };
  if (type == HAL_EXTERNAL_MEMORY_TYPE_DEVICE_POINTER) return allocate(HAL_MEMORY_TYPE_DEVICE_LOCAL);
  if (Succeeds(allocate(HAL_MEMORY_TYPE_HOST_LOCAL | HAL_MEMORY_TYPE_HOST_VISIBLE))) return kOk;
  return allocate(HAL_MEMORY_TYPE_HOST_VISIBLE);
}

/// Memory of 0 bytes is nowhere, whatever its address: no driver has to find or to pin it. An empty buffer of the
/// device stands for it.
Status ImportNothing(hal_allocator_t* allocator, const hal_buffer_params_t& params, hal_buffer_usage_t usage,
                     hal_external_memory_type_t type, std::unique_ptr<ReleaseCall> call, hal_buffer_t** out_buffer) {
  hal_buffer_params_t own = params;
  hal_buffer_t* made = nullptr;
  HAL_TRY(AllocateNothing(allocator, type, own, &made));
  own.usage = usage;
  hal_buffer_t* buffer = nullptr;
  HAL_TRY(FinishBuffer(allocator->device, own, 0, made, &buffer));
  const auto kept = Ref<hal_buffer_t>::Adopting(buffer);
  *out_buffer = MakeSubspan(*buffer, 0, 0, std::move(call));
  return kOk;
}

/// Nothing writes to memory that may only be read: not transfers, which ask for it, nor mappings and kernels, which are
/// checked each time.
Status CheckReadOnly(const hal_external_memory_t& memory, const hal_buffer_params_t& params) {
  const bool is_read_only = (memory.flags & HAL_EXTERNAL_MEMORY_READ_ONLY) != 0;
  if (!is_read_only || (params.usage & HAL_BUFFER_USAGE_TRANSFER_TARGET) == 0) return kOk;
  return FailWith(HAL_STATUS_PERMISSION_DENIED, "the memory may only be read, but params->usage has TRANSFER_TARGET");
}

/// What a driver does not tell.
hal_memory_heap_t UnknownHeap() {
  hal_memory_heap_t heap = HAL_INIT(hal_memory_heap_t);
  heap.available = UINT64_MAX;
  return heap;
}

Status QueryHeaps(hal_allocator_t* allocator, size_t* count, hal_memory_heap_t* heaps) {
  HostVector<hal_memory_heap_t> list;
  const auto query = [&](size_t* n, hal_memory_heap_t* out) {
    return FromC(VtableOf(allocator)->query_heaps(allocator, n, out));
  };
  if (Status status = ReadStructList(UnknownHeap(), query, &list); status != kOk) {
    *count = 0;
    return status;
  }
  return WriteStructList<hal_memory_heap_t>("heaps", list, count, heaps);
}

Status QueryStatistics(hal_allocator_t* allocator, hal_allocator_statistics_t* out_statistics) {
  hal_allocator_statistics_t statistics = HAL_INIT(hal_allocator_statistics_t);
  HAL_TRY(VtableOf(allocator)->query_statistics(allocator, &statistics));
  return WriteStruct("out_statistics", statistics, out_statistics);
}

}  // namespace

Status ImportBuffer(hal_allocator_t* allocator, const hal_buffer_params_t* given_params,
                    const hal_external_memory_t* given_memory, hal_memory_release_fn_t release, void* user_data,
                    hal_buffer_t** out_buffer) {
  HAL_TRY(CheckNotNull("allocator", allocator));
  hal_device_t* const device = allocator->device;
  hal_buffer_params_t params;
  HAL_TRY(ReadBufferParams(device, given_params, &params));
  hal_external_memory_t memory;
  HAL_TRY(ReadExternalMemory(given_memory, &memory));
  if (params.handles != HAL_PEER_HANDLES_NONE) {
    return FailWith(HAL_STATUS_INVALID_ARGUMENT, "params->handles is set, which only a new allocation can have");
  }
  HAL_TRY(CheckAddress(memory, params.alignment));
  HAL_TRY(CheckHandle(device, memory));
  HAL_TRY(CheckReadOnly(memory, params));
  auto call = release ? std::make_unique<ReleaseCall>(release, user_data) : nullptr;
  const bool is_read_only = (memory.flags & HAL_EXTERNAL_MEMORY_READ_ONLY) != 0;
  const hal_buffer_usage_t usage = params.usage | (is_read_only ? HAL_BUFFER_USAGE_READ_ONLY : 0);
  if (memory.type == HAL_EXTERNAL_MEMORY_TYPE_HOST_FD) {
    std::unique_ptr<SharedHostMemory> shared;
    HAL_TRY(SharedHostMemory::Open(memory, params.alignment, std::move(call), &shared));
    HAL_TRY(CheckAddress(shared->AsPointer(), params.alignment));
    return ImportShared(allocator, params, usage, memory.length, std::move(shared), out_buffer);
  }
  memory.flags = 0;  // drivers have no flags yet
  if (memory.length == 0 && IsPointer(memory.type)) {
    return ImportNothing(allocator, params, usage, memory.type, std::move(call), out_buffer);
  }
  hal_buffer_t* buffer = nullptr;
  const Status status = FromC(VtableOf(allocator)->import(
      allocator, &params, &memory, call ? ReleaseCall::OnRelease : nullptr, call.get(), &buffer));
  if (status != kOk) return status;
  static_cast<void>(call.release());  // it frees itself
  params.usage = usage;
  return FinishBuffer(device, params, memory.length, buffer, out_buffer);
}

Status ReadBufferParams(hal_device_t* device, const hal_buffer_params_t* given, hal_buffer_params_t* out) {
  *out = HAL_BUFFER_PARAMS_INIT;
  HAL_TRY(ReadStruct("params", given, out));
  HAL_TRY(CheckFlags("params->memory_type", out->memory_type, HAL_MEMORY_TYPE_ALL));
  HAL_TRY(CheckFlags("params->usage", out->usage, HAL_BUFFER_USAGE_ALL));
  if (out->usage == HAL_BUFFER_USAGE_NONE) {
    return FailWith(HAL_STATUS_INVALID_ARGUMENT, "params->usage is NONE; say what the buffer will be used for");
  }
  if (out->alignment != 0 && !std::has_single_bit(out->alignment)) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "params->alignment is %" PRIu64 ", which is no power of two",
                out->alignment);
  }
  if (out->alignment > HAL_BUFFER_MAX_ALIGNMENT) {
    return Fail(HAL_STATUS_OUT_OF_RANGE, "params->alignment is %" PRIu64 "; the most is %" PRIu64, out->alignment,
                uint64_t{HAL_BUFFER_MAX_ALIGNMENT});
  }
  if (out->usage & HAL_BUFFER_USAGE_MAPPING) out->memory_type |= HAL_MEMORY_TYPE_HOST_VISIBLE;
  HAL_TRY(CheckFlags("params->handles", out->handles, HAL_PEER_HANDLES_ALL));
  if (out->handles != HAL_PEER_HANDLES_NONE) out->usage |= HAL_BUFFER_USAGE_EXPORT;
  hal_queue_mask_t existing = 0;  // only checked: a buffer remembers what was asked for
  return ResolveQueues(device, out->queues, &existing);
}

void SetBufferHead(hal_device_t* device, const hal_buffer_params_t& params, uint64_t length, hal_buffer_t* buffer) {
  buffer->device = device;
  buffer->allocation = buffer;
  buffer->allocation_offset = 0;
  buffer->length = length;
  buffer->usage = params.usage;
  buffer->queues = params.queues;
  buffer->map_count = 0;
  buffer->state = 0;
}

void AdoptBuffer(hal_device_t* device, const hal_buffer_params_t& params, uint64_t length, hal_buffer_t* buffer) {
  SetBufferHead(device, params, length, buffer);
  Retain(device);
}

}  // namespace halyard

using halyard::CheckNotNull;
using halyard::Public;
using halyard::PublicThatGives;

void hal_allocator_retain(hal_allocator_t* allocator) { halyard::RetainHandle(allocator); }
void hal_allocator_release(hal_allocator_t* allocator) { halyard::ReleaseHandle(allocator); }

hal_status_t hal_allocator_query_heaps(hal_allocator_t* allocator, size_t* count, hal_memory_heap_t* heaps) {
  return Public([&] {
    HAL_TRY(halyard::BeginList(count, "allocator", allocator));
    return halyard::QueryHeaps(allocator, count, heaps);
  });
}

hal_status_t hal_allocator_query_statistics(hal_allocator_t* allocator, hal_allocator_statistics_t* out_statistics) {
  return Public([&] {
    HAL_TRY(CheckNotNull("allocator", allocator));
    return halyard::QueryStatistics(allocator, out_statistics);
  });
}

hal_status_t hal_allocator_allocate(hal_allocator_t* allocator, const hal_buffer_params_t* params, uint64_t length,
                                    hal_buffer_t** out_buffer) {
  return PublicThatGives("out_buffer", out_buffer,
                         [&] { return halyard::Allocate(allocator, params, length, out_buffer); });
}

hal_status_t hal_allocator_import(hal_allocator_t* allocator, const hal_buffer_params_t* params,
                                  const hal_external_memory_t* memory, hal_memory_release_fn_t release, void* user_data,
                                  hal_buffer_t** out_buffer) {
  return PublicThatGives("out_buffer", out_buffer, [&] {
    return halyard::ImportBuffer(allocator, params, memory, release, user_data, out_buffer);
  });
}

hal_status_t hal_allocator_trim(hal_allocator_t* allocator) {
  return Public([&] {
    HAL_TRY(CheckNotNull("allocator", allocator));
    return halyard::FromC(halyard::VtableOf(allocator)->trim(allocator));
  });
}
