// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Command buffers: recorded work that a queue executes. See docs/queue-semantics.md.
///
/// ```c
/// hal_command_buffer_params_t params = HAL_INIT(hal_command_buffer_params_t);
/// params.binding_capacity = 2;  // slot 0: input, slot 1: output
/// hal_command_buffer_t* commands = NULL;
/// hal_command_buffer_create(device, &params, &commands);
/// hal_command_buffer_begin(commands);
/// hal_command_buffer_fill(commands, hal_slot_ref(1, 0, HAL_WHOLE_SIZE), &zero, 4);
/// hal_command_buffer_barrier(commands);  // the dispatch sees what the fill wrote
/// hal_command_buffer_dispatch(commands, executable, 0, &dispatch);
/// hal_command_buffer_end(commands);
/// ```
///
/// What of a dispatch changes from one execution to the next need not be recorded anew. A slot stands for a buffer. A
/// hal_number_ref_t stands for bytes of its constants, or for a workgroup count:
///
/// ```c
/// params.numbers_size = sizeof(uint32_t);                                  // of each execution: the position
/// hal_number_ref_t position = {HAL_NUMBER_KIND_CONSTANTS, 4, 0, sizeof(uint32_t)};  // the second constant
/// dispatch.numbers = &position;
/// dispatch.number_count = 1;
/// ```
///
/// Commands between two barriers may overlap and run in any order, unless the command buffer tracks hazards. Several
/// submissions may execute a reusable command buffer at once. It keeps every buffer, executable and event that it names
/// alive. Each execution keeps alive what its binding table names.
///
/// Since 0.1, all of it.
#ifndef HALYARD_COMMAND_BUFFER_H_
#define HALYARD_COMMAND_BUFFER_H_

#include "halyard/base.h"
#include "halyard/buffer.h"
#include "halyard/buffer_view.h"
#include "halyard/executable.h"
#include "halyard/status.h"

HAL_EXTERN_C_BEGIN

/// How a command buffer will be used.
typedef uint64_t hal_command_buffer_flags_t;
/// It may be executed once. Without it, any number of times, also concurrently.
#define HAL_COMMAND_BUFFER_ONE_SHOT 0x1ull
/// The core does not check commands and bindings: the caller guarantees that they are right.
#define HAL_COMMAND_BUFFER_UNVALIDATED 0x2ull
/// The driver orders the commands by what they read and write, and no barriers are needed. See
/// docs/queue-semantics.md, "Recordings that order themselves".
#define HAL_COMMAND_BUFFER_TRACK_HAZARDS 0x4ull

/// What is asked of a new command buffer.
typedef struct hal_command_buffer_params_t {
  size_t struct_size;                ///< sizeof(hal_command_buffer_params_t)
  hal_command_buffer_flags_t flags;  ///< HAL_COMMAND_BUFFER_…
  uint32_t binding_capacity;         ///< slots of the binding table of each execution; at most 2^20, 0 for none
  uint64_t numbers_size;  ///< bytes of the block of numbers of each execution, 0 for none; at most `max_numbers_size`
} hal_command_buffer_params_t;

/// What a number of a dispatch is.
typedef enum hal_number_kind_t {
  HAL_NUMBER_KIND_CONSTANTS = 0,        ///< bytes of the constants
  HAL_NUMBER_KIND_WORKGROUP_COUNT = 1,  ///< a uint32_t, or several: x at byte 0, y at 4, z at 8
  HAL_NUMBER_KIND_FORCE_32 = HAL_ENUM_FORCE_32
} hal_number_kind_t;

/// A part of a recorded dispatch that each execution takes from its block of numbers. A frozen struct.
///
/// The block is bytes as the host has them in memory; none of them needs an alignment. Several references may name the
/// same bytes of the block. Of several that name the same bytes of the dispatch the last one counts.
typedef struct hal_number_ref_t {
  hal_number_kind_t kind;  ///< what the bytes are
  uint32_t target_offset;  ///< bytes, from the first constant or from the count in x
  uint32_t offset;         ///< bytes, from the begin of the block
  uint32_t length;         ///< bytes; of workgroup counts a multiple of 4, as the offset is
} hal_number_ref_t;

/// How a dispatch is meant.
typedef uint64_t hal_dispatch_flags_t;
/// The workgroup count is read from `indirect` when the dispatch runs.
#define HAL_DISPATCH_INDIRECT 0x1ull

/// One dispatch. The call that takes it copies all that it points to.
typedef struct hal_dispatch_params_t {
  size_t struct_size;                 ///< sizeof(hal_dispatch_params_t)
  hal_dispatch_flags_t flags;         ///< HAL_DISPATCH_…
  hal_dim3_t workgroup_count;         ///< workgroups in x, y, z; 0 in any runs nothing. Ignored if INDIRECT
  hal_dim3_t workgroup_size;          ///< overrides the export's size; 0 in x to keep it
  hal_buffer_ref_t indirect;          ///< INDIRECT: three uint32 (x, y, z) at a 4-byte aligned offset
  uint32_t dynamic_local_memory;      ///< bytes of workgroup memory on top of what the kernel declares
  uint32_t constants_size;            ///< bytes; must be what the export takes
  const void* constants;              ///< the constant bytes
  hal_buffer_ref_list_t bindings;     ///< one for each binding of the export, in flat order. A range may be empty. A
                                      ///< kernel that asks for a length is told of whole elements inside the range
  const hal_shape_t* binding_shapes;  ///< NULL, or a shape for each binding, inside it, for kernels that take memrefs;
                                      ///< others ignore them. The lowest element begins the binding
  const hal_number_ref_t* numbers;    ///< only recorded: what each execution gives in place of the constants and the
                                      ///< workgroup count above. None of INDIRECT counts, and of a kernel with tensor
                                      ///< maps none of the constants
  size_t number_count;                ///< length of `numbers`
} hal_dispatch_params_t;
#define HAL_DISPATCH_PARAMS_INIT                                                                                     \
  HAL_INIT_STRUCT(hal_dispatch_params_t, sizeof(hal_dispatch_params_t), 0, {1, 1, 1}, {0, 0, 0}, {NULL, 0, 0, 0, 0}, \
                  0, 0, NULL, {NULL, 0}, NULL, NULL, 0)
/// HAL_DISPATCH_PARAMS_INIT as a function: see HAL_INIT_STRUCT. Thread-compatible.
HAL_API void hal_dispatch_params_initialize(hal_dispatch_params_t* out, size_t struct_size);

/// A copy of `depth` slices of `height` rows of `width` bytes each. The call that takes it copies it.
///
/// The first row of the first slice begins where `source` and `target` do. From there, the next row begins a row pitch
/// further on and the next slice a slice pitch. A pitch of 0 stands for rows, or slices, that follow each other without
/// a gap. A row pitch is used only if `height` is above 1, a slice pitch only if `depth` is.
///
/// A row pitch must be at least `width`. A slice pitch must be at least `height` times the row pitch, and a multiple of
/// the row pitch if `height` is above 1. These are the rules of clEnqueueCopyBufferRect() (OpenCL 3.0), which the
/// descriptions of CUDA's and HIP's copies can express.
typedef struct hal_strided_copy_params_t {
  size_t struct_size;         ///< sizeof(hal_strided_copy_params_t)
  hal_buffer_ref_t source;    ///< where the first byte is; must hold the last one. HAL_WHOLE_SIZE: as long as it takes
  hal_buffer_ref_t target;    ///< the same
  uint64_t width;             ///< bytes of a row; 0 copies nothing
  uint64_t height;            ///< rows of a slice; 0 copies nothing
  uint64_t depth;             ///< slices; 0 copies nothing
  uint64_t source_row_pitch;  ///< bytes from a row to the next one
  uint64_t source_slice_pitch;  ///< bytes from a slice to the next one
  uint64_t target_row_pitch;    ///< bytes from a row to the next one
  uint64_t target_slice_pitch;  ///< bytes from a slice to the next one
} hal_strided_copy_params_t;
#define HAL_STRIDED_COPY_PARAMS_INIT                                                                             \
  HAL_INIT_STRUCT(hal_strided_copy_params_t, sizeof(hal_strided_copy_params_t), {NULL, 0, 0, 0, HAL_WHOLE_SIZE}, \
                  {NULL, 0, 0, 0, HAL_WHOLE_SIZE}, 0, 1, 1, 0, 0, 0, 0)
/// HAL_STRIDED_COPY_PARAMS_INIT as a function: see HAL_INIT_STRUCT. Thread-compatible.
HAL_API void hal_strided_copy_params_initialize(hal_strided_copy_params_t* out, size_t struct_size);

/// The most bytes that one update may carry.
#define HAL_UPDATE_MAX_LENGTH 0x10000ull

/// Makes a command buffer, in the state *initial*.
/// @return INVALID_ARGUMENT (flags), OUT_OF_RANGE (binding_capacity; numbers_size, with the device's limit).
/// Thread-safe.
HAL_API hal_status_t hal_command_buffer_create(hal_device_t* device, const hal_command_buffer_params_t* params,
                                               hal_command_buffer_t** out_command_buffer);
/// Keeps a command buffer alive. Thread-safe.
HAL_API void hal_command_buffer_retain(hal_command_buffer_t* command_buffer);
/// Releases a reference; submitted work keeps it alive. Thread-safe.
HAL_API void hal_command_buffer_release(hal_command_buffer_t* command_buffer);

/// Begins recording. A command buffer is recorded once.
/// @return FAILED_PRECONDITION (not *initial*). Thread-compatible.
HAL_API hal_status_t hal_command_buffer_begin(hal_command_buffer_t* command_buffer);

/// Ends recording: from now on the command buffer can be executed.
/// @return FAILED_PRECONDITION (not recording, an open debug group). If a command was refused, the status and message
///         of the first refusal: an incomplete command buffer never becomes executable.
/// Thread-compatible.
HAL_API hal_status_t hal_command_buffer_end(hal_command_buffer_t* command_buffer);

/// Orders everything recorded before it before everything after it, and makes the former's writes visible to the
/// latter. The driver knows what kinds of work stand around it, and waits for no others.
/// @return FAILED_PRECONDITION (not recording). Thread-compatible.
HAL_API hal_status_t hal_command_buffer_barrier(hal_command_buffer_t* command_buffer);

/// Fills a range with a pattern of 1, 2 or 4 bytes. Length and offset must be multiples of `pattern_size`; of a subspan
/// the offset in its allocation.
/// @return OUT_OF_RANGE, PERMISSION_DENIED (TRANSFER_TARGET), INVALID_ARGUMENT, FAILED_PRECONDITION (not recording).
/// Thread-compatible.
HAL_API hal_status_t hal_command_buffer_fill(hal_command_buffer_t* command_buffer, hal_buffer_ref_t target,
                                             const void* pattern, size_t pattern_size);

/// Writes host data into a buffer. This call copies the data. The length is that of `target`, at most
/// HAL_UPDATE_MAX_LENGTH bytes, and cannot be HAL_WHOLE_SIZE of a slot.
/// @return as hal_command_buffer_fill(); OUT_OF_RANGE also for too many bytes. Thread-compatible.
HAL_API hal_status_t hal_command_buffer_update(hal_command_buffer_t* command_buffer, const void* data,
                                               hal_buffer_ref_t target);

/// Copies between buffers. The lengths must agree. Either may be HAL_WHOLE_SIZE, which means the other's length. If
/// both are, the ranges behind the two offsets must be equally long. Ranges of the same memory must not overlap.
/// Properties that depend on the binding table are checked at execution.
///
/// A buffer of another device, of any driver, may be one side; a slot holds memory of the command buffer's device. What
/// the driver does not record cuts the command buffer there: each execution is then several operations of the device,
/// one after the other, and all commands before the copy come before it.
/// @return as hal_command_buffer_fill(); INVALID_ARGUMENT also if neither side is the device's. Thread-compatible.
HAL_API hal_status_t hal_command_buffer_copy(hal_command_buffer_t* command_buffer, hal_buffer_ref_t source,
                                             hal_buffer_ref_t target);

/// Copies rows of bytes between buffers: a part of a matrix, a column of blocks, a slice of a tensor.
///
/// No byte of the target may also be one of the source. If both sides are ranges of the same memory, one of two things
/// must be true: the ranges from the first byte to the last do not overlap; or both sides have the same pitches and no
/// byte in common. The second is the rule of clEnqueueCopyBufferRect() (OpenCL 3.0), CL_MEM_COPY_OVERLAP.
/// Properties that depend on the binding table are checked at execution. Bytes between the rows of the target stay.
/// @return as hal_command_buffer_copy(); INVALID_ARGUMENT also for pitches that let rows or slices overlap,
/// OUT_OF_RANGE
///         for a last byte past 64 bits or past the range, UNIMPLEMENTED (a driver without strided copies).
/// Thread-compatible.
HAL_API hal_status_t hal_command_buffer_copy_strided(hal_command_buffer_t* command_buffer,
                                                     const hal_strided_copy_params_t* params);

/// Runs export `ordinal` of an executable over a grid of workgroups.
///
/// A count that is read from memory and exceeds the device's limit fails the operation with OUT_OF_RANGE when it runs.
/// A running dispatch cannot be cancelled: a kernel that does not end blocks its device permanently.
/// @return OUT_OF_RANGE (ordinal, ranges, device limits, numbers outside the block, the constants or the counts),
///         INVALID_ARGUMENT (number of bindings or bytes of constants, with what the export takes; numbers where they
///         cannot be), PERMISSION_DENIED (STORAGE or INDIRECT usage). Thread-compatible.
HAL_API hal_status_t hal_command_buffer_dispatch(hal_command_buffer_t* command_buffer, hal_executable_t* executable,
                                                 uint32_t ordinal, const hal_dispatch_params_t* params);

/// Signals an event once everything recorded before it is done. An event is signalled once in a command buffer.
/// @return FAILED_PRECONDITION (signalled before in this command buffer). Thread-compatible.
HAL_API hal_status_t hal_command_buffer_signal_event(hal_command_buffer_t* command_buffer, hal_event_t* event);
/// Makes everything recorded after it wait for events, and see the writes before their signals.
/// @return FAILED_PRECONDITION (an event that this command buffer has not signalled before). Thread-compatible.
HAL_API hal_status_t hal_command_buffer_wait_events(hal_command_buffer_t* command_buffer, size_t event_count,
                                                    hal_event_t* const* events);

/// Opens a named group of commands. Groups nest. Traces show the groups that have dispatches, see
/// HAL_PROFILING_DEBUG_GROUPS. Vendors' tools show them on Vulkan (VK_EXT_debug_utils) and on Metal, but not on CUDA
/// and HIP. `label` may be any bytes, and is kept as readable text: see halyard/label.h. It may be longer than
/// HAL_LABEL_MAX_SIZE. Thread-compatible.
HAL_API hal_status_t hal_command_buffer_begin_debug_group(hal_command_buffer_t* command_buffer,
                                                          hal_string_view_t label);
/// Closes the innermost group. @return FAILED_PRECONDITION (none is open). Thread-compatible.
HAL_API hal_status_t hal_command_buffer_end_debug_group(hal_command_buffer_t* command_buffer);

HAL_EXTERN_C_END

#endif  // HALYARD_COMMAND_BUFFER_H_
