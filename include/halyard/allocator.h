// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// A device's memory: heaps, allocation, import and export. See docs/memory.md.
///
/// Since 0.1, all of it.
#ifndef HALYARD_ALLOCATOR_H_
#define HALYARD_ALLOCATOR_H_

#include "halyard/base.h"
#include "halyard/status.h"

HAL_EXTERN_C_BEGIN

/// What memory is like. A request names what it needs; the device may give memory that is more.
typedef uint64_t hal_memory_type_t;
/// No property: the device chooses.
#define HAL_MEMORY_TYPE_NONE 0x0ull
#define HAL_MEMORY_TYPE_DEVICE_LOCAL 0x1ull   ///< fast for the device
#define HAL_MEMORY_TYPE_HOST_LOCAL 0x2ull     ///< lies in the host's memory
#define HAL_MEMORY_TYPE_HOST_VISIBLE 0x4ull   ///< can be mapped
#define HAL_MEMORY_TYPE_HOST_COHERENT 0x8ull  ///< mapped ranges need no flush or invalidate
#define HAL_MEMORY_TYPE_HOST_CACHED 0x10ull   ///< mapped reads are cached by the host
/// Every property.
#define HAL_MEMORY_TYPE_ALL 0x1Full

/// What a buffer may be used for. Every use is checked against it.
typedef uint64_t hal_buffer_usage_t;
/// No use; not valid for a buffer.
#define HAL_BUFFER_USAGE_NONE 0x0ull
#define HAL_BUFFER_USAGE_TRANSFER_SOURCE 0x1ull  ///< source of copy and write
#define HAL_BUFFER_USAGE_TRANSFER_TARGET 0x2ull  ///< target of fill, update, copy and read
#define HAL_BUFFER_USAGE_STORAGE 0x4ull          ///< bound to kernels
#define HAL_BUFFER_USAGE_INDIRECT 0x8ull         ///< holds the workgroup counts of a dispatch
#define HAL_BUFFER_USAGE_MAPPING 0x10ull         ///< mapped by the host; needs HOST_VISIBLE memory
#define HAL_BUFFER_USAGE_EXPORT 0x20ull          ///< exported by hal_buffer_export
/// The memory may only be read: the host maps it for reading, and kernels bind it where their export says that they
/// only read (HAL_BINDING_ACCESS_READ). Not asked for: imported memory has it with HAL_EXTERNAL_MEMORY_READ_ONLY.
#define HAL_BUFFER_USAGE_READ_ONLY 0x40ull
/// Source and target of transfers.
#define HAL_BUFFER_USAGE_TRANSFER 0x3ull
/// Everything that needs no special memory.
#define HAL_BUFFER_USAGE_DEFAULT 0xFull
/// Every use that can be asked for.
#define HAL_BUFFER_USAGE_ALL 0x3Full

/// The largest alignment that can be asked for, in bytes: what memory is mapped in where pages are large.
#define HAL_BUFFER_MAX_ALIGNMENT 0x200000ull

/// What is asked of a new buffer.
typedef struct hal_buffer_params_t {
  size_t struct_size;             ///< sizeof(hal_buffer_params_t)
  hal_memory_type_t memory_type;  ///< the least that the memory must be; NONE lets the device choose
  hal_buffer_usage_t usage;       ///< what it will be used for; must not be NONE
  hal_queue_mask_t queues;        ///< queues that will use it
  uint64_t alignment;             ///< bytes, a power of two up to 2 MiB; 0 for the device's own minimum
} hal_buffer_params_t;
/// Device-local, for everything that needs no special memory, on any queue.
#define HAL_BUFFER_PARAMS_INIT                                                                    \
  HAL_INIT_STRUCT(hal_buffer_params_t, sizeof(hal_buffer_params_t), HAL_MEMORY_TYPE_DEVICE_LOCAL, \
                  HAL_BUFFER_USAGE_DEFAULT, HAL_QUEUE_ANY, 0)
/// HAL_BUFFER_PARAMS_INIT as a function: see HAL_INIT_STRUCT. Thread-compatible.
HAL_API void hal_buffer_params_initialize(hal_buffer_params_t* out, size_t struct_size);

/// Memory for transfers between host and device: mappable and coherent.
#define HAL_BUFFER_PARAMS_STAGING_INIT                                          \
  HAL_INIT_STRUCT(hal_buffer_params_t, sizeof(hal_buffer_params_t),             \
                  HAL_MEMORY_TYPE_HOST_VISIBLE | HAL_MEMORY_TYPE_HOST_COHERENT, \
                  HAL_BUFFER_USAGE_TRANSFER | HAL_BUFFER_USAGE_MAPPING, HAL_QUEUE_ANY, 0)
/// HAL_BUFFER_PARAMS_STAGING_INIT as a function: see HAL_INIT_STRUCT. Thread-compatible.
HAL_API void hal_buffer_params_staging_initialize(hal_buffer_params_t* out, size_t struct_size);

/// One of a device's memory heaps. `struct_size` is that of the caller.
typedef struct hal_memory_heap_t {
  size_t struct_size;                 ///< sizeof(hal_memory_heap_t) as the caller knows it
  hal_memory_type_t memory_type;      ///< all types that buffers from this heap can have
  hal_buffer_usage_t usage;           ///< all usages that buffers from this heap can have
  uint64_t capacity;                  ///< bytes in all; 0 if unknown
  uint64_t max_allocation_size;       ///< bytes of the largest single buffer
  uint64_t min_allocation_alignment;  ///< bytes; every buffer starts at a multiple of it
  uint64_t available;                 ///< bytes that are free now; UINT64_MAX if unknown. A hint: other processes
                                      ///< take memory too, and what the device keeps for reuse is not in it
} hal_memory_heap_t;

/// What an allocator has allocated, in bytes. Imported memory is not counted.
typedef struct hal_allocator_statistics_t {
  size_t struct_size;         ///< sizeof(hal_allocator_statistics_t)
  uint64_t bytes_in_use;      ///< in live buffers now, queue allocations included
  uint64_t bytes_peak;        ///< the most that `bytes_in_use` ever was
  uint64_t bytes_allocated;   ///< allocated since the device was created
  uint64_t bytes_freed;       ///< freed since the device was created
  uint64_t allocation_count;  ///< live allocations now
} hal_allocator_statistics_t;

/// What kind of memory crosses the library's border.
typedef enum hal_external_memory_type_t {
  HAL_EXTERNAL_MEMORY_TYPE_NONE = 0,
  HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER = 1,    ///< memory of this process
  HAL_EXTERNAL_MEMORY_TYPE_DEVICE_POINTER = 2,  ///< an address as the device's own API gives it, e.g. CUdeviceptr
  /// From here on: kinds of one vendor's API, which the header of its extension describes. A plugin's own are numbers
  /// that the application casts.
  HAL_EXTERNAL_MEMORY_TYPE_VENDOR_BEGIN = 0x10000,
  /// `handle` is an id<MTLBuffer>. An import retains it; the buffer begins at its first byte. An export gives the
  /// buffer's own, not retained; UNIMPLEMENTED if the buffer begins elsewhere in it.
  HAL_METAL_EXTERNAL_MEMORY_TYPE_BUFFER = 0x10000,
  /// `handle` is the address of a const hal_vulkan_buffer_t (halyard/vulkan_interop.h). The VkBuffer and its memory
  /// must stay as they are until `release` is called.
  HAL_VULKAN_EXTERNAL_MEMORY_TYPE_BUFFER = 0x10010,
  /// `handle` is the address of a const hal_vulkan_memory_t, whose descriptor is one of
  /// VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD: memory of the same device by the same version of Vulkan's driver.
  HAL_VULKAN_EXTERNAL_MEMORY_TYPE_OPAQUE_FD = 0x10011,
  /// The same for VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF.
  HAL_VULKAN_EXTERNAL_MEMORY_TYPE_DMA_BUF = 0x10012,
  HAL_EXTERNAL_MEMORY_TYPE_FORCE_32 = HAL_ENUM_FORCE_32
} hal_external_memory_type_t;

/// Called once, when the last reference to an imported buffer is released and the device no longer uses the memory. A
/// device that was lost and may use it until the process ends never gives it back; the log says so.
/// Runs on any thread, with no lock of the library held. May call the library and must not block. An exception is
/// logged.
typedef void (*hal_memory_release_fn_t)(void* user_data);

/// hal_external_memory_t::flags: the memory may only be read, such as that of a file that is mapped for reading.
#define HAL_EXTERNAL_MEMORY_READ_ONLY 0x1u

/// Memory that the library did not allocate, or that leaves it.
typedef struct hal_external_memory_t {
  size_t struct_size;               ///< sizeof(hal_external_memory_t)
  hal_external_memory_type_t type;  ///< how to read `handle`
  uint32_t flags;                   ///< HAL_EXTERNAL_MEMORY_READ_ONLY, or 0
  uint64_t handle;                  ///< a pointer or device address
  uint64_t length;                  ///< bytes
} hal_external_memory_t;

/// Keeps an allocator alive. Thread-safe.
HAL_API void hal_allocator_retain(hal_allocator_t* allocator);
/// Releases a reference. Thread-safe.
HAL_API void hal_allocator_release(hal_allocator_t* allocator);

/// Lists the heaps. `*count` holds the capacity of `heaps` at the call and the number of heaps afterwards; with
/// `heaps` NULL only the number is returned. Set `struct_size` of every element first.
/// @return OUT_OF_RANGE if `*count` was too small (and sets it to what is needed).
/// Thread-safe.
HAL_API hal_status_t hal_allocator_query_heaps(hal_allocator_t* allocator, size_t* count, hal_memory_heap_t* heaps);

/// Reads the statistics. Counters are each exact but not read at one instant. Thread-safe.
HAL_API hal_status_t hal_allocator_query_statistics(hal_allocator_t* allocator,
                                                    hal_allocator_statistics_t* out_statistics);

/// Allocates a buffer of `length` bytes now, on this thread. Its contents are undefined.
///
/// For an allocation as a queue operation see hal_device_queue_alloca(). A buffer of 0 bytes is legal; mapped, it has
/// an address like any other, at which there is nothing.
/// @return INVALID_ARGUMENT (no usage, unknown bits, an alignment that is no power of two),
///         OUT_OF_RANGE (no such queue, an alignment above HAL_BUFFER_MAX_ALIGNMENT),
///         INCOMPATIBLE (no heap has that memory type and usage), RESOURCE_EXHAUSTED (the device stays usable).
/// Thread-safe, may block on the system's allocator.
HAL_API hal_status_t hal_allocator_allocate(hal_allocator_t* allocator, const hal_buffer_params_t* params,
                                            uint64_t length, hal_buffer_t** out_buffer);

/// Makes a buffer of memory that belongs to the caller, without a copy.
///
/// The memory must stay valid until `release` is called; `release` may be NULL. If the call fails, `release` is not
/// called and the caller keeps the memory. Memory of 0 bytes is imported whatever its address, NULL too; what is
/// exported of it is another address.
/// @return UNIMPLEMENTED (that type of external memory), INCOMPATIBLE (memory type, usage or alignment that this memory
///         cannot have), PERMISSION_DENIED (READ_ONLY memory with TRANSFER_TARGET usage), INVALID_ARGUMENT.
/// Thread-safe.
HAL_API hal_status_t hal_allocator_import(hal_allocator_t* allocator, const hal_buffer_params_t* params,
                                          const hal_external_memory_t* memory, hal_memory_release_fn_t release,
                                          void* user_data, hal_buffer_t** out_buffer);

/// Frees memory that is cached for reuse to the system: the device's, and the host memory of ended operations.
/// Thread-safe, may block.
HAL_API hal_status_t hal_allocator_trim(hal_allocator_t* allocator);

HAL_EXTERN_C_END

#endif  // HALYARD_ALLOCATOR_H_
