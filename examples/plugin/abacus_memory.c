// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdlib.h>

#include "abacus.h"

enum { ABACUS_ALIGNMENT = 64 };

static const hal_memory_type_t memory_type = HAL_MEMORY_TYPE_ALL;  // the host's memory is everything at once
static const hal_buffer_usage_t supported_usage = HAL_BUFFER_USAGE_TRANSFER | HAL_BUFFER_USAGE_MAPPING;

// --- Buffers ---------------------------------------------------------------------------------------------------------

static void destroy_buffer(hal_object_t* object) {
  abacus_buffer_t* const buffer = (abacus_buffer_t*)object;
  if (!buffer->is_imported) free(buffer->bytes);
  if (buffer->release) buffer->release(buffer->user_data);
  abacus_free(buffer, sizeof(*buffer));
}

static hal_status_t map_buffer(hal_buffer_t* buffer, hal_map_access_t access, uint64_t offset, uint64_t length,
                               void** out_pointer) {
  (void)access;
  (void)length;
  *out_pointer = ((abacus_buffer_t*)buffer)->bytes + offset;
  return HAL_STATUS_OK;
}

static hal_status_t unmap_buffer(hal_buffer_t* buffer) {
  (void)buffer;
  return HAL_STATUS_OK;
}

// The memory is coherent, so the core never asks for a flush.
const hal_buffer_vtable_t abacus_buffer_vtable = {
    .struct_size = sizeof(hal_buffer_vtable_t),
    .destroy = destroy_buffer,
    .map = map_buffer,
    .unmap = unmap_buffer,
};

// --- Allocator -------------------------------------------------------------------------------------------------------

static hal_status_t query_heaps(hal_allocator_t* allocator, size_t* count, hal_memory_heap_t* heaps) {
  (void)allocator;
  const size_t capacity = *count;
  *count = 1;
  if (!heaps) return HAL_STATUS_OK;
  if (capacity < 1) return abacus_fail(HAL_STATUS_OUT_OF_RANGE, "abacus: there is one heap");
  heaps[0].memory_type = memory_type;
  heaps[0].usage = supported_usage;
  heaps[0].capacity = 0;  // unknown
  heaps[0].max_allocation_size = INT64_MAX;
  heaps[0].min_allocation_alignment = ABACUS_ALIGNMENT;
  return HAL_STATUS_OK;
}

// A buffer without memory. The core fills in and retains its device once it has it.
static hal_status_t make_buffer(const hal_allocator_t* allocator, const hal_buffer_params_t* params, uint64_t length,
                                abacus_buffer_t** out_buffer) {
  if (params->usage & ~supported_usage) {
    return abacus_fail(HAL_STATUS_INCOMPATIBLE, "abacus: buffers are for transfers and mapping only");
  }
  abacus_buffer_t* const buffer = abacus_allocate(sizeof(*buffer));
  if (!buffer) return HAL_STATUS_RESOURCE_EXHAUSTED;
  hal_object_initialize(&buffer->head.object, HAL_OBJECT_KIND_BUFFER, allocator->device->driver->tables->buffer);
  buffer->head.memory_type = memory_type;
  buffer->length = length;
  *out_buffer = buffer;
  return HAL_STATUS_OK;
}

static hal_status_t allocate(hal_allocator_t* allocator, const hal_buffer_params_t* params, uint64_t length,
                             hal_buffer_t** out_buffer) {
  const uint64_t alignment = params->alignment > ABACUS_ALIGNMENT ? params->alignment : ABACUS_ALIGNMENT;
  if (length > INT64_MAX - alignment)
    return abacus_fail(HAL_STATUS_RESOURCE_EXHAUSTED, "abacus: no machine has that much memory");
  abacus_buffer_t* buffer = NULL;
  const hal_status_t status = make_buffer(allocator, params, length, &buffer);
  if (status != HAL_STATUS_OK) return status;
  buffer->bytes = aligned_alloc(alignment, (length / alignment + 1) * alignment);
  if (!buffer->bytes) {
    destroy_buffer(&buffer->head.object);
    return abacus_fail(HAL_STATUS_RESOURCE_EXHAUSTED, "abacus: out of memory");
  }
  *out_buffer = &buffer->head;
  return HAL_STATUS_OK;
}

static hal_status_t import(hal_allocator_t* allocator, const hal_buffer_params_t* params,
                           const hal_external_memory_t* memory, hal_memory_release_fn_t release, void* user_data,
                           hal_buffer_t** out_buffer) {
  if (memory->type != HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER) {
    return abacus_fail(HAL_STATUS_UNIMPLEMENTED, "abacus: memory is imported as HOST_POINTER only");
  }
  abacus_buffer_t* buffer = NULL;
  const hal_status_t status = make_buffer(allocator, params, memory->length, &buffer);
  if (status != HAL_STATUS_OK) return status;
  buffer->bytes = (unsigned char*)(uintptr_t)memory->handle;
  buffer->is_imported = true;
  buffer->release = release;
  buffer->user_data = user_data;
  *out_buffer = &buffer->head;
  return HAL_STATUS_OK;
}

const hal_allocator_vtable_t abacus_allocator_vtable = {
    .struct_size = sizeof(hal_allocator_vtable_t),
    .query_heaps = query_heaps,
    .allocate = allocate,
    .import = import,
};
