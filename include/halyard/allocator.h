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

/// Handles by which memory or a semaphore crosses the border of a device, of an API or of a process: one bit for each
/// kind. Of hal_buffer_params_t and hal_semaphore_params_t, what is asked for; of hal_peer_properties_t, what a device
/// takes of another one.
typedef uint32_t hal_peer_handles_t;
/// None, or not known.
#define HAL_PEER_HANDLES_NONE 0x0u
/// HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER, of memory that the host can map.
#define HAL_PEER_HANDLE_HOST_POINTER 0x1u
/// HAL_EXTERNAL_MEMORY_TYPE_DEVICE_POINTER.
#define HAL_PEER_HANDLE_DEVICE_POINTER 0x2u
/// HAL_EXTERNAL_MEMORY_TYPE_OPAQUE_FD, and HAL_VULKAN_EXTERNAL_MEMORY_TYPE_OPAQUE_FD. Of semaphores, a timeline of
/// Vulkan: see halyard/vulkan_interop.h.
#define HAL_PEER_HANDLE_OPAQUE_FD 0x4u
/// HAL_EXTERNAL_MEMORY_TYPE_DMA_BUF, and HAL_VULKAN_EXTERNAL_MEMORY_TYPE_DMA_BUF.
#define HAL_PEER_HANDLE_DMA_BUF 0x8u
/// An object of the vendor's API in this process: HAL_METAL_EXTERNAL_MEMORY_TYPE_BUFFER.
#define HAL_PEER_HANDLE_NATIVE_OBJECT 0x10u
/// HAL_EXTERNAL_MEMORY_TYPE_HOST_FD, HAL_EXTERNAL_SEMAPHORE_TYPE_HOST_FD.
#define HAL_PEER_HANDLE_HOST_FD 0x20u
/// HAL_EXTERNAL_MEMORY_TYPE_VIRTUAL_FD.
#define HAL_PEER_HANDLE_VIRTUAL_FD 0x40u
/// HAL_EXTERNAL_MEMORY_TYPE_FABRIC.
#define HAL_PEER_HANDLE_FABRIC 0x80u
/// HAL_EXTERNAL_MEMORY_TYPE_IPC, HAL_EXTERNAL_SEMAPHORE_TYPE_IPC.
#define HAL_PEER_HANDLE_IPC 0x100u
/// HAL_EXTERNAL_MEMORY_TYPE_WIN32, HAL_EXTERNAL_SEMAPHORE_TYPE_WIN32.
#define HAL_PEER_HANDLE_WIN32 0x200u
/// Every kind.
#define HAL_PEER_HANDLES_ALL 0x3FFu

/// What is asked of a new buffer.
typedef struct hal_buffer_params_t {
  size_t struct_size;             ///< sizeof(hal_buffer_params_t)
  hal_memory_type_t memory_type;  ///< the least that the memory must be; NONE lets the device choose
  hal_buffer_usage_t usage;       ///< what it will be used for; must not be NONE
  hal_queue_mask_t queues;        ///< queues that will use it
  uint64_t alignment;             ///< bytes, a power of two up to 2 MiB; 0 for the device's own minimum
  /// The kinds of handle by which the memory is to leave: it is allocated so that it can, and the usage has EXPORT.
  /// Only for hal_allocator_allocate(). HOST_FD memory is the host's, whatever the device, and goes with no other kind
  /// of handle for processes; neither the statistics nor a device's parameter `memory` count it.
  hal_peer_handles_t handles;
  uint32_t reserved;  ///< 0
} hal_buffer_params_t;
/// Device-local, for everything that needs no special memory, on any queue.
#define HAL_BUFFER_PARAMS_INIT                                                                    \
  HAL_INIT_STRUCT(hal_buffer_params_t, sizeof(hal_buffer_params_t), HAL_MEMORY_TYPE_DEVICE_LOCAL, \
                  HAL_BUFFER_USAGE_DEFAULT, HAL_QUEUE_ANY, 0, HAL_PEER_HANDLES_NONE, 0)
/// HAL_BUFFER_PARAMS_INIT as a function: see HAL_INIT_STRUCT. Thread-compatible.
HAL_API void hal_buffer_params_initialize(hal_buffer_params_t* out, size_t struct_size);

/// Memory for transfers between host and device: mappable and coherent.
#define HAL_BUFFER_PARAMS_STAGING_INIT                                          \
  HAL_INIT_STRUCT(hal_buffer_params_t, sizeof(hal_buffer_params_t),             \
                  HAL_MEMORY_TYPE_HOST_VISIBLE | HAL_MEMORY_TYPE_HOST_COHERENT, \
                  HAL_BUFFER_USAGE_TRANSFER | HAL_BUFFER_USAGE_MAPPING, HAL_QUEUE_ANY, 0, HAL_PEER_HANDLES_NONE, 0)
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
  /// A file descriptor of memory of the host: a memfd of Linux. Any device takes it that takes HOST_POINTER.
  HAL_EXTERNAL_MEMORY_TYPE_HOST_FD = 3,
  /// An opaque file descriptor of Vulkan's: VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD.
  HAL_EXTERNAL_MEMORY_TYPE_OPAQUE_FD = 4,
  HAL_EXTERNAL_MEMORY_TYPE_DMA_BUF = 5,  ///< a file descriptor of a dma-buf of Linux
  /// A file descriptor of CUDA's virtual memory: CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR.
  HAL_EXTERNAL_MEMORY_TYPE_VIRTUAL_FD = 6,
  /// `bytes` is a CUmemFabricHandle: CUDA's virtual memory, where the system permits such handles.
  HAL_EXTERNAL_MEMORY_TYPE_FABRIC = 7,
  /// `bytes` is a CUipcMemHandle or a hipIpcMemHandle_t, of another process. The memory lives as long as the buffer
  /// that it came from, which must not go before the last import is released. `allocation_size` may be 0.
  HAL_EXTERNAL_MEMORY_TYPE_IPC = 8,
  /// A HANDLE of Windows. Not implemented: the library does not run there yet.
  HAL_EXTERNAL_MEMORY_TYPE_WIN32 = 9,
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
///
/// To pass a handle to another process, send it the struct, and the descriptor as one of SCM_RIGHTS; what is received
/// as descriptor becomes `handle`. A descriptor that is imported stays the caller's, who may close it after the call.
/// One that is exported is new, and the caller's to close; it keeps the memory alive.
typedef struct hal_external_memory_t {
  size_t struct_size;               ///< sizeof(hal_external_memory_t)
  hal_external_memory_type_t type;  ///< how to read `handle`
  uint32_t flags;                   ///< HAL_EXTERNAL_MEMORY_READ_ONLY, or 0
  uint64_t handle;                  ///< a pointer, a device address or a file descriptor
  uint64_t length;                  ///< bytes
  uint64_t offset;                  ///< bytes; where the buffer begins in the memory of a handle, 0 for a pointer
  uint64_t allocation_size;         ///< bytes of the whole memory of a handle; 0 if unknown
  uint8_t uuid[16];                 ///< of the device whose memory it is, as hal_device_properties_t has it. Compared
                                    ///< by an import unless it is all 0, which stands for unknown, or for the host
  uint8_t bytes[64];                ///< the handle, for the types that say so; else 0
  uint64_t dedicated_size;          ///< as hal_vulkan_memory_t has it; for OPAQUE_FD and DMA_BUF
  uint32_t memory_type_index;       ///< the same
  uint32_t reserved;                ///< 0
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
///         INCOMPATIBLE (no heap has that memory type and usage, kinds of handle that no memory has together),
///         UNIMPLEMENTED (memory of the device does not leave by such a handle: what hal_device_query_peer() tells of
///         the device and itself), RESOURCE_EXHAUSTED (the device stays usable).
/// Thread-safe, may block on the system's allocator.
HAL_API hal_status_t hal_allocator_allocate(hal_allocator_t* allocator, const hal_buffer_params_t* params,
                                            uint64_t length, hal_buffer_t** out_buffer);

/// Makes a buffer of memory that belongs to the caller, without a copy.
///
/// The memory must stay valid until `release` is called; `release` may be NULL. If the call fails, `release` is not
/// called and the caller keeps the memory. Memory of 0 bytes is imported whatever its address, NULL too; what is
/// exported of it is another address.
/// Memory of a handle is what another process, device or API has, too: what one writes all see. It lives until all have
/// released it, except that of IPC handles: see HAL_EXTERNAL_MEMORY_TYPE_IPC.
/// @return UNIMPLEMENTED (that type of external memory), INCOMPATIBLE (memory type, usage or alignment that this memory
///         cannot have, a descriptor of something else, memory of another device, an IPC handle of
///         this process), PERMISSION_DENIED (READ_ONLY memory
///         with TRANSFER_TARGET usage, memory of another user, a descriptor that may only be read without READ_ONLY),
///         OUT_OF_RANGE (the memory of the handle is too short), INVALID_ARGUMENT (also: no open descriptor).
/// Thread-safe.
HAL_API hal_status_t hal_allocator_import(hal_allocator_t* allocator, const hal_buffer_params_t* params,
                                          const hal_external_memory_t* memory, hal_memory_release_fn_t release,
                                          void* user_data, hal_buffer_t** out_buffer);

/// Frees memory that is cached for reuse to the system: the device's, and the host memory of ended operations.
/// Thread-safe, may block.
HAL_API hal_status_t hal_allocator_trim(hal_allocator_t* allocator);

HAL_EXTERN_C_END

#endif  // HALYARD_ALLOCATOR_H_
