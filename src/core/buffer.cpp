// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/buffer.h"

#include <array>
#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "core/handles/handle_checks.h"
#include "core/handles/host_memory.h"
#include "core/public_call.h"
#include "core/validation/buffer_ref.h"
#include "core/validation/checks.h"

namespace halyard {
namespace {

constexpr hal_map_access_t kMapAccessAll = HAL_MAP_ACCESS_READ | HAL_MAP_ACCESS_WRITE | HAL_MAP_ACCESS_DISCARD;

/// "buffer 'weights': " before a message; empty without a label.
std::array<char, 96> OfLabelled(const hal_buffer_t* buffer) {
  std::array<char, 96> text{};
  const LabelWords label(buffer);
  if (*label.c_str()) std::snprintf(text.data(), text.size(), "buffer%s: ", label.c_str());
  return text;
}

Status CheckUsage(const hal_buffer_t* buffer, hal_buffer_usage_t usage, const char* name) {
  if (buffer->usage & usage) return kOk;
  return Fail(HAL_STATUS_PERMISSION_DENIED, "the buffer%s was not created with %s usage", LabelWords(buffer).c_str(),
              name);
}

Status CheckHasMemory(const hal_buffer_t* buffer) {
  const uint32_t state = std::atomic_ref(buffer->allocation->state).load(std::memory_order_acquire);
  if (state != kBufferDealloced) return kOk;
  return Fail(HAL_STATUS_FAILED_PRECONDITION, "the buffer%s was freed by hal_device_queue_dealloca",
              LabelWords(buffer).c_str());
}

Status CheckMapAccess(hal_map_access_t access) {
  HAL_TRY(CheckFlags("access", access, kMapAccessAll));
  const bool reads = (access & HAL_MAP_ACCESS_READ) != 0;
  const bool writes = (access & HAL_MAP_ACCESS_WRITE) != 0;
  const bool discards = (access & HAL_MAP_ACCESS_DISCARD) != 0;
  if (!reads && !writes) return FailWith(HAL_STATUS_INVALID_ARGUMENT, "access has neither READ nor WRITE");
  if (discards && (reads || !writes)) {
    return FailWith(HAL_STATUS_INVALID_ARGUMENT, "access has DISCARD, which goes with WRITE and not with READ");
  }
  return kOk;
}

/// A range that the host may touch, with its offset in the allocation.
struct HostRange {
  hal_buffer_t* allocation;
  uint64_t offset;
  uint64_t length;
};

Status ResolveHostRange(hal_buffer_t* buffer, uint64_t offset, uint64_t length, HostRange* out) {
  HAL_TRY(CheckNotNull("buffer", buffer));
  HAL_TRY(CheckUsage(buffer, HAL_BUFFER_USAGE_MAPPING, "MAPPING"));
  HAL_TRY(ResolveRange(buffer, offset, &length));
  HAL_TRY(CheckHasMemory(buffer));
  *out = {buffer->allocation, buffer->allocation_offset + offset, length};
  return kOk;
}

Status CheckWritable(const hal_buffer_t* buffer) {
  if ((buffer->usage & HAL_BUFFER_USAGE_READ_ONLY) == 0) return kOk;
  return Fail(HAL_STATUS_PERMISSION_DENIED, "the memory of the buffer%s may only be read", LabelWords(buffer).c_str());
}

Status Map(const HostRange& range, hal_map_access_t access, void** out_pointer) {
  return FromC(VtableOf(range.allocation)->map(range.allocation, access, range.offset, range.length, out_pointer));
}

Status Unmap(hal_buffer_t* allocation) { return FromC(VtableOf(allocation)->unmap(allocation)); }

bool IsCoherent(const hal_buffer_t* buffer) { return (buffer->memory_type & HAL_MEMORY_TYPE_HOST_COHERENT) != 0; }

Status Flush(const HostRange& range) {
  if (IsCoherent(range.allocation)) return kOk;
  return FromC(VtableOf(range.allocation)->flush(range.allocation, range.offset, range.length));
}

Status Invalidate(const HostRange& range) {
  if (IsCoherent(range.allocation)) return kOk;
  return FromC(VtableOf(range.allocation)->invalidate(range.allocation, range.offset, range.length));
}

// Takes one from the count of mappings; false if there is none.
bool TakeMapping(hal_buffer_t* buffer) {
  const std::atomic_ref<uint32_t> count(buffer->map_count);
  uint32_t mappings = count.load(std::memory_order_relaxed);
  while (mappings > 0) {
    if (count.compare_exchange_weak(mappings, mappings - 1, std::memory_order_acq_rel)) return true;
  }
  return false;
}

// Maps a range, lets `copy` use it and unmaps it. The first failure is the one that is reported.
template <class Copy>
Status CopyThroughMapping(const HostRange& range, hal_map_access_t access, Copy&& copy) {
  if (range.length == 0) return kOk;
  void* pointer = nullptr;
  HAL_TRY(Map(range, access, &pointer));
  const Status copied = copy(pointer);
  if (copied == kOk) return Unmap(range.allocation);
  Unmap(range.allocation).Ignore();
  return copied;
}

/// How long the caller's memory is, only the caller knows.
Status CheckHostData(uint64_t length, const void* data) {
  if (length == HAL_WHOLE_SIZE) {
    return FailWith(HAL_STATUS_OUT_OF_RANGE, "length is HAL_WHOLE_SIZE; give the number of bytes at data");
  }
  return length > 0 ? CheckNotNull("data", data) : kOk;
}

Status Write(hal_buffer_t* buffer, uint64_t offset, const void* data, uint64_t length) {
  HostRange range;
  HAL_TRY(ResolveHostRange(buffer, offset, length, &range));
  HAL_TRY(CheckWritable(buffer));
  HAL_TRY(CheckHostData(length, data));
  return CopyThroughMapping(range, HAL_MAP_ACCESS_WRITE | HAL_MAP_ACCESS_DISCARD, [&](void* mapped) {
    // The flush may take neighbours of the range along, which the device has written.
    HAL_TRY(Invalidate(range));
    std::memcpy(mapped, data, range.length);
    return Flush(range);
  });
}

Status Read(hal_buffer_t* buffer, uint64_t offset, void* data, uint64_t length) {
  HostRange range;
  HAL_TRY(ResolveHostRange(buffer, offset, length, &range));
  HAL_TRY(CheckHostData(length, data));
  return CopyThroughMapping(range, HAL_MAP_ACCESS_READ, [&](const void* mapped) {
    const Status status = Invalidate(range);
    if (status == kOk) std::memcpy(data, mapped, range.length);
    return status;
  });
}

// Narrows what a driver exported, which is the whole allocation, to the buffer that was asked for.
Status NarrowExport(const hal_buffer_t* buffer, hal_external_memory_t* memory) {
  if (buffer == buffer->allocation) return kOk;
  if (memory->type >= HAL_EXTERNAL_MEMORY_TYPE_VENDOR_BEGIN) {
    return Fail(HAL_STATUS_UNIMPLEMENTED, "memory of type 0x%x is exported whole, not as a subspan",
                static_cast<unsigned>(memory->type));
  }
  (IsPointer(memory->type) ? memory->handle : memory->offset) += buffer->allocation_offset;
  memory->length = buffer->length;
  return kOk;
}

Status Export(hal_buffer_t* buffer, hal_external_memory_type_t type, hal_external_memory_t* out_memory) {
  HAL_TRY(CheckNotNull("out_memory", out_memory));
  HAL_TRY(CheckNotNull("buffer", buffer));
  HAL_TRY(CheckUsage(buffer, HAL_BUFFER_USAGE_EXPORT, "EXPORT"));
  if (type == HAL_EXTERNAL_MEMORY_TYPE_NONE) return FailWith(HAL_STATUS_INVALID_ARGUMENT, "type is NONE");
  if (type == HAL_EXTERNAL_MEMORY_TYPE_WIN32) {
    return FailWith(HAL_STATUS_UNIMPLEMENTED, "type is WIN32: the library does not run on Windows yet");
  }
  HAL_TRY(CheckRoom(*out_memory, type));
  HAL_TRY(CheckHasMemory(buffer));
  hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
  memory.type = type;
  hal_buffer_t* const allocation = buffer->allocation;
  HAL_TRY(SetUuid(buffer->device, &memory));
  if (type == HAL_EXTERNAL_MEMORY_TYPE_HOST_FD) {
    HAL_TRY(SharedHostMemory::Export(allocation, &memory));
  } else {
    HAL_TRY(VtableOf(allocation)->export_memory(allocation, type, &memory));
  }
  HAL_TRY(NarrowExport(buffer, &memory));
  if (buffer->usage & HAL_BUFFER_USAGE_READ_ONLY) memory.flags |= HAL_EXTERNAL_MEMORY_READ_ONLY;
  return WriteStruct("out_memory", memory, out_memory);
}

Status QueryInfo(hal_buffer_t* buffer, hal_buffer_info_t* out_info) {
  HAL_TRY(CheckNotNull("buffer", buffer));
  hal_buffer_info_t info = HAL_INIT(hal_buffer_info_t);
  info.device = buffer->device;
  info.length = buffer->length;
  info.memory_type = buffer->memory_type;
  info.usage = buffer->usage;
  info.queues = buffer->queues;
  info.allocation = buffer->allocation;
  info.allocation_offset = buffer->allocation_offset;
  return WriteStruct("out_info", info, out_info);
}

}  // namespace

Status MapBuffer(hal_buffer_t* buffer, hal_map_access_t access, uint64_t offset, uint64_t length, void** out_pointer) {
  HAL_TRY(CheckNotNull("out_pointer", out_pointer));
  *out_pointer = nullptr;
  HAL_TRY(CheckMapAccess(access));
  HostRange range;
  HAL_TRY(ResolveHostRange(buffer, offset, length, &range));
  if (access & HAL_MAP_ACCESS_WRITE) HAL_TRY(CheckWritable(buffer));
  void* pointer = nullptr;
  HAL_TRY(Map(range, access, &pointer));
  std::atomic_ref(buffer->map_count).fetch_add(1, std::memory_order_release);
  *out_pointer = pointer;
  return kOk;
}

Status UnmapBuffer(hal_buffer_t* buffer) {
  HAL_TRY(CheckNotNull("buffer", buffer));
  if (TakeMapping(buffer)) return Unmap(buffer->allocation);
  return Fail(HAL_STATUS_FAILED_PRECONDITION, "the buffer%s is not mapped", LabelWords(buffer).c_str());
}

Status InvalidateBuffer(hal_buffer_t* buffer, uint64_t offset, uint64_t length) {
  HostRange range;
  HAL_TRY(ResolveHostRange(buffer, offset, length, &range));
  return Invalidate(range);
}

Status ResolveRange(const hal_buffer_t* buffer, uint64_t offset, uint64_t* length) {
  const uint64_t size = buffer->length;
  if (offset > size) {
    return Fail(HAL_STATUS_OUT_OF_RANGE, "%soffset %" PRIu64 " exceeds the buffer's %" PRIu64 " bytes",
                OfLabelled(buffer).data(), offset, size);
  }
  const uint64_t rest = size - offset;
  if (*length == HAL_WHOLE_SIZE) *length = rest;
  if (*length <= rest) return kOk;
  return Fail(HAL_STATUS_OUT_OF_RANGE,
              "%soffset %" PRIu64 " + length %" PRIu64 " exceeds the buffer's %" PRIu64 " bytes",
              OfLabelled(buffer).data(), offset, *length, size);
}

}  // namespace halyard

using halyard::Public;

void hal_buffer_retain(hal_buffer_t* buffer) { halyard::RetainHandle(buffer); }
void hal_buffer_release(hal_buffer_t* buffer) { halyard::ReleaseHandle(buffer); }

hal_status_t hal_buffer_query_info(hal_buffer_t* buffer, hal_buffer_info_t* out_info) {
  return Public([&] { return halyard::QueryInfo(buffer, out_info); });
}

uint64_t hal_buffer_length(hal_buffer_t* buffer) { return halyard::IsUsable("buffer", buffer) ? buffer->length : 0; }

hal_status_t hal_buffer_map(hal_buffer_t* buffer, hal_map_access_t access, uint64_t offset, uint64_t length,
                            void** out_pointer) {
  return Public([&] { return halyard::MapBuffer(buffer, access, offset, length, out_pointer); });
}

hal_status_t hal_buffer_unmap(hal_buffer_t* buffer) {
  return Public([&] { return halyard::UnmapBuffer(buffer); });
}

hal_status_t hal_buffer_flush(hal_buffer_t* buffer, uint64_t offset, uint64_t length) {
  return Public([&] {
    halyard::HostRange range;
    HAL_TRY(halyard::ResolveHostRange(buffer, offset, length, &range));
    return halyard::Flush(range);
  });
}

hal_status_t hal_buffer_invalidate(hal_buffer_t* buffer, uint64_t offset, uint64_t length) {
  return Public([&] { return halyard::InvalidateBuffer(buffer, offset, length); });
}

hal_status_t hal_buffer_write(hal_buffer_t* buffer, uint64_t offset, const void* data, uint64_t length) {
  return Public([&] { return halyard::Write(buffer, offset, data, length); });
}

hal_status_t hal_buffer_read(hal_buffer_t* buffer, uint64_t offset, void* data, uint64_t length) {
  return Public([&] { return halyard::Read(buffer, offset, data, length); });
}

hal_status_t hal_buffer_export(hal_buffer_t* buffer, hal_external_memory_type_t type,
                               hal_external_memory_t* out_memory) {
  return Public([&] { return halyard::Export(buffer, type, out_memory); });
}
