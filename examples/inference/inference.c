// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// halyard-inference: a model runs frame after frame, with two frames in flight. docs/embedding.md leads through it.
///
///     own heap and log -> choose a device -> load kernels -> upload weights -> record once for each slot -> loop
///
/// For readers who know Vulkan: a slot is a frame in flight. Its timeline replaces the fence and the semaphores;
/// nothing is reset.
#include <halyard/halyard.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inference/model.h"

enum { SLOTS = 2, DEFAULT_FRAMES = 100 };

static void check(hal_status_t status, const char* doing) {
  if (status == HAL_STATUS_OK) return;
  fprintf(stderr, "halyard-inference: cannot %s: %s: %s\n", doing, hal_status_name(status), hal_last_error_message());
  exit(1);
}

// --- The application's heap and log ----------------------------------------------------------------------------------

static atomic_size_t heap_bytes;  // in use by the library

static void* heap_allocate(void* user_data, size_t size, size_t alignment) {
  (void)user_data;
  const size_t step = alignment < sizeof(void*) ? sizeof(void*) : alignment;
  void* const memory = aligned_alloc(step, (size + step - 1) / step * step);  // it takes whole steps only
  if (memory) atomic_fetch_add(&heap_bytes, size);
  return memory;
}

static void heap_free(void* user_data, void* memory, size_t size, size_t alignment) {
  (void)user_data;
  (void)alignment;
  atomic_fetch_sub(&heap_bytes, size);
  free(memory);
}

static void write_log(void* user_data, hal_log_level_t level, hal_string_view_t message) {
  fprintf((FILE*)user_data, "halyard[%d]: %.*s\n", (int)level, (int)message.size, message.data);
}

static void install_heap_and_log(void) {
  hal_host_allocator_t allocator = HAL_INIT(hal_host_allocator_t);
  allocator.allocate = heap_allocate;                              // (user_data, size, alignment)
  allocator.free = heap_free;                                      // (user_data, memory, size, alignment)
  check(hal_set_host_allocator(&allocator), "set the allocator");  // before anything else
  hal_set_log_callback(write_log, stderr, HAL_LOG_LEVEL_WARNING);  // NULL silences the library
}

// --- Device ----------------------------------------------------------------------------------------------------------

// The driver's first device if it is an accelerator.
static hal_device_t* open_accelerator(hal_string_view_t driver_name) {
  hal_driver_t* driver = NULL;
  hal_device_t* device = NULL;
  hal_device_properties_t properties = HAL_INIT(hal_device_properties_t);
  if (hal_registry_open_driver(hal_registry_default(), driver_name, &driver) != HAL_STATUS_OK) return NULL;
  if (hal_driver_create_device(driver, hal_string_view(""), 0, NULL, &device) == HAL_STATUS_OK &&
      hal_device_query_properties(device, &properties) == HAL_STATUS_OK &&
      (properties.kind == HAL_DEVICE_KIND_DISCRETE || properties.kind == HAL_DEVICE_KIND_INTEGRATED)) {
    hal_driver_release(driver);
    return device;
  }
  hal_device_release(device);  // NULL is fine
  hal_driver_release(driver);
  return NULL;
}

// The device that `uri` names. Without one: the first accelerator that works here, or the host's processors.
static hal_device_t* choose_device(const char* uri) {
  hal_device_t* device = NULL;
  if (!uri) {
    hal_driver_info_t drivers[16];
    for (size_t i = 0; i < 16; ++i) drivers[i] = (hal_driver_info_t)HAL_INIT(hal_driver_info_t);
    size_t count = 16;
    check(hal_registry_list_drivers(hal_registry_default(), &count, drivers), "list the drivers");
    for (size_t i = 0; i < count && !device; ++i) device = open_accelerator(drivers[i].name);
  }
  if (!device) check(hal_device_create(hal_string_view(uri ? uri : "local"), &device), "open the device");
  return device;
}

static void describe_device(hal_device_t* device) {
  const hal_device_info_t* info = hal_device_info(device);
  hal_device_properties_t properties = HAL_INIT(hal_device_properties_t);
  check(hal_device_query_properties(device, &properties), "query the device");
  const bool has_half = (properties.data_types & HAL_DATA_TYPE_FLOAT16) != 0;
  printf("%s, %.*s: %u compute units, %u queues%s\n", info->name.data, (int)properties.architecture.size,
         properties.architecture.data,  // "sm_90", the target of a JIT
         properties.compute_units, info->queue_count, has_half ? ", float16" : "");
}

// --- Memory and upload -----------------------------------------------------------------------------------------------

static hal_buffer_t* allocate(hal_device_t* device, hal_buffer_params_t params, uint64_t floats) {
  hal_buffer_t* buffer = NULL;
  check(hal_allocator_allocate(hal_device_allocator(device), &params, floats * sizeof(float), &buffer), "allocate");
  return buffer;
}

// Copies any number of floats to the device. Returns before it is done; `timeline` reaches `value` then.
static void upload(hal_device_t* device, const float* data, uint64_t floats, hal_buffer_t* target,
                   hal_semaphore_t* timeline, uint64_t value) {
  hal_buffer_t* staging = allocate(device, (hal_buffer_params_t)HAL_BUFFER_PARAMS_STAGING_INIT, floats);
  check(hal_buffer_write(staging, 0, data, floats * sizeof(float)), "write to staging memory");
  const hal_timeline_point_t done = hal_timeline_point(timeline, value);
  const hal_submit_params_t submit = hal_submit_params(hal_semaphore_list_empty(), hal_semaphore_list(&done, 1));
  check(hal_device_queue_copy(device, &submit, hal_buffer_ref(staging, 0, HAL_WHOLE_SIZE),
                              hal_buffer_ref(target, 0, HAL_WHOLE_SIZE)),
        "submit the upload");
  hal_buffer_release(staging);  // the submission keeps it
}

// --- Recording -------------------------------------------------------------------------------------------------------

typedef struct model_t {
  hal_device_t* device;
  hal_executable_t* kernels;
  uint32_t dense;            // its ordinal
  hal_buffer_t* parameters;  // weights and biases
} model_t;

// All that one frame in flight needs for itself.
typedef struct slot_t {
  hal_semaphore_t* timeline;     // counts this slot's frames
  uint64_t submitted;            // the value at which its last frame is done
  uint64_t frame;                // that frame
  hal_buffer_t *input, *output;  // staging memory, which the host writes and reads
  hal_buffer_t *x, *hidden, *y;  // the device's own
  hal_command_buffer_t* commands;
} slot_t;

static hal_buffer_ref_t floats_of(hal_buffer_t* buffer, uint64_t first, uint64_t count) {
  return hal_buffer_ref(buffer, first * sizeof(float), count * sizeof(float));
}

static void record_layer(const model_t* model, hal_command_buffer_t* commands, hal_buffer_t* x, uint64_t weights,
                         uint64_t bias, hal_buffer_t* y, uint32_t inputs, uint32_t outputs) {
  const uint32_t constants[] = {inputs, outputs};
  const hal_buffer_ref_t bindings[] = {
      floats_of(x, 0, inputs),
      floats_of(model->parameters, weights, (uint64_t)inputs * outputs),
      floats_of(model->parameters, bias, outputs),
      floats_of(y, 0, outputs),
  };
  hal_dispatch_params_t dispatch = HAL_DISPATCH_PARAMS_INIT;
  dispatch.workgroup_count = hal_dim3(model_workgroups(outputs), 1, 1);
  dispatch.constants = constants;
  dispatch.constants_size = sizeof(constants);
  dispatch.bindings = hal_buffer_ref_list(bindings, 4);
  check(hal_command_buffer_dispatch(commands, model->kernels, model->dense, &dispatch), "record a dispatch");
  check(hal_command_buffer_barrier(commands), "record a barrier");
}

// A frame's work, recorded once. The debug group shows in traces.
static hal_command_buffer_t* record_frame(const model_t* model, const slot_t* slot) {
  const hal_command_buffer_params_t params = HAL_INIT(hal_command_buffer_params_t);
  hal_command_buffer_t* commands = NULL;
  check(hal_command_buffer_create(model->device, &params, &commands), "create a command buffer");
  check(hal_command_buffer_begin(commands), "begin recording");
  check(hal_command_buffer_copy(commands, hal_buffer_ref(slot->input, 0, HAL_WHOLE_SIZE),
                                hal_buffer_ref(slot->x, 0, HAL_WHOLE_SIZE)),
        "record a copy");
  check(hal_command_buffer_barrier(commands), "record a barrier");
  check(hal_command_buffer_begin_debug_group(commands, hal_string_view("layers")), "begin a group");
  record_layer(model, commands, slot->x, MODEL_WEIGHTS_1, MODEL_BIAS_1, slot->hidden, MODEL_INPUTS, MODEL_HIDDEN);
  record_layer(model, commands, slot->hidden, MODEL_WEIGHTS_2, MODEL_BIAS_2, slot->y, MODEL_HIDDEN, MODEL_OUTPUTS);
  check(hal_command_buffer_end_debug_group(commands), "end the group");
  check(hal_command_buffer_copy(commands, hal_buffer_ref(slot->y, 0, HAL_WHOLE_SIZE),
                                hal_buffer_ref(slot->output, 0, HAL_WHOLE_SIZE)),
        "record a copy");
  check(hal_command_buffer_end(commands), "end recording");
  return commands;
}

static slot_t make_slot(const model_t* model) {
  const hal_buffer_params_t staging = HAL_BUFFER_PARAMS_STAGING_INIT, own = HAL_BUFFER_PARAMS_INIT;
  slot_t slot = {0};
  check(hal_semaphore_create(model->device, NULL, &slot.timeline), "create a timeline");
  slot.input = allocate(model->device, staging, MODEL_INPUTS);
  slot.output = allocate(model->device, staging, MODEL_OUTPUTS);
  slot.x = allocate(model->device, own, MODEL_INPUTS);
  slot.hidden = allocate(model->device, own, MODEL_HIDDEN);
  slot.y = allocate(model->device, own, MODEL_OUTPUTS);
  slot.commands = record_frame(model, &slot);
  return slot;
}

static void release_slot(slot_t* slot) {
  hal_command_buffer_release(slot->commands);
  hal_buffer_t* const buffers[] = {slot->input, slot->output, slot->x, slot->hidden, slot->y};
  for (size_t i = 0; i < sizeof(buffers) / sizeof(*buffers); ++i) hal_buffer_release(buffers[i]);
  hal_semaphore_release(slot->timeline);
}

// --- The loop --------------------------------------------------------------------------------------------------------

// Waits for the slot's last frame, if there is one, and takes its result.
static void finish_frame(slot_t* slot, const float* parameters) {
  if (slot->submitted == 0) return;
  check(hal_semaphore_wait(slot->timeline, slot->submitted, HAL_TIMEOUT_INFINITE), "finish a frame");
  float result[MODEL_OUTPUTS], expected[MODEL_OUTPUTS];
  check(hal_buffer_read(slot->output, 0, result, sizeof(result)), "read a result");
  model_reference(parameters, slot->frame, expected);
  for (size_t i = 0; i < MODEL_OUTPUTS; ++i) {
    if (result[i] == expected[i]) continue;
    fprintf(stderr, "halyard-inference: frame %llu: %g, not %g\n", (unsigned long long)slot->frame, result[i],
            expected[i]);
    exit(1);
  }
}

static void submit_frame(const model_t* model, slot_t* slot, uint64_t frame) {
  float input[MODEL_INPUTS];
  for (uint32_t i = 0; i < MODEL_INPUTS; ++i) input[i] = model_input(frame, i);
  check(hal_buffer_write(slot->input, 0, input, sizeof(input)), "write an input");
  const hal_timeline_point_t before = hal_timeline_point(slot->timeline, slot->submitted);
  const hal_timeline_point_t done = hal_timeline_point(slot->timeline, slot->submitted + 1);
  const hal_submit_params_t submit = hal_submit_params(hal_semaphore_list(&before, 1), hal_semaphore_list(&done, 1));
  check(hal_device_queue_execute(model->device, &submit, slot->commands, hal_buffer_ref_list(NULL, 0)),
        "submit a frame");
  slot->submitted += 1;
  slot->frame = frame;
}

static void run_frames(const model_t* model, const float* parameters, uint64_t frames) {
  slot_t slots[SLOTS];
  for (size_t i = 0; i < SLOTS; ++i) slots[i] = make_slot(model);
  for (uint64_t frame = 0; frame < frames; ++frame) {
    slot_t* slot = &slots[frame % SLOTS];
    finish_frame(slot, parameters);  // the other slot's frame runs meanwhile
    submit_frame(model, slot, frame);
  }
  for (size_t i = 0; i < SLOTS; ++i) finish_frame(&slots[i], parameters);
  for (size_t i = 0; i < SLOTS; ++i) release_slot(&slots[i]);
}

static void run(const char* uri, uint64_t frames) {
  float parameters[MODEL_FLOATS];
  for (uint32_t i = 0; i < MODEL_FLOATS; ++i) parameters[i] = model_parameter(i);

  model_t model = {0};
  model.device = choose_device(uri);
  describe_device(model.device);
  hal_executable_params_t kernels = HAL_INIT(hal_executable_params_t);
  kernels.path = hal_string_view(MODEL_KERNELS);
  check(hal_executable_create(model.device, &kernels, &model.kernels), "load the kernels");
  check(hal_executable_find_export(model.kernels, hal_string_view("dense"), &model.dense), "find the kernel");

  hal_semaphore_t* uploads = NULL;
  check(hal_semaphore_create(model.device, NULL, &uploads), "create a timeline");
  model.parameters = allocate(model.device, (hal_buffer_params_t)HAL_BUFFER_PARAMS_INIT, MODEL_FLOATS);
  upload(model.device, parameters, MODEL_FLOATS, model.parameters, uploads, 1);
  check(hal_semaphore_wait(uploads, 1, HAL_TIMEOUT_INFINITE), "upload the weights");

  check(hal_object_set_label(model.parameters, hal_string_view("weights")), "label the weights");
  check(hal_push_label(hal_string_view("inference")), "label the frames");  // all that this thread submits from here on
  run_frames(&model, parameters, frames);
  check(hal_pop_label(), "end the label");
  hal_semaphore_release(uploads);
  hal_buffer_release(model.parameters);
  hal_executable_release(model.kernels);
  check(hal_device_drain(model.device, HAL_TIMEOUT_INFINITE), "drain");  // before what callbacks use goes
  hal_device_release(model.device);
}

// halyard-inference [URI [FRAMES]]: on a device, or on the best one that there is.
int main(int argc, char** argv) {
  const uint64_t frames = argc > 2 ? strtoull(argv[2], NULL, 10) : DEFAULT_FRAMES;
  install_heap_and_log();
  run(argc > 1 ? argv[1] : NULL, frames);
  check(hal_shutdown(), "shut down");
  printf("%llu frames, all as expected; %zu bytes left\n", (unsigned long long)frames, (size_t)heap_bytes);
  return heap_bytes == 0 ? 0 : 1;
}
