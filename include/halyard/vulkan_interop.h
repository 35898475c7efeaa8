// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// An extension of Vulkan devices: Vulkan's own objects, and memory and timelines by file descriptor, in one order with
/// Halyard's queues. Get it by
/// `hal_device_query_interface(device, hal_string_view(HAL_VULKAN_INTEROP_INTERFACE), 1, &table)`. See
/// docs/vulkan-driver.md.
///
/// No header of Vulkan is needed. Handles that Vulkan dispatches on are passed as `void*`: VkInstance,
/// VkPhysicalDevice, VkDevice, VkQueue. All others are passed as `uint64_t`: VkBuffer, VkDeviceMemory, VkSemaphore.
/// The driver destroys none of the application's objects. Set `struct_size` of every struct first.
///
/// File descriptors: what is imported stays the caller's, who may close it after the call. What is exported is new, and
/// the caller's to close.
///
/// @return INVALID_ARGUMENT (a device of another driver, a NULL argument or out parameter, a struct_size that is too
///         small, a signal of 0, a number that is no open file descriptor), OUT_OF_RANGE (no such queue, a value past
///         max_semaphore_value), UNIMPLEMENTED (the device lacks the extension of Vulkan, which the message names),
///         INCOMPATIBLE (a descriptor of something else), RESOURCE_EXHAUSTED, DEVICE_LOST. A call that fails has
///         changed nothing.
///
/// Since 0.1, all of it.
#ifndef HALYARD_VULKAN_INTEROP_H_
#define HALYARD_VULKAN_INTEROP_H_

#include "halyard/allocator.h"
#include "halyard/base.h"
#include "halyard/semaphore.h"
#include "halyard/status.h"

HAL_EXTERN_C_BEGIN

/// Name of the extension.
#define HAL_VULKAN_INTEROP_INTERFACE "halyard.vulkan.interop"

/// For `memory_type_index`: the driver chooses.
#define HAL_VULKAN_ANY_MEMORY_TYPE 0xFFFFFFFFu

/// A logical device of Vulkan. What hal_driver_wrap_device() takes as `native`, and what device() tells. A queue
/// belongs to one device of Halyard at a time, because that has the lock.
typedef struct hal_vulkan_device_t {
  size_t struct_size;             ///< sizeof(hal_vulkan_device_t)
  void* get_instance_proc_addr;   ///< a PFN_vkGetInstanceProcAddr
  void* instance;                 ///< a VkInstance
  void* physical_device;          ///< a VkPhysicalDevice
  void* device;                   ///< a VkDevice
  uint32_t api_version;           ///< that of VkApplicationInfo, at least VK_API_VERSION_1_3
  uint32_t queue_family;          ///< of all its queues, a family with VK_QUEUE_COMPUTE_BIT
  uint64_t queues;                ///< which queues of the family: a bit for each index, made without flags
  const void* features;           ///< what was enabled: a const VkPhysicalDeviceFeatures2*, with its chain. As Vulkan
                                  ///< cannot tell, it is believed. NULL when the driver tells
  size_t extension_count;         ///< length of `extensions`; 0 when the driver tells
  const char* const* extensions;  ///< the device extensions that were enabled; NULL when the driver tells
} hal_vulkan_device_t;

/// A queue of Vulkan.
typedef struct hal_vulkan_queue_t {
  size_t struct_size;  ///< sizeof(hal_vulkan_queue_t)
  void* queue;         ///< a VkQueue, which several queues of Halyard may share
  uint32_t family;     ///< its family
  uint32_t index;      ///< its index in the family
} hal_vulkan_queue_t;

/// A buffer of Vulkan and where it lies. All of it is believed, as Vulkan cannot tell.
typedef struct hal_vulkan_buffer_t {
  size_t struct_size;          ///< sizeof(hal_vulkan_buffer_t)
  uint64_t buffer;             ///< a VkBuffer; of queues of the device's family, or VK_SHARING_MODE_CONCURRENT
  uint64_t offset;             ///< bytes; where the Halyard buffer begins in it
  uint64_t size;               ///< bytes of the VkBuffer
  uint32_t usage;              ///< VkBufferUsageFlags that it was made with
  uint32_t memory_type_index;  ///< of the memory
  uint64_t memory;             ///< the VkDeviceMemory that it is bound to
  uint64_t memory_offset;      ///< bytes; where the VkBuffer begins in the memory
  void* host_pointer;          ///< the byte at `offset`, if the memory is mapped; else NULL
} hal_vulkan_buffer_t;

/// Memory as a file descriptor.
typedef struct hal_vulkan_memory_t {
  size_t struct_size;          ///< sizeof(hal_vulkan_memory_t)
  int32_t fd;                  ///< the descriptor
  uint32_t memory_type_index;  ///< of the memory. For an import it may be HAL_VULKAN_ANY_MEMORY_TYPE, unless the
                               ///< memory is Vulkan's and opaque
  uint64_t allocation_size;    ///< bytes of the whole memory: VkMemoryAllocateInfo::allocationSize
  uint64_t offset;             ///< bytes; where the Halyard buffer begins in the memory
  uint64_t dedicated_size;     ///< bytes of the one VkBuffer that the memory is dedicated to; 0 for any
} hal_vulkan_memory_t;
#define HAL_VULKAN_MEMORY_INIT \
  HAL_INIT_STRUCT(hal_vulkan_memory_t, sizeof(hal_vulkan_memory_t), -1, HAL_VULKAN_ANY_MEMORY_TYPE, 0, 0, 0)
/// HAL_VULKAN_MEMORY_INIT as a function: see HAL_INIT_STRUCT. Thread-compatible.
HAL_API void hal_vulkan_memory_initialize(hal_vulkan_memory_t* out, size_t struct_size);

/// Version 1 of the extension. All functions are thread-safe; none waits for the device.
typedef struct hal_vulkan_interop_interface_t {
  size_t struct_size;  ///< as the driver knows it

  /// @name Handles
  /// They live as long as the device does.
  /// @{

  /// The logical device.
  hal_status_t (*device)(hal_device_t* device, hal_vulkan_device_t* out_device);

  /// The VkQueue of a queue. What the application submits there is in no order with Halyard's work, except through
  /// timelines.
  hal_status_t (*queue)(hal_device_t* device, uint32_t queue, hal_vulkan_queue_t* out_queue);

  /// Locks the VkQueue of a queue. Vulkan lets one thread at a time use it, and the driver's threads do. So the
  /// application calls a function that takes the VkQueue between lock_queue() and unlock_queue(), on one thread. That
  /// thread locks one queue at a time, and calls nothing of Halyard before it unlocks. This holds for the queues of a
  /// wrapped device, too. May block until other threads unlock.
  /// @return also FAILED_PRECONDITION (this thread has locked the VkQueue, perhaps by another queue that shares it).
  hal_status_t (*lock_queue)(hal_device_t* device, uint32_t queue);

  /// Ends what lock_queue() began on this thread.
  /// @return also FAILED_PRECONDITION (this thread has not locked the VkQueue).
  hal_status_t (*unlock_queue)(hal_device_t* device, uint32_t queue);
  /// @}

  /// @name Memory
  /// See hal_allocator_import() for the other direction.
  /// @{

  /// The VkBuffer of a buffer, which is the driver's and lives as long as the buffer does, that of a queue allocation
  /// until its queue_dealloca has run.
  /// @return also FAILED_PRECONDITION (the buffer has no memory).
  hal_status_t (*export_buffer)(hal_buffer_t* buffer, hal_vulkan_buffer_t* out_buffer);

  /// A new descriptor of a buffer's memory, as HAL_VULKAN_EXTERNAL_MEMORY_TYPE_OPAQUE_FD or ..._DMA_BUF. The buffer was
  /// made with HAL_BUFFER_USAGE_EXPORT, and has an allocation of its own then. The memory lives as long as anything
  /// refers to it.
  /// @return also PERMISSION_DENIED (another usage), FAILED_PRECONDITION (the buffer has no memory, or imported
  /// memory).
  hal_status_t (*export_memory)(hal_buffer_t* buffer, uint32_t type, hal_vulkan_memory_t* out_memory);
  /// @}

  /// @name Timelines
  /// A VkSemaphore of the type VK_SEMAPHORE_TYPE_TIMELINE, of the same VkDevice.
  /// @{

  /// Makes a value of a timeline a timepoint: the points in `signal_list` are signalled once the timeline has reached
  /// `value`, at once if it has done so already. A thread of the driver watches it. If the device is lost first, the
  /// points fail.
  ///
  /// Signals of work that was submitted before and that the timeline may depend on come first, and points of lower
  /// values of the timeline. So if export_timeline() tells the application that Halyard's work has ended, the
  /// application's own next value may signal the next point of the same semaphore. A point that its semaphore has
  /// passed by then is a mistake: the semaphore fails with INVALID_ARGUMENT.
  ///
  /// The VkSemaphore must live, and Halyard's semaphores and their devices do, until the points are signalled. To end
  /// this earlier, fail the semaphores: some 100 ms later the timeline is no longer watched.
  hal_status_t (*import_timeline)(hal_device_t* device, uint64_t semaphore, uint64_t value,
                                  hal_semaphore_list_t signal_list);

  /// Sets a timeline to `value` once all points in `wait_list` are reached: on the device, by a submission to queue 0
  /// after the points' own. A timeline that has a higher value by then keeps it. If one of the points fails the
  /// timeline is set all the same: query the semaphore before you rely on results.
  ///
  /// The VkSemaphore must live until it has the value. As for any signal of Vulkan, the application sees to it that
  /// values reach the timeline in rising order.
  hal_status_t (*export_timeline)(hal_device_t* device, hal_semaphore_list_t wait_list, uint64_t semaphore,
                                  uint64_t value);

  /// Makes a timeline that export_timeline_fd() takes. destroy_timeline() ends it, or the end of the device.
  hal_status_t (*create_timeline)(hal_device_t* device, uint64_t initial_value, uint64_t* out_semaphore);

  /// Makes a timeline of a descriptor of VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD. It must be one of a timeline of
  /// the same device, which Vulkan does not check. Ends as create_timeline().
  hal_status_t (*import_timeline_fd)(hal_device_t* device, int32_t fd, uint64_t* out_semaphore);

  /// A new descriptor of a timeline, as VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD: one of create_timeline(), or one
  /// that the application made so that it can be exported.
  hal_status_t (*export_timeline_fd)(hal_device_t* device, uint64_t semaphore, int32_t* out_fd);

  /// Destroys a timeline of create_timeline() or import_timeline_fd(). No operation uses it any more: what was asked of
  /// import_timeline() and export_timeline() is done.
  /// @return also NOT_FOUND (the timeline is not one of those).
  hal_status_t (*destroy_timeline)(hal_device_t* device, uint64_t semaphore);
  /// @}
} hal_vulkan_interop_interface_t;

HAL_EXTERN_C_END

#endif  // HALYARD_VULKAN_INTEROP_H_
