// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// The contract between the core and a driver, built in or loaded as a plugin. See docs/writing-a-driver.md.
///
/// **Tables.** A driver gives the core one table of vtables, hal_driver_interface_t. The core copies each vtable once
/// into one of its own current size, in which missing entries return UNIMPLEMENTED. The driver receives the completed
/// vtables and creates its objects with them. So a driver that was built for shorter vtables continues to work.
///
/// **Who checks what.**
///
/// Before the core calls a driver, it has checked pointers and kinds of objects, ranges, usages, alignments, ordinals,
/// states, binding tables against slots, and the limits of the device's info. It has normalised what it passes:
///
/// - Parameter structs have their full current size, with defaults filled in.
/// - Buffer references name the allocation, never a subspan, with explicit lengths. Only the length of a slot may still
///   be HAL_WHOLE_SIZE.
/// - `queues` is never empty and names queues that exist. The driver takes one of them.
///
/// The driver checks what only its vendor can tell: an image that the compiler refuses, memory that is not there.
///
/// A command buffer that is UNVALIDATED is the exception: its commands are not checked, and a driver may assume that
/// they are right.
///
/// **Who may call what.** The core calls a driver on any thread, and several at once; only what the public header calls
/// thread-compatible comes from one thread at a time for each object. The core holds no lock during a call. A driver
/// calls back through hal_host_services_t and the public functions, from any thread and without a lock of its own that
/// such a call could need again: a signal can run callbacks and submit operations.
///
/// **Ownership.** After a create function returned, the core sets and retains the parent of the new object; it releases
/// the parent after `destroy`. A driver that keeps an object beyond a call retains it. Arguments, lists and strings are
/// the caller's and end with the call.
///
/// **Failure.** A failing function sets its message with `set_error` and returns a status; what it was to create, it
/// has freed. An operation that fails after its submission fails its signals. No exception may leave a function.
///
/// Since 0.1, all of it.
#ifndef HALYARD_DRIVER_API_H_
#define HALYARD_DRIVER_API_H_

#include "halyard/halyard.h"

HAL_EXTERN_C_BEGIN

/// The version of the structs in this file that are not guarded by a `struct_size`.
#define HAL_DRIVER_ABI_VERSION 2u

/// What an object is.
typedef enum hal_object_kind_t {
  HAL_OBJECT_KIND_NONE = 0,
  HAL_OBJECT_KIND_REGISTRY = 1,
  HAL_OBJECT_KIND_DRIVER = 2,
  HAL_OBJECT_KIND_DEVICE = 3,
  HAL_OBJECT_KIND_ALLOCATOR = 4,
  HAL_OBJECT_KIND_BUFFER = 5,
  HAL_OBJECT_KIND_BUFFER_VIEW = 6,
  HAL_OBJECT_KIND_SEMAPHORE = 7,
  HAL_OBJECT_KIND_FENCE = 8,
  HAL_OBJECT_KIND_EVENT = 9,
  HAL_OBJECT_KIND_COMMAND_BUFFER = 10,
  HAL_OBJECT_KIND_EXECUTABLE = 11,
  HAL_OBJECT_KIND_EXECUTABLE_CACHE = 12,
  HAL_OBJECT_KIND_DESCRIPTOR_SET_LAYOUT = 13,
  HAL_OBJECT_KIND_PIPELINE_LAYOUT = 14,
  HAL_OBJECT_KIND_FILE = 15,
  HAL_OBJECT_KIND_CHANNEL = 16,
  HAL_OBJECT_KIND_DEVICE_GROUP = 17,
  HAL_OBJECT_KIND_STREAM = 18,
  HAL_OBJECT_KIND_FORCE_32 = HAL_ENUM_FORCE_32
} hal_object_kind_t;

/// How every object begins. The count is touched through the library only.
typedef struct hal_object_t {
  uint32_t ref_count;      ///< changed atomically; the object is destroyed when it falls to 0
  hal_object_kind_t kind;  ///< what follows
  const void* vtable;      ///< the completed vtable of that kind; begins as hal_object_vtable_t
} hal_object_t;

/// How every vtable begins.
typedef struct hal_object_vtable_t {
  size_t struct_size;                     ///< of the whole vtable
  void (*destroy)(hal_object_t* object);  ///< frees the object; on any thread
} hal_object_vtable_t;

/// Makes the head of a new object, with one reference. Thread-compatible.
static inline void hal_object_initialize(hal_object_t* object, hal_object_kind_t kind, const void* vtable) {
  object->ref_count = 1;
  object->kind = kind;
  object->vtable = vtable;
}

typedef struct hal_driver_interface_t hal_driver_interface_t;

/// @name Object heads
/// The core reads these on every call; a driver's own fields follow. "core:" marks what only the core writes.
/// They never grow within one HAL_DRIVER_ABI_VERSION.
/// @{

/// Head of a driver.
struct hal_driver_t {
  /// How every object begins.
  hal_object_t object;
  const hal_driver_interface_t* tables;  ///< core: the completed tables
};

/// Head of a device.
struct hal_device_t {
  /// How every object begins.
  hal_object_t object;
  hal_driver_t* driver;           ///< core: its parent
  const hal_device_info_t* info;  ///< set by the driver, owned by the device
  hal_allocator_t* allocator;     ///< set by the driver, owned by the device, which frees it in its `destroy`
};

/// Head of an allocator. References to it are references to its device.
struct hal_allocator_t {
  /// How every object begins.
  hal_object_t object;
  hal_device_t* device;  ///< core: its device
};

/// Head of a buffer.
struct hal_buffer_t {
  /// How every object begins.
  hal_object_t object;
  hal_device_t* device;           ///< core: its parent
  hal_buffer_t* allocation;       ///< core: itself, or the buffer that it is a subspan of
  uint64_t allocation_offset;     ///< core: bytes from the start of `allocation`
  uint64_t length;                ///< core: bytes
  hal_memory_type_t memory_type;  ///< set by the driver: all that the memory is
  hal_buffer_usage_t usage;       ///< core: as asked for
  hal_queue_mask_t queues;        ///< core: as asked for
  uint32_t map_count;             ///< core: mappings now, changed atomically
  uint32_t state;                 ///< core: whether it is a queue allocation, and freed; changed atomically
};

/// Head of a semaphore.
struct hal_semaphore_t {
  /// How every object begins.
  hal_object_t object;
  hal_device_t* device;  ///< core: its parent
};

/// Head of an event.
struct hal_event_t {
  /// How every object begins.
  hal_object_t object;
  hal_device_t* device;  ///< core: its parent
};

/// Head of a command buffer.
struct hal_command_buffer_t {
  /// How every object begins.
  hal_object_t object;
  hal_device_t* device;              ///< core: its parent
  hal_command_buffer_flags_t flags;  ///< core: as asked for
  uint32_t binding_capacity;         ///< core: slots of its binding tables
  uint32_t state;                    ///< core: initial, recording, executable, submitted; changed atomically
  void* validation;                  ///< core: what it must check at execution
};

/// Head of an executable.
struct hal_executable_t {
  /// How every object begins.
  hal_object_t object;
  hal_device_t* device;   ///< core: its parent
  uint32_t export_count;  ///< set by the driver
  uint32_t reserved;      ///< 0
};

/// Head of a function, which is no object of its own: it belongs to its executable and lives as long.
struct hal_function_t {
  /// What it belongs to.
  hal_executable_t* executable;
  /// Which export it is.
  uint32_t ordinal;
  /// 0.
  uint32_t reserved;
  const hal_function_signature_t* signature;  ///< owned by the executable
  /// As hal_function_call(); the counts are right and the lists are there.
  hal_status_t (*call)(const hal_function_t* function, const hal_value_t* arguments, hal_value_t* results);
};

/// Head of a file.
struct hal_file_t {
  /// How every object begins.
  hal_object_t object;
  hal_file_access_t access;  ///< set by the function that creates it
  uint64_t length;           ///< bytes; set by the function that creates it
};
/// @}

/// @name Commands
/// What a command buffer records and a queue runs. The driver copies it: nothing that it points to outlives the call.
/// @{

/// Which member of hal_command_t is set.
typedef enum hal_command_type_t {
  HAL_COMMAND_TYPE_BARRIER = 0,
  HAL_COMMAND_TYPE_FILL = 1,
  HAL_COMMAND_TYPE_UPDATE = 2,
  HAL_COMMAND_TYPE_COPY = 3,
  HAL_COMMAND_TYPE_DISPATCH = 4,
  HAL_COMMAND_TYPE_SIGNAL_EVENT = 5,
  HAL_COMMAND_TYPE_WAIT_EVENTS = 7,
  HAL_COMMAND_TYPE_BEGIN_DEBUG_GROUP = 8,
  HAL_COMMAND_TYPE_END_DEBUG_GROUP = 9,
  HAL_COMMAND_TYPE_COPY_STRIDED = 10,  ///< only if hal_device_vtable_t::check_command says OK
  HAL_COMMAND_TYPE_FORCE_32 = HAL_ENUM_FORCE_32
} hal_command_type_t;

/// Fills a range with a pattern.
typedef struct hal_command_fill_t {
  /// What is written to.
  hal_buffer_ref_t target;
  uint32_t pattern;       ///< the pattern's bytes, repeated to four
  uint32_t pattern_size;  ///< 1, 2 or 4
} hal_command_fill_t;

/// Writes host data into a range.
typedef struct hal_command_update_t {
  /// What is written to.
  hal_buffer_ref_t target;
  const void* data;  ///< `target.length` bytes
} hal_command_update_t;

/// Copies one range to another of the same length.
typedef struct hal_command_copy_t {
  /// What is read.
  hal_buffer_ref_t source;
  /// What is written to.
  hal_buffer_ref_t target;
} hal_command_copy_t;

/// Copies rows of bytes.
typedef struct hal_command_copy_strided_t {
  /// Both references are as long as from the first byte to the last, or 0. All pitches are filled in, except those that
  /// are not used.
  const hal_strided_copy_params_t* params;
} hal_command_copy_strided_t;

/// Runs an export over a grid.
typedef struct hal_command_dispatch_t {
  /// What holds the kernel.
  hal_executable_t* executable;
  /// Which of its exports.
  uint32_t ordinal;
  /// 0.
  uint32_t reserved;
  const hal_dispatch_params_t* params;  ///< `workgroup_size` is filled in from the export where the caller left it
} hal_command_dispatch_t;

/// Signals an event.
typedef struct hal_command_event_t {
  /// The event.
  hal_event_t* event;
} hal_command_event_t;

/// Waits for events.
typedef struct hal_command_wait_events_t {
  /// The events.
  hal_event_t* const* events;
  /// Length of `events`.
  size_t event_count;
} hal_command_wait_events_t;

/// Opens a named group.
typedef struct hal_command_debug_group_t {
  /// What the group is called.
  hal_string_view_t label;
} hal_command_debug_group_t;

/// One command. References with a NULL buffer name a slot of the binding table.
///
/// Its size is frozen: further kinds of command have members of at most 64 bytes. What grows is behind a pointer.
typedef struct hal_command_t {
  /// Which kind; says which member of `u` is set. A barrier and the end of a group have none.
  hal_command_type_t type;
  /// 0.
  uint32_t reserved;
  union {
    hal_command_fill_t fill;
    hal_command_update_t update;
    hal_command_copy_t copy;
    hal_command_dispatch_t dispatch;
    hal_command_event_t event;  ///< SIGNAL_EVENT
    hal_command_wait_events_t wait_events;
    hal_command_debug_group_t debug_group;  ///< BEGIN_DEBUG_GROUP
    hal_command_copy_strided_t copy_strided;
  } u;  ///< the member that `type` names
} hal_command_t;
/// @}

/// @name Queue operations
/// @{

/// Which member of hal_queue_operation_t is set.
typedef enum hal_queue_operation_type_t {
  HAL_QUEUE_OPERATION_TYPE_BARRIER = 0,
  HAL_QUEUE_OPERATION_TYPE_COMMAND = 1,  ///< a fill, update, copy, strided copy or dispatch without a command buffer
  HAL_QUEUE_OPERATION_TYPE_EXECUTE = 2,
  HAL_QUEUE_OPERATION_TYPE_ALLOCA = 3,
  HAL_QUEUE_OPERATION_TYPE_DEALLOCA = 4,
  HAL_QUEUE_OPERATION_TYPE_READ = 5,
  HAL_QUEUE_OPERATION_TYPE_WRITE = 6,
  HAL_QUEUE_OPERATION_TYPE_HOST_CALL = 7,
  HAL_QUEUE_OPERATION_TYPE_FORCE_32 = HAL_ENUM_FORCE_32
} hal_queue_operation_type_t;

/// Executes a command buffer.
typedef struct hal_queue_execute_t {
  /// The command buffer.
  hal_command_buffer_t* command_buffer;
  /// What its slots stand for: allocations with explicit lengths.
  hal_buffer_ref_list_t table;
} hal_queue_execute_t;

/// The core fills in its part of the buffer's head after `submit` has returned, when the operation may be running
/// already. So what runs it reads the driver's own copies of length and usage, and of the head the count only.
typedef struct hal_queue_alloca_t {
  /// As given, with its full current size.
  const hal_buffer_params_t* params;
  /// Bytes.
  uint64_t length;
  hal_buffer_t** out_buffer;  ///< set before `submit` returns
} hal_queue_alloca_t;

/// Frees a queue allocation.
typedef struct hal_queue_dealloca_t {
  /// From an earlier ALLOCA.
  hal_buffer_t* buffer;
} hal_queue_dealloca_t;

/// READ: from the file into the buffer. WRITE: from the buffer into the file.
typedef struct hal_queue_io_t {
  /// The file.
  hal_file_t* file;
  /// Bytes from its start.
  uint64_t file_offset;
  /// The range of memory.
  hal_buffer_ref_t buffer;
} hal_queue_io_t;

/// Calls the host.
typedef struct hal_queue_host_call_t {
  /// The function to call.
  hal_host_call_fn_t callback;
  /// Passed to the callback.
  void* user_data;
} hal_queue_host_call_t;

/// One operation: wait, run, signal.
///
/// Grows at its end only. So the union is frozen: further kinds of operation have members of at most 72 bytes. What
/// grows is behind a pointer. Further data of a kind comes after the union.
typedef struct hal_queue_operation_t {
  /// Bytes of the struct as its maker knows it.
  size_t struct_size;
  /// Which kind; says which member of `u` is set. A barrier and the end of a group have none.
  hal_queue_operation_type_t type;
  /// 0.
  uint32_t reserved;
  hal_queue_mask_t queues;  ///< never empty; only bits of queues that exist
  /// Points to wait for.
  hal_semaphore_list_t wait_list;
  /// Points to signal.
  hal_semaphore_list_t signal_list;
  union {
    hal_command_t command;
    hal_queue_execute_t execute;
    hal_queue_alloca_t allocate;
    hal_queue_dealloca_t deallocate;
    hal_queue_io_t io;
    hal_queue_host_call_t host_call;
  } u;  ///< the member that `type` names
  /// Since here only where `struct_size` reaches: an operation that is submitted without a label ends at `u`.
  /// What the application calls the operation, safe to show; see hal_push_label(). Valid during the call.
  hal_string_view_t label;
  /// Where `submit` writes the operation's number, as profiling records have it; NULL if it is not asked for. It is 0
  /// before, and may stay so.
  uint64_t* out_number;
  /// Since here only where `struct_size` reaches: what few operations have.
  /// EXECUTE: the block that the numbers of its dispatches are taken from; NULL if they have none. A driver whose
  /// limits have no `max_numbers_size` is given no such command buffers.
  const void* numbers;
  size_t numbers_size;  ///< bytes of `numbers`
  /// Where the operation writes when it ran, before it signals; NULL if that is not asked for. The struct is the
  /// application's, which keeps it until the operation has ended.
  hal_operation_times_t* out_times;
} hal_queue_operation_t;
/// @}

/// @name Engines of channels
/// @{

/// The part of one rank in an operation of an engine. The buffers stay until `done` is signalled or failed.
typedef struct hal_engine_part_t {
  /// The rank.
  uint32_t rank;
  uint32_t send_to;       ///< as in hal_collective_params_t
  uint32_t receive_from;  ///< as in hal_collective_params_t
  uint32_t reserved;      ///< 0
  double scale;           ///< of SCALED_SUM
  /// Allocations with explicit lengths; a NULL buffer where the rank has no use for the range.
  hal_buffer_ref_t source;
  hal_buffer_ref_t target;    ///< the same
  hal_timeline_point_t done;  ///< the engine signals it, or fails it, once the rank's device is done
} hal_engine_part_t;

/// One collective operation, which all its ranks are ready for.
typedef struct hal_engine_operation_t {
  size_t struct_size;               ///< sizeof(hal_engine_operation_t)
  hal_collective_kind_t kind;       ///< SEND for two ranks of which one sends to the other
  hal_reduction_t reduction;        ///< 0 for kinds that do not reduce
  hal_element_type_t element_type;  ///< of the elements
  uint32_t root;                    ///< of kinds that have one
  uint64_t count;                   ///< elements of a piece, never 0
  uint64_t length;                  ///< bytes of a piece
  size_t part_count;                ///< all ranks in their order; of SEND the sender, then the receiver
  const hal_engine_part_t* parts;   ///< `part_count` of them
} hal_engine_operation_t;

typedef struct hal_channel_engine_t hal_channel_engine_t;
/// An engine is open, or it never will be, and the text of `status` says why. Called once, on any thread.
typedef void (*hal_engine_opened_fn_t)(void* user_data, hal_channel_engine_t* engine, hal_status_t status);

/// What moves the bytes of a channel's operations in place of the library. All functions are thread-safe.
struct hal_channel_engine_t {
  size_t struct_size;      ///< sizeof(hal_channel_engine_t)
  hal_string_view_t name;  ///< with the version, for people: "NCCL 2.28.9"
  /// Runs an operation without waiting for it. Operations run in the order of these calls.
  /// Called once the engine is open.
  /// @return UNIMPLEMENTED if the engine has no such operation; the library then moves the bytes. After any failure no
  ///         `done` is touched; after OK each is signalled or failed once.
  hal_status_t (*run)(hal_channel_engine_t* engine, const hal_engine_operation_t* operation);
  /// How the engine has failed since, by itself. Does not wait.
  hal_status_t (*query)(hal_channel_engine_t* engine);
  /// Ends what runs, and whatever waits in it, soon. Does not wait. No operation follows.
  void (*abort)(hal_channel_engine_t* engine);
  /// No operation runs any more. Does not wait.
  void (*destroy)(hal_channel_engine_t* engine);
};
/// @}

/// @name Vtables
/// Each begins as hal_object_vtable_t and grows at its end only. Functions behave as the public function of the same
/// name is documented.
/// @{

/// What a driver does.
typedef struct hal_driver_vtable_t {
  /// Bytes of the struct as its maker knows it.
  size_t struct_size;
  /// Frees the object; on any thread.
  void (*destroy)(hal_object_t* driver);
  /// As hal_driver_list_devices(); elements have their full current size.
  hal_status_t (*list_devices)(hal_driver_t* driver, size_t* count, hal_device_summary_t* devices);
  /// As hal_driver_create_device().
  hal_status_t (*create_device)(hal_driver_t* driver, hal_string_view_t id, size_t pair_count,
                                const hal_key_value_t* pairs, hal_device_t** out_device);
  /// As hal_device_create_on_executor(); for drivers whose devices are the host's own processors.
  hal_status_t (*create_device_on_executor)(hal_driver_t* driver, hal_string_view_t id, size_t pair_count,
                                            const hal_key_value_t* pairs, const hal_executor_t* executor,
                                            hal_device_t** out_device);
  /// As hal_driver_wrap_device(). `release` is NULL, or called as the last step of the device's `destroy`.
  hal_status_t (*wrap_device)(hal_driver_t* driver, hal_string_view_t name, const void* native, size_t pair_count,
                              const hal_key_value_t* pairs, hal_device_release_fn_t release, void* user_data,
                              hal_device_t** out_device);
  /// As hal_driver_query_device(). Both structs are there, have their full current size and say that nothing is known
  /// and that there are no bounds. The core leaves the extensions out.
  hal_status_t (*query_device)(hal_driver_t* driver, hal_string_view_t id, hal_device_properties_t* out_properties,
                               hal_device_limits_t* out_limits);
} hal_driver_vtable_t;

/// What a device does.
typedef struct hal_device_vtable_t {
  /// Bytes of the struct as its maker knows it.
  size_t struct_size;
  /// Frees the object; on any thread.
  void (*destroy)(hal_object_t* device);
  /// As hal_device_query_format().
  hal_status_t (*query_format)(hal_device_t* device, hal_string_view_t format);
  /// As hal_device_query_health().
  hal_status_t (*query_health)(hal_device_t* device);
  /// As hal_device_query_interface().
  hal_status_t (*query_interface)(hal_device_t* device, hal_string_view_t name, uint32_t version,
                                  const void** out_table);
  /// As hal_semaphore_create().
  hal_status_t (*create_semaphore)(hal_device_t* device, const hal_semaphore_params_t* params,
                                   hal_semaphore_t** out_semaphore);
  /// As hal_event_create().
  hal_status_t (*create_event)(hal_device_t* device, hal_event_t** out_event);
  /// As hal_command_buffer_create().
  hal_status_t (*create_command_buffer)(hal_device_t* device, const hal_command_buffer_params_t* params,
                                        hal_command_buffer_t** out_command_buffer);
  /// As hal_executable_create().
  hal_status_t (*create_executable)(hal_device_t* device, const hal_executable_params_t* params,
                                    hal_executable_t** out_executable);
  /// Takes over any queue operation (halyard/queue.h): wait, run, signal. Never waits on this thread.
  hal_status_t (*submit)(hal_device_t* device, const hal_queue_operation_t* operation);
  /// As hal_device_profiling_begin().
  hal_status_t (*profiling_begin)(hal_device_t* device, hal_profiling_flags_t flags, const hal_profiling_sink_t* sink);
  /// As hal_device_profiling_end().
  hal_status_t (*profiling_end)(hal_device_t* device);
  /// As hal_device_query_properties(); the struct has its full current size and says that nothing is known.
  hal_status_t (*query_properties)(hal_device_t* device, hal_device_properties_t* out_properties);
  /// As hal_device_query_peer(), for a device of the same driver, which may be `device` itself; the struct has its full
  /// current size. It says that there is no connection. What the driver leaves unknown the core fills in: that both are
  /// the same hardware, the link, and how a copy goes that the driver does not take.
  hal_status_t (*query_peer)(hal_device_t* device, hal_device_t* other, hal_peer_properties_t* out_properties);
  /// Whether the device runs commands of a kind that was added after END_DEBUG_GROUP, on queues and in command buffers.
  /// The core asks before it submits or records one. UNIMPLEMENTED if not, or if the entry is missing.
  hal_status_t (*check_command)(hal_device_t* device, hal_command_type_t type);
  /// As hal_device_drain(). The core does not call it within a callback or on a thread of the library.
  hal_status_t (*drain)(hal_device_t* device, uint64_t timeout_ns);
  /// Whether the device runs copies of a kind (COPY, COPY_STRIDED), on its queues and in command buffers, that have one
  /// side in memory of `other`, a device of the same driver. The first question about a device may open the way to it,
  /// which can take time. UNIMPLEMENTED if not, or if the entry is missing: the library then copies through the host,
  /// and cuts command buffers at such copies.
  hal_status_t (*check_peer_copy)(hal_device_t* device, hal_device_t* other, hal_command_type_t type);
  /// Makes the engine of a channel whose ranks are devices of this driver: `devices[i]` has rank `i`, and `device` is
  /// the first. Does not wait: after OK the engine calls `opened` when it is ready. It keeps the devices. UNIMPLEMENTED
  /// or UNAVAILABLE if there is none for them, or if the entry is missing. Without an engine, and until there is one,
  /// the library moves the bytes through the host.
  hal_status_t (*create_engine)(hal_device_t* device, size_t device_count, hal_device_t* const* devices,
                                hal_engine_opened_fn_t opened, void* user_data, hal_channel_engine_t** out_engine);
} hal_device_vtable_t;

/// What an allocator does.
typedef struct hal_allocator_vtable_t {
  /// Bytes of the struct as its maker knows it.
  size_t struct_size;
  void (*destroy)(hal_object_t* allocator);  ///< not called by the core: the device owns its allocator
  /// As hal_allocator_query_heaps().
  hal_status_t (*query_heaps)(hal_allocator_t* allocator, size_t* count, hal_memory_heap_t* heaps);
  /// As hal_allocator_query_statistics().
  hal_status_t (*query_statistics)(hal_allocator_t* allocator, hal_allocator_statistics_t* out_statistics);
  /// As hal_allocator_allocate().
  hal_status_t (*allocate)(hal_allocator_t* allocator, const hal_buffer_params_t* params, uint64_t length,
                           hal_buffer_t** out_buffer);
  /// As hal_allocator_import(). After OK it calls `release` exactly once: the core then frees what `user_data` is.
  hal_status_t (*import)(hal_allocator_t* allocator, const hal_buffer_params_t* params,
                         const hal_external_memory_t* memory, hal_memory_release_fn_t release, void* user_data,
                         hal_buffer_t** out_buffer);
  /// As hal_allocator_trim().
  hal_status_t (*trim)(hal_allocator_t* allocator);
  /// Makes a buffer that is the memory of `buffer`, an allocation of another device of the same driver. The core keeps
  /// that one until `release` is called, as with `import`. Optional: without it, or with UNIMPLEMENTED or INCOMPATIBLE,
  /// the core imports the host's address of the memory, if it has one.
  hal_status_t (*share)(hal_allocator_t* allocator, const hal_buffer_params_t* params, hal_buffer_t* buffer,
                        hal_memory_release_fn_t release, void* user_data, hal_buffer_t** out_buffer);
} hal_allocator_vtable_t;

/// Called for allocations only; the core resolves subspans.
typedef struct hal_buffer_vtable_t {
  /// Bytes of the struct as its maker knows it.
  size_t struct_size;
  /// Frees the object; on any thread.
  void (*destroy)(hal_object_t* buffer);
  /// As hal_buffer_map().
  hal_status_t (*map)(hal_buffer_t* buffer, hal_map_access_t access, uint64_t offset, uint64_t length,
                      void** out_pointer);
  /// As hal_buffer_unmap().
  hal_status_t (*unmap)(hal_buffer_t* buffer);
  /// As hal_buffer_flush().
  hal_status_t (*flush)(hal_buffer_t* buffer, uint64_t offset, uint64_t length);
  /// As hal_buffer_invalidate().
  hal_status_t (*invalidate)(hal_buffer_t* buffer, uint64_t offset, uint64_t length);
  /// As hal_buffer_export().
  hal_status_t (*export_memory)(hal_buffer_t* buffer, hal_external_memory_type_t type,
                                hal_external_memory_t* out_memory);
} hal_buffer_vtable_t;

/// Enough for a queue of any other driver to wait for the semaphore and to signal it.
typedef struct hal_semaphore_vtable_t {
  /// Bytes of the struct as its maker knows it.
  size_t struct_size;
  void (*destroy)(hal_object_t* semaphore);  ///< calls what is registered with CANCELLED first
  /// As hal_semaphore_query().
  hal_status_t (*query)(hal_semaphore_t* semaphore, uint64_t* out_value);
  /// As hal_semaphore_signal().
  hal_status_t (*signal)(hal_semaphore_t* semaphore, uint64_t value);
  /// As hal_semaphore_fail().
  hal_status_t (*fail)(hal_semaphore_t* semaphore, hal_status_t status, hal_string_view_t message);
  /// As hal_semaphore_wait().
  hal_status_t (*wait)(hal_semaphore_t* semaphore, uint64_t value, uint64_t timeout_ns);
  /// As hal_semaphore_notify(). After OK it calls `callback` exactly once: the core then frees what `user_data` is.
  hal_status_t (*notify)(hal_semaphore_t* semaphore, uint64_t value, hal_timepoint_fn_t callback, void* user_data,
                         hal_timepoint_t* out_timepoint);
  /// As hal_semaphore_cancel().
  hal_status_t (*cancel)(hal_semaphore_t* semaphore, hal_timepoint_t timepoint);
  /// As `wait`, in the way that one of HAL_WAIT_AUTO, SPIN, YIELD and BLOCK names. Without this entry `wait` is called.
  hal_status_t (*wait_with_flags)(hal_semaphore_t* semaphore, uint64_t value, hal_wait_flags_t flags,
                                  uint64_t timeout_ns);
} hal_semaphore_vtable_t;

/// What an event does.
typedef struct hal_event_vtable_t {
  /// Bytes of the struct as its maker knows it.
  size_t struct_size;
  /// Frees the object; on any thread.
  void (*destroy)(hal_object_t* event);
} hal_event_vtable_t;

/// What a command buffer does.
typedef struct hal_command_buffer_vtable_t {
  /// Bytes of the struct as its maker knows it.
  size_t struct_size;
  /// Frees the object; on any thread.
  void (*destroy)(hal_object_t* command_buffer);
  /// As hal_command_buffer_begin().
  hal_status_t (*begin)(hal_command_buffer_t* command_buffer);
  /// Takes over a copy of any command (halyard/command_buffer.h).
  hal_status_t (*record)(hal_command_buffer_t* command_buffer, const hal_command_t* command);
  /// As hal_command_buffer_end().
  hal_status_t (*end)(hal_command_buffer_t* command_buffer);
} hal_command_buffer_vtable_t;

/// What an executable does.
typedef struct hal_executable_vtable_t {
  /// Bytes of the struct as its maker knows it.
  size_t struct_size;
  /// Frees the object; on any thread.
  void (*destroy)(hal_object_t* executable);
  /// As hal_executable_export_info(); `ordinal` is in range.
  const hal_export_info_t* (*export_info)(hal_executable_t* executable, uint32_t ordinal);
  /// As hal_executable_function(); `ordinal` is that of an export with a signature.
  hal_status_t (*function)(hal_executable_t* executable, uint32_t ordinal, const hal_function_t** out_function);
  /// As hal_executable_find_export(), without a message; NULL to have the core ask for one after the other.
  hal_status_t (*find_export)(hal_executable_t* executable, hal_string_view_t name, uint32_t* out_ordinal);
  /// Where a variable of the image of export `ordinal` is, which is in range: what the device's allocator imports. It
  /// stays there as long as the executable lives. NOT_FOUND if the image has none of that name; NULL if images of the
  /// driver have no variables.
  hal_status_t (*find_global)(hal_executable_t* executable, uint32_t ordinal, hal_string_view_t name,
                              hal_external_memory_t* out_memory);
  /// As hal_executable_query_export_properties(), without `resident_workgroups`. The struct has its full current size
  /// and holds what the export's info and the limits of the device say. `ordinal` is in range.
  hal_status_t (*query_export_properties)(hal_executable_t* executable, uint32_t ordinal,
                                          hal_export_properties_t* out_properties);
  /// How many workgroups of so many work-items each compute unit runs at the same time, if a dispatch asks for so much
  /// dynamic workgroup memory; 0 if that is unknown. Both are within the properties of the export.
  hal_status_t (*count_resident)(hal_executable_t* executable, uint32_t ordinal, uint32_t workgroup_volume,
                                 uint32_t dynamic_local_memory, uint32_t* out_workgroups);
} hal_executable_vtable_t;

/// Blocking reads and writes at absolute offsets; on any thread, several at once.
typedef struct hal_file_vtable_t {
  /// Bytes of the struct as its maker knows it.
  size_t struct_size;
  /// Frees the object; on any thread.
  void (*destroy)(hal_object_t* file);
  /// Reads exactly `length` bytes, or fails with DATA_LOSS.
  hal_status_t (*read)(hal_file_t* file, uint64_t offset, void* data, uint64_t length);
  /// Writes exactly `length` bytes, or fails.
  hal_status_t (*write)(hal_file_t* file, uint64_t offset, const void* data, uint64_t length);
} hal_file_vtable_t;
/// @}

/// Deferred work of a driver: a part of an object of the driver, such as an operation.
typedef struct hal_deferred_t {
  void* reserved[2];                         ///< the host's, from hal_host_services_t::defer until `run` is called
  void (*run)(struct hal_deferred_t* item);  ///< may free `item`; throws nothing
} hal_deferred_t;

/// What the host gives to a driver, so that a plugin needs no symbol of the library. All thread-safe.
typedef struct hal_host_services_t {
  /// Bytes of the struct as its maker knows it.
  size_t struct_size;
  uint32_t abi_version;  ///< HAL_DRIVER_ABI_VERSION of the host
  uint32_t version;      ///< HAL_VERSION of the host
  /// Sets this thread's error message and returns `status`.
  hal_status_t (*set_error)(hal_status_t status, hal_string_view_t message);
  /// As hal_last_error_message().
  const char* (*last_error)(void);
  /// Host memory of the application's allocator; NULL if there is none left.
  void* (*allocate)(size_t size, size_t alignment);
  /// Frees it, with the same size and alignment.
  void (*free)(void* memory, size_t size, size_t alignment);
  /// Writes to the application's log.
  void (*log)(hal_log_level_t level, hal_string_view_t message);
  /// Adds a reference to any object.
  void (*retain)(hal_object_t* object);
  /// Releases a reference to any object.
  void (*release)(hal_object_t* object);
  /// Makes a semaphore on the host's own timeline code, for devices that complete work on host threads.
  hal_status_t (*create_timeline_semaphore)(hal_device_t* device, const hal_semaphore_params_t* params,
                                            hal_semaphore_t** out_semaphore);
  /// Makes the layout that a parameter list amounts to: what hal_export_info_t::layout promises to reflect.
  /// INVALID_ARGUMENT for a set number that no layout can have.
  hal_status_t (*create_pipeline_layout)(size_t parameter_count, const hal_parameter_t* parameters,
                                         uint32_t constants_size, hal_pipeline_layout_t** out_layout);
  /// Calls `item->run(item)` once the library function that the application called has finished with all objects that
  /// it uses. It runs on this thread or on one of the library's, in the order of the calls, with no lock held. `item`
  /// must stay valid until then.
  ///
  /// Use it for all work that a semaphore's callback starts. Operations that release one another then need the stack of
  /// one. Every thread that waits for a signal is woken before any of them runs.
  void (*defer)(hal_deferred_t* item);
  /// Copies an object's label for a message and returns how many bytes that is: 0 if it has none. One that is longer
  /// than `capacity` is cut, and ends in "…". Other threads may set labels meanwhile.
  size_t (*copy_object_label)(const void* object, char* out, size_t capacity);
} hal_host_services_t;

/// A driver, whole. Grows at its end only; a NULL vtable means that the driver makes no such objects.
struct hal_driver_interface_t {
  size_t struct_size;             ///< sizeof(hal_driver_interface_t) as the driver knows it
  uint32_t abi_version;           ///< HAL_DRIVER_ABI_VERSION that it was built for
  uint32_t reserved;              ///< 0
  hal_string_view_t name;         ///< as in URIs: lower-case letters, digits, '-' and '_'
  hal_string_view_t description;  ///< one line for people
  /// Loads what the driver needs and makes the driver object. `tables` are the completed ones and, like `host`,
  /// outlive every object of the driver. UNAVAILABLE, with the reason, if the driver cannot work here.
  hal_status_t (*create_driver)(const hal_driver_interface_t* tables, const hal_host_services_t* host,
                                hal_driver_t** out_driver);
  /// Functions of its driver; NULL if it has none.
  const hal_driver_vtable_t* driver;
  /// Functions of its devices; NULL if it has none.
  const hal_device_vtable_t* device;
  /// Functions of its allocators; NULL if it has none.
  const hal_allocator_vtable_t* allocator;
  /// Functions of its buffers; NULL if it has none.
  const hal_buffer_vtable_t* buffer;
  /// Functions of its semaphores; NULL if it has none.
  const hal_semaphore_vtable_t* semaphore;
  /// Functions of its events; NULL if it has none.
  const hal_event_vtable_t* event;
  /// Functions of its command buffers; NULL if it has none.
  const hal_command_buffer_vtable_t* command_buffer;
  /// Functions of its executables; NULL if it has none.
  const hal_executable_vtable_t* executable;
};

/// Adds a driver to a registry. The interface is copied; its functions must stay loaded permanently.
/// @return INCOMPATIBLE (ABI version), INVALID_ARGUMENT (name, missing create_driver), ALREADY_EXISTS. Thread-safe.
HAL_API hal_status_t hal_registry_register_driver(hal_registry_t* registry,
                                                  const hal_driver_interface_t* driver_interface);

/// The services that the core hands to drivers. Thread-safe.
HAL_API const hal_host_services_t* hal_host_services(void);

/// The one function that a plugin exports, under the name HAL_PLUGIN_ENTRY_NAME. Returns its interface, or NULL if it
/// cannot work with a host of that ABI version (after host->set_error).
typedef const hal_driver_interface_t* (*hal_plugin_entry_fn_t)(uint32_t host_abi_version,
                                                               const hal_host_services_t* host);
/// The name of the function that a plugin exports.
#define HAL_PLUGIN_ENTRY_NAME "hal_plugin_entry"

HAL_EXTERN_C_END

#endif  // HALYARD_DRIVER_API_H_
