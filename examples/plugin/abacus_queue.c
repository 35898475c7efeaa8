// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "abacus.h"

// An operation from submission to end. It owns what it works on and what it signals, but not what it waits for.
typedef struct operation_t {
  hal_deferred_t deferred;  // finish_operation(), once all waits are reached or one has failed
  abacus_device_t* device;
  atomic_size_t pending;     // waits that are not reached, and one while the operation is being submitted
  atomic_size_t references;  // callbacks that are still to come, the same one, and one for finish_operation()
  atomic_bool is_started;    // whether finish_operation() was asked for
  hal_status_t status;       // of the first wait that failed; written, like `message`, by the setter of `is_started`
  char message[256];         // why it did
  hal_command_t command;     // a barrier if there is nothing to do
  size_t signal_count;
  hal_timeline_point_t signals[];
} operation_t;

// Semaphores may be of any driver: they are used through their own functions.
static const hal_semaphore_vtable_t* table_of(const hal_semaphore_t* semaphore) {
  return (const hal_semaphore_vtable_t*)semaphore->object.vtable;
}

// --- Work ------------------------------------------------------------------------------------------------------------

static unsigned char* bytes_of(hal_buffer_ref_t ref) { return ((abacus_buffer_t*)ref.buffer)->bytes + ref.offset; }

static void fill(const hal_command_fill_t* command) {
  const unsigned char* const pattern = (const unsigned char*)&command->pattern;  // repeated to four bytes by the core
  unsigned char* const target = bytes_of(command->target);
  for (uint64_t i = 0; i < command->target.length; ++i) target[i] = pattern[i % 4];
}

static void run(const hal_command_t* command) {
  if (command->type == HAL_COMMAND_TYPE_FILL) fill(&command->u.fill);
  if (command->type != HAL_COMMAND_TYPE_COPY) return;
  memcpy(bytes_of(command->u.copy.target), bytes_of(command->u.copy.source), command->u.copy.source.length);
}

// Calls `visit`, which is the host's retain or release, for the buffers of a command.
static void visit_buffers(const hal_command_t* command, void (*visit)(hal_object_t*)) {
  if (command->type == HAL_COMMAND_TYPE_FILL) visit(&command->u.fill.target.buffer->object);
  if (command->type != HAL_COMMAND_TYPE_COPY) return;
  visit(&command->u.copy.source.buffer->object);
  visit(&command->u.copy.target.buffer->object);
}

// --- From submission to end ------------------------------------------------------------------------------------------

static void keep_failure(operation_t* operation, hal_status_t status, hal_string_view_t message) {
  operation->status = status;
  const size_t size = message.size < sizeof(operation->message) ? message.size : sizeof(operation->message) - 1;
  if (size > 0) memcpy(operation->message, message.data, size);
}

static void signal_or_fail(const operation_t* operation, hal_timeline_point_t point) {
  hal_status_t status = operation->status;
  const char* message = operation->message;
  if (status == HAL_STATUS_OK) {
    status = table_of(point.semaphore)->signal(point.semaphore, point.value);
    if (status == HAL_STATUS_OK) return;
    message = abacus_host->last_error();
  }
  table_of(point.semaphore)->fail(point.semaphore, status, hal_string_view(message));
}

// No caller learns of a failure that no signal carries.
static void log_failure(const operation_t* operation) {
  char line[384];
  snprintf(line, sizeof(line), "abacus: an operation that signals nothing failed with status %d: %s",
           (int)operation->status, operation->message);
  abacus_host->log(HAL_LOG_LEVEL_WARNING, hal_string_view(line));
}

static size_t size_of_operation(size_t signal_count) {
  return sizeof(operation_t) + signal_count * sizeof(hal_timeline_point_t);
}

// The last one out frees it: a semaphore may still call an operation that another has failed.
static void drop_reference(operation_t* operation) {
  if (atomic_fetch_sub(&operation->references, 1) != 1) return;
  abacus_device_t* const device = operation->device;
  abacus_free(operation, size_of_operation(operation->signal_count));
  abacus_host->release(&device->head.object);
}

// No callback of a semaphore is under way here: what this signals may release the next operation, which the host lets
// run after this one, not within. What the operation holds is released before its signals, so that a thread that
// waits for them can rely on that.
static void finish_operation(hal_deferred_t* item) {
  operation_t* const operation = (operation_t*)item;
  if (operation->status == HAL_STATUS_OK) run(&operation->command);
  visit_buffers(&operation->command, abacus_host->release);
  if (operation->status != HAL_STATUS_OK && operation->signal_count == 0) log_failure(operation);
  for (size_t i = 0; i < operation->signal_count; ++i) {
    signal_or_fail(operation, operation->signals[i]);
    abacus_host->release(&operation->signals[i].semaphore->object);
  }
  drop_reference(operation);
}

// Called by each semaphore that was waited for, on whatever thread signalled it, and by abacus_submit(). It must not do
// the work: it may be called by an operation that is just ending.
static void on_wait_ended(void* user_data, hal_status_t status, hal_string_view_t message) {
  operation_t* const operation = user_data;
  const bool has_failed = status != HAL_STATUS_OK;
  const bool is_ready = has_failed || atomic_fetch_sub(&operation->pending, 1) == 1;
  if (is_ready && !atomic_exchange(&operation->is_started, true)) {
    if (has_failed) keep_failure(operation, status, message);
    abacus_host->defer(&operation->deferred);
  }
  drop_reference(operation);
}

static void wait_for(operation_t* operation, hal_timeline_point_t point) {
  hal_timepoint_t timepoint;  // would let us cancel the call
  const hal_status_t status =
      table_of(point.semaphore)->notify(point.semaphore, point.value, on_wait_ended, operation, &timepoint);
  if (status != HAL_STATUS_OK) on_wait_ended(operation, status, hal_string_view(abacus_host->last_error()));
}

// Takes a copy of all that the caller points to: it is the caller's again when abacus_submit() returns.
static void capture(operation_t* operation, hal_device_t* device, const hal_queue_operation_t* source) {
  operation->deferred.run = finish_operation;
  operation->device = (abacus_device_t*)device;
  abacus_host->retain(&device->object);
  atomic_init(&operation->pending, source->wait_list.count + 1);
  atomic_init(&operation->references, source->wait_list.count + 2);
  atomic_init(&operation->is_started, false);
  if (source->type == HAL_QUEUE_OPERATION_TYPE_COMMAND) operation->command = source->u.command;
  visit_buffers(&operation->command, abacus_host->retain);
  operation->signal_count = source->signal_list.count;
  for (size_t i = 0; i < source->signal_list.count; ++i) {
    operation->signals[i] = source->signal_list.points[i];
    abacus_host->retain(&source->signal_list.points[i].semaphore->object);
  }
}

static bool can_do(const hal_queue_operation_t* operation) {
  if (operation->type == HAL_QUEUE_OPERATION_TYPE_BARRIER) return true;
  if (operation->type != HAL_QUEUE_OPERATION_TYPE_COMMAND) return false;
  const hal_command_type_t type = operation->u.command.type;
  return type == HAL_COMMAND_TYPE_FILL || type == HAL_COMMAND_TYPE_COPY;
}

hal_status_t abacus_submit(hal_device_t* device, const hal_queue_operation_t* source) {
  if (!can_do(source)) {
    return abacus_fail(HAL_STATUS_UNIMPLEMENTED, "abacus: queues take barriers, fills and copies only");
  }
  operation_t* const operation = abacus_allocate(size_of_operation(source->signal_list.count));
  if (!operation) return HAL_STATUS_RESOURCE_EXHAUSTED;
  capture(operation, device, source);
  for (size_t i = 0; i < source->wait_list.count; ++i) wait_for(operation, source->wait_list.points[i]);
  on_wait_ended(operation, HAL_STATUS_OK, hal_string_view(NULL));
  return HAL_STATUS_OK;
}
