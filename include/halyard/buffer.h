// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Buffers: ranges of device-visible memory, their mapping into the host, and references to them.
///
/// Since 0.1, all of it.
#ifndef HALYARD_BUFFER_H_
#define HALYARD_BUFFER_H_

#include "halyard/allocator.h"
#include "halyard/base.h"
#include "halyard/status.h"

HAL_EXTERN_C_BEGIN

/// A range of a buffer, or of the range in a slot of a binding table. The same type in every command and binding. A
/// frozen struct.
typedef struct hal_buffer_ref_t {
  hal_buffer_t* buffer;  ///< the buffer, or NULL to take it from the binding table
  uint32_t slot;         ///< slot of the binding table, if `buffer` is NULL; else ignored. HAL_NO_SLOT names none
  uint32_t reserved;     ///< must be 0
  uint64_t offset;       ///< bytes from the start of the buffer, or of the slot's range
  uint64_t length;       ///< bytes, or HAL_WHOLE_SIZE for all that follows `offset`
} hal_buffer_ref_t;

/// A reference to a range of a buffer. If `buffer` is NULL, the reference names no slot either, and no function takes
/// it except as an empty place of a binding table. Thread-safe.
static inline hal_buffer_ref_t hal_buffer_ref(hal_buffer_t* buffer, uint64_t offset, uint64_t length) {
  hal_buffer_ref_t ref;
  ref.buffer = buffer;
  ref.slot = buffer ? 0 : HAL_NO_SLOT;
  ref.reserved = 0;
  ref.offset = offset;
  ref.length = length;
  return ref;
}

/// A reference to a range of what the binding table holds in `slot`. Thread-safe.
static inline hal_buffer_ref_t hal_slot_ref(uint32_t slot, uint64_t offset, uint64_t length) {
  hal_buffer_ref_t ref = hal_buffer_ref(NULL, offset, length);
  ref.slot = slot;
  return ref;
}

/// Several references: the bindings of a dispatch, or a binding table. A frozen struct, passed by value.
typedef struct hal_buffer_ref_list_t {
  /// The references; may be NULL if there are none.
  const hal_buffer_ref_t* refs;
  /// How many there are.
  size_t count;
} hal_buffer_ref_list_t;

/// Makes a list of references. Thread-safe.
static inline hal_buffer_ref_list_t hal_buffer_ref_list(const hal_buffer_ref_t* refs, size_t count) {
  hal_buffer_ref_list_t list;
  list.refs = refs;
  list.count = count;
  return list;
}

/// What a mapping is for.
typedef uint64_t hal_map_access_t;
/// The host reads.
#define HAL_MAP_ACCESS_READ 0x1ull
/// The host writes.
#define HAL_MAP_ACCESS_WRITE 0x2ull
/// The old contents are not needed: they are undefined until written. Valid with WRITE, not with READ.
#define HAL_MAP_ACCESS_DISCARD 0x4ull

/// What a buffer is, fixed at its creation.
typedef struct hal_buffer_info_t {
  size_t struct_size;             ///< sizeof(hal_buffer_info_t)
  hal_device_t* device;           ///< not retained for the caller
  uint64_t length;                ///< bytes
  hal_memory_type_t memory_type;  ///< all that the memory is, at least what was asked for
  hal_buffer_usage_t usage;       ///< what it may be used for
  hal_queue_mask_t queues;        ///< queues that may use it
  hal_buffer_t* allocation;       ///< the buffer that this is a subspan of, or itself; not retained
  uint64_t allocation_offset;     ///< bytes from the start of `allocation`
} hal_buffer_info_t;

/// Keeps a buffer alive. Thread-safe.
HAL_API void hal_buffer_retain(hal_buffer_t* buffer);
/// Releases a reference. Work that was submitted with the buffer keeps it alive until done. On CUDA the last release
/// of managed memory may wait for other work of the device. Thread-safe.
HAL_API void hal_buffer_release(hal_buffer_t* buffer);

/// Reads what a buffer is. Thread-safe.
HAL_API hal_status_t hal_buffer_query_info(hal_buffer_t* buffer, hal_buffer_info_t* out_info);

/// The length of a buffer in bytes; 0 for NULL. Thread-safe.
HAL_API uint64_t hal_buffer_length(hal_buffer_t* buffer);

/// Makes a buffer that is a part of another; both share the memory. A subspan of a subspan is fine.
///
/// @param length  bytes, or HAL_WHOLE_SIZE
/// @return OUT_OF_RANGE.
/// Thread-safe.
HAL_API hal_status_t hal_buffer_subspan(hal_buffer_t* buffer, uint64_t offset, uint64_t length,
                                        hal_buffer_t** out_buffer);

/// Gives another device, of any driver, the use of a buffer's memory: makes a buffer of `device` that is the same
/// bytes.
///
/// Dispatches, copies, tables and command buffers of `device` take the new buffer as any of their own, with the usage
/// and the length of the old one. Each device's operations on the bytes are ordered by semaphores, as those of queues
/// are. The new buffer keeps the old one and its device. For the buffer's own device it is a part, as
/// hal_buffer_subspan() makes it. hal_peer_properties_t::share says what pairs of devices share:
///
/// - CUDA and HIP devices that reach each other, all memory. Their contexts and pools are opened to each other first.
/// - Other pairs, memory that is HOST_VISIBLE and HOST_COHERENT, if `device` can use the host's address of it.
/// @return INCOMPATIBLE, with the reason: the device cannot use this memory; a queue allocation, whose memory
/// operations
///         free. INVALID_ARGUMENT (a NULL argument), DEVICE_LOST, RESOURCE_EXHAUSTED.
/// Thread-safe. The first call for two devices may take milliseconds.
HAL_API hal_status_t hal_buffer_share(hal_buffer_t* buffer, hal_device_t* device, hal_buffer_t** out_buffer);

/// Maps a range into the host's memory until hal_buffer_unmap(). Does not wait for the device.
///
/// Several mappings of one buffer may exist at once. On memory that is not HOST_COHERENT, invalidate before reading
/// what the device wrote and flush before the device reads what was written.
/// @param length       bytes, or HAL_WHOLE_SIZE
/// @param out_pointer  the host address of the byte at `offset`. For a range of 0 bytes, an address at which nothing
///                     may be read or written
/// @return PERMISSION_DENIED (no MAPPING usage, or WRITE of memory that may only be read), OUT_OF_RANGE,
///         INVALID_ARGUMENT (access), FAILED_PRECONDITION (a queue allocation whose turn has not come, or whose
///         dealloca was submitted).
/// Thread-safe.
HAL_API hal_status_t hal_buffer_map(hal_buffer_t* buffer, hal_map_access_t access, uint64_t offset, uint64_t length,
                                    void** out_pointer);

/// Ends one mapping. @return FAILED_PRECONDITION if the buffer is not mapped. Thread-safe.
HAL_API hal_status_t hal_buffer_unmap(hal_buffer_t* buffer);

/// Makes host writes to a mapped range visible to the device; does nothing on HOST_COHERENT memory.
/// @return OUT_OF_RANGE, PERMISSION_DENIED. Thread-safe.
HAL_API hal_status_t hal_buffer_flush(hal_buffer_t* buffer, uint64_t offset, uint64_t length);

/// Makes device writes visible to host reads of a mapped range; does nothing on HOST_COHERENT memory.
/// @return OUT_OF_RANGE, PERMISSION_DENIED. Thread-safe.
HAL_API hal_status_t hal_buffer_invalidate(hal_buffer_t* buffer, uint64_t offset, uint64_t length);

/// Copies host memory into a mappable buffer, on this thread, through a mapping; flushes memory that is not coherent.
/// @param length  bytes at `data`; not HAL_WHOLE_SIZE
/// @return as hal_buffer_map(). Thread-safe; ordering against the device is the caller's.
HAL_API hal_status_t hal_buffer_write(hal_buffer_t* buffer, uint64_t offset, const void* data, uint64_t length);

/// Copies a mappable buffer into host memory, on this thread, through a mapping; invalidates memory that is not
/// coherent first.
/// @param length  bytes at `data`; not HAL_WHOLE_SIZE
/// @return as hal_buffer_map(). Thread-safe; ordering against the device is the caller's.
HAL_API hal_status_t hal_buffer_read(hal_buffer_t* buffer, uint64_t offset, void* data, uint64_t length);

/// Hands out the memory of a buffer as `type`, without a copy. Memory that may only be read has
/// HAL_EXTERNAL_MEMORY_READ_ONLY.
///
/// Of a pointer, the buffer keeps owning the memory: keep it alive. A handle for another process asks for a buffer that
/// was made with that kind in hal_buffer_params_t::handles. A descriptor keeps the memory alive by itself; of IPC, the
/// buffer does.
/// @return PERMISSION_DENIED (no EXPORT usage, memory that was not made to leave in this way), UNIMPLEMENTED (that
///         type), INVALID_ARGUMENT (`struct_size` is that of a caller whose struct has no room for a handle),
///         FAILED_PRECONDITION (a queue allocation whose turn has not come, or whose dealloca was submitted).
/// Thread-safe.
HAL_API hal_status_t hal_buffer_export(hal_buffer_t* buffer, hal_external_memory_type_t type,
                                       hal_external_memory_t* out_memory);

HAL_EXTERN_C_END

#endif  // HALYARD_BUFFER_H_
