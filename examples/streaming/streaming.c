// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// halyard-streaming: decodes a file that is larger than the memory it uses, in chunks: read, decode, write, report.
///
///     slot 0:  read 0  decode 0  write 0  report 0  read 3 …
///     slot 1:          read 1    decode 1  write 1  report 1 …
///     slot 2:                    read 2    decode 2  write 2 …
///
/// Every step is a queue operation, so the whole file is submitted before its first chunk has been read. Each slot is
/// one buffer and one timeline. Slots do not wait for each other, because each chunk has its own place in the file.
#define _POSIX_C_SOURCE 200809L  // fileno(), ftruncate()
#include <halyard/halyard.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SLOTS = 3, CHUNK = 65536, NUMBERS = 20 * CHUNK + 1000 };  // the last chunk is short

static void check(hal_status_t status, const char* doing) {
  if (status == HAL_STATUS_OK) return;
  fprintf(stderr, "halyard-streaming: cannot %s: %s: %s\n", doing, hal_status_name(status), hal_last_error_message());
  exit(1);
}

static void require(bool holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "halyard-streaming: %s\n", what);
  exit(1);
}

// --- Files -----------------------------------------------------------------------------------------------------------

static FILE* make_input(void) {
  FILE* const file = tmpfile();
  require(file != NULL, "cannot create a temporary file");
  for (uint32_t i = 0; i < NUMBERS; ++i) require(fwrite(&i, sizeof(i), 1, file) == 1, "cannot write the input");
  require(fflush(file) == 0, "cannot write the input");
  return file;
}

// Queue operations write within a file's length, so it gets its length first.
static FILE* make_output(void) {
  FILE* const file = tmpfile();
  require(file != NULL, "cannot create a temporary file");
  require(ftruncate(fileno(file), NUMBERS * (off_t)sizeof(uint32_t)) == 0, "cannot set the length of the output");
  return file;
}

static void check_output(FILE* file) {
  rewind(file);
  for (uint32_t i = 0; i < NUMBERS; ++i) {
    uint32_t value = 0;
    require(fread(&value, sizeof(value), 1, file) == 1, "the output is too short");
    require(value == 2 * i + 1, "the output has a wrong number");
  }
}

// --- The pipeline ----------------------------------------------------------------------------------------------------

typedef struct pipeline_t {
  hal_device_t* device;
  hal_executable_t* kernels;
  hal_file_t *input, *output;
  atomic_uint chunks_done;
} pipeline_t;

typedef struct slot_t {
  hal_buffer_t* buffer;
  hal_semaphore_t* timeline;  // counts steps; of this slot alone, since slots run in any order
  uint64_t step;              // the last one that was submitted
  hal_timeline_point_t before, after;
  hal_submit_params_t submit;  // of that step
} slot_t;

// The next step of a slot waits for the one before it.
static const hal_submit_params_t* advance(slot_t* slot) {
  slot->before = hal_timeline_point(slot->timeline, slot->step);
  slot->after = hal_timeline_point(slot->timeline, ++slot->step);
  slot->submit = hal_submit_params(hal_semaphore_list(&slot->before, 1), hal_semaphore_list(&slot->after, 1));
  return &slot->submit;
}

// Runs on a thread of the device, so it is short. A returned failure would fail the slot's timeline.
static hal_status_t report_chunk(void* user_data, hal_status_t status) {
  if (status == HAL_STATUS_OK) atomic_fetch_add(&((pipeline_t*)user_data)->chunks_done, 1);
  return status;
}

static void submit_chunk(pipeline_t* pipeline, slot_t* slot, uint32_t first) {
  const uint32_t count = NUMBERS - first < CHUNK ? NUMBERS - first : CHUNK;
  const uint64_t offset = first * sizeof(uint32_t);
  const hal_buffer_ref_t chunk = hal_buffer_ref(slot->buffer, 0, count * sizeof(uint32_t));
  hal_dispatch_params_t decode = HAL_DISPATCH_PARAMS_INIT;
  decode.workgroup_count = hal_dim3((count + 63) / 64, 1, 1);
  decode.constants = &count;
  decode.constants_size = sizeof(count);
  decode.bindings = hal_buffer_ref_list(&chunk, 1);

  hal_device_t* const device = pipeline->device;
  check(hal_device_queue_read(device, advance(slot), pipeline->input, offset, chunk), "submit a read");
  check(hal_device_queue_dispatch(device, advance(slot), pipeline->kernels, 0, &decode), "submit a dispatch");
  check(hal_device_queue_write(device, advance(slot), chunk, pipeline->output, offset), "submit a write");
  check(hal_device_queue_host_call(device, advance(slot), report_chunk, pipeline), "submit a host call");
}

static void stream(pipeline_t* pipeline) {
  slot_t slots[SLOTS] = {{0}};
  const hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  for (size_t i = 0; i < SLOTS; ++i) {
    check(hal_semaphore_create(pipeline->device, NULL, &slots[i].timeline), "create a timeline");
    check(hal_allocator_allocate(hal_device_allocator(pipeline->device), &params, CHUNK * sizeof(uint32_t),
                                 &slots[i].buffer),
          "allocate a buffer");
  }
  size_t chunk = 0;
  for (uint32_t first = 0; first < NUMBERS; first += CHUNK) submit_chunk(pipeline, &slots[chunk++ % SLOTS], first);

  hal_timeline_point_t ends[SLOTS];
  for (size_t i = 0; i < SLOTS; ++i) ends[i] = hal_timeline_point(slots[i].timeline, slots[i].step);
  check(hal_semaphore_list_wait(hal_semaphore_list(ends, SLOTS), HAL_WAIT_ALL, HAL_TIMEOUT_INFINITE, NULL),
        "finish the file");
  require(atomic_load(&pipeline->chunks_done) == chunk, "a chunk was not reported");
  for (size_t i = 0; i < SLOTS; ++i) {
    hal_semaphore_release(slots[i].timeline);
    hal_buffer_release(slots[i].buffer);
  }
}

// halyard-streaming [URI]
int main(int argc, char** argv) {
  FILE *const input = make_input(), *const output = make_output();
  pipeline_t pipeline = {0};
  check(hal_device_create(hal_string_view(argc > 1 ? argv[1] : "local"), &pipeline.device), "open the device");
  hal_executable_params_t kernels = HAL_INIT(hal_executable_params_t);
  kernels.path = hal_string_view(STREAMING_KERNELS);
  check(hal_executable_create(pipeline.device, &kernels, &pipeline.kernels), "load the kernels");
  check(hal_file_from_descriptor(fileno(input), HAL_FILE_ACCESS_READ, &pipeline.input), "open the input");
  check(hal_file_from_descriptor(fileno(output), HAL_FILE_ACCESS_WRITE, &pipeline.output), "open the output");

  stream(&pipeline);
  check_output(output);
  printf("%u chunks, %u numbers, all as expected\n", atomic_load(&pipeline.chunks_done), (unsigned)NUMBERS);

  hal_file_release(pipeline.output);
  hal_file_release(pipeline.input);
  hal_executable_release(pipeline.kernels);
  hal_device_release(pipeline.device);
  fclose(output);
  fclose(input);
  return 0;
}
