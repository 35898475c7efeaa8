// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Profiling: sessions that record what a device does, and a writer that turns the records into a trace for Perfetto.
///
/// Since 0.1, all of it.
#ifndef HALYARD_PROFILING_H_
#define HALYARD_PROFILING_H_

#include "halyard/base.h"
#include "halyard/status.h"

HAL_EXTERN_C_BEGIN

/// What a profiling record is about.
typedef enum hal_profiling_record_kind_t {
  HAL_PROFILING_RECORD_KIND_QUEUE_OPERATION = 0,  ///< one queue operation
  HAL_PROFILING_RECORD_KIND_DISPATCH = 1,         ///< one dispatch, within a queue operation
  HAL_PROFILING_RECORD_KIND_DEBUG_GROUP = 2,      ///< the dispatches of one debug group, within a queue operation
  HAL_PROFILING_RECORD_KIND_FORCE_32 = HAL_ENUM_FORCE_32
} hal_profiling_record_kind_t;

/// One timing. Times are nanoseconds of the host's monotonic clock (CLOCK_MONOTONIC); drivers convert device times.
typedef struct hal_profiling_record_t {
  size_t struct_size;                ///< sizeof(hal_profiling_record_t) as the library knows it
  hal_profiling_record_kind_t kind;  ///< what it is about
  hal_status_t status;               ///< how it ended
  hal_device_t* device;              ///< valid during the call
  hal_string_view_t name;            ///< "copy", "execute"; an export's name; a group's label. Valid during the call
  uint64_t operation;                ///< number of the queue operation, counted per device from 1
  uint32_t queue;                    ///< which queue ran it
  uint32_t command;                  ///< in a command buffer: index of the dispatch, or of the group's begin; else 0
  uint64_t submit_time;              ///< when it was submitted
  uint64_t start_time;               ///< when it began to run
  uint64_t end_time;                 ///< when it was done
  hal_dim3_t workgroup_count;        ///< DISPATCH: workgroups
  hal_string_view_t label;           ///< the queue operation's, see hal_push_label(). Valid during the call
  uint32_t depth;                    ///< DEBUG_GROUP: how many groups it is in; else 0
  uint32_t reserved;                 ///< 0
} hal_profiling_record_t;

/// Receives records, from any thread, possibly several at once and within any function of the library. The library
/// holds no lock; the sink must not block. An exception is logged.
typedef struct hal_profiling_sink_t {
  size_t struct_size;                                                     ///< sizeof(hal_profiling_sink_t)
  void* user_data;                                                        ///< passed to `record`
  void (*record)(void* user_data, const hal_profiling_record_t* record);  ///< must not be NULL
} hal_profiling_sink_t;

/// What a profiling session records.
typedef uint64_t hal_profiling_flags_t;
/// Every queue operation.
#define HAL_PROFILING_QUEUE_OPERATIONS 0x1ull
/// Every dispatch.
#define HAL_PROFILING_DISPATCHES 0x2ull
/// Every debug group that has dispatches, when the operation has ended: from the start of the first of them to the end
/// of the last. Outer groups come before inner ones. The device times the dispatches, as for DISPATCHES.
#define HAL_PROFILING_DEBUG_GROUPS 0x4ull

/// Begins a profiling session: operations that end from now on are reported to `sink`. One session at a time.
/// @return FAILED_PRECONDITION (one is under way or still ending), INVALID_ARGUMENT, UNIMPLEMENTED. Thread-safe.
HAL_API hal_status_t hal_device_profiling_begin(hal_device_t* device, hal_profiling_flags_t flags,
                                                const hal_profiling_sink_t* sink);
/// Ends the profiling session. When it returns, the sink is no longer in use and never called again. Waits for running
/// calls of the sink, so do not call it from the sink.
/// @return FAILED_PRECONDITION (no session). Thread-safe.
HAL_API hal_status_t hal_device_profiling_end(hal_device_t* device);

/// Collects records of any number of devices and writes them as Chrome trace JSON, which Perfetto opens.
typedef struct hal_trace_writer_t hal_trace_writer_t;

/// Makes a trace writer. Thread-safe.
HAL_API hal_status_t hal_trace_writer_create(hal_trace_writer_t** out_writer);
/// A sink that feeds the writer; end every session that uses it before the writer is destroyed. Thread-safe.
HAL_API hal_profiling_sink_t hal_trace_writer_sink(hal_trace_writer_t* writer);
/// Writes what was collected to `path`. The file appears whole or not at all. Thread-safe; blocks on the file system.
/// @return PERMISSION_DENIED, NOT_FOUND (folder), UNAVAILABLE, with the system's message.
HAL_API hal_status_t hal_trace_writer_write(hal_trace_writer_t* writer, hal_string_view_t path);
/// Frees the writer; NULL does nothing. Thread-compatible.
HAL_API void hal_trace_writer_destroy(hal_trace_writer_t* writer);

HAL_EXTERN_C_END

#endif  // HALYARD_PROFILING_H_
