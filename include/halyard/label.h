// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Labels: what an application calls its objects and its queue operations. See docs/labels.md.
///
/// A label may be any bytes. It is kept as text that is safe to show: a byte that is not UTF-8 becomes U+FFFD, a
/// control character (a zero byte too) becomes a space, and what would exceed HAL_LABEL_MAX_SIZE bytes is cut off,
/// between two characters.
///
/// Since 0.1, all of it.
#ifndef HALYARD_LABEL_H_
#define HALYARD_LABEL_H_

#include "halyard/base.h"
#include "halyard/status.h"

HAL_EXTERN_C_BEGIN

/// The most bytes of a label that are kept; of the labels of a thread, the most that are kept together.
#define HAL_LABEL_MAX_SIZE 1024

/// Labels an object of the library: any of the handles of halyard/base.h, as a pointer without a type.
///
/// Error messages, warnings and the report of validation then say the label behind what they call the object. The label
/// goes with the object. An object has one: the next call replaces it, and the empty label takes it away. A subspan and
/// its allocation have labels of their own.
/// @return INVALID_ARGUMENT (`object` is NULL or no object of the library, a length without text), RESOURCE_EXHAUSTED.
/// Thread-safe.
HAL_API hal_status_t hal_object_set_label(void* object, hal_string_view_t label);

/// The label of an object, as it is kept; empty if it has none, and for NULL. Valid until the object's label is set
/// again or the object is destroyed: no other thread may do that while this one uses the text. Thread-safe except for
/// that.
HAL_API hal_string_view_t hal_object_label(const void* object);

/// Labels the queue operations that this thread submits from now on, until hal_pop_label().
///
/// Labels nest: an operation is called what all of them say, outermost first, with '/' between two. Empty ones are left
/// out. Callbacks that run on this thread meanwhile submit under the label, too. Profiling records, traces and warnings
/// have the label of their operation. With HALYARD_NVTX=1 NVIDIA's tools show a range on this thread.
/// @return INVALID_ARGUMENT (a length without text), RESOURCE_EXHAUSTED. After a failure nothing was pushed.
/// Thread-safe: each thread has its own.
HAL_API hal_status_t hal_push_label(hal_string_view_t label);

/// Takes this thread's innermost label away.
/// @return FAILED_PRECONDITION (none is left). Thread-safe: each thread has its own.
HAL_API hal_status_t hal_pop_label(void);

/// The number of the queue operation that this thread submitted last while it had a label, the empty one included. It
/// is what hal_profiling_record_t::operation says of that operation, whether it is profiled or not.
///
/// 0 if there is none, or if the driver does not number its operations.
/// Thread-safe: each thread has its own.
HAL_API uint64_t hal_last_operation(void);

HAL_EXTERN_C_END

#endif  // HALYARD_LABEL_H_
