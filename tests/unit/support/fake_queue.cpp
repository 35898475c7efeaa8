// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fake_queue.h"

#include "base/status.h"
#include "driver_kit/object/object.h"
#include "halyard/cpp/submit.hpp"

namespace halyard::testing {
namespace {

std::unique_ptr<FakeQueue> g_queue;

struct FakeCommandBuffer : hal_command_buffer_t {
  FakeCommandBuffer() : hal_command_buffer_t{} { ++State().live_objects; }
  ~FakeCommandBuffer() { --State().live_objects; }
};

struct FakeExecutable : hal_executable_t {
  FakeExecutable() : hal_executable_t{} { ++State().live_objects; }
  ~FakeExecutable() { --State().live_objects; }
  ExportTable table;
};

struct FakeQueueBuffer : hal_buffer_t {
  FakeQueueBuffer() : hal_buffer_t{} { ++State().live_objects; }
  ~FakeQueueBuffer() { --State().live_objects; }
};

const hal_driver_interface_t* TablesOf(hal_device_t* device) { return device->driver->tables; }

SeenCommand See(const hal_command_t& command) {
  SeenCommand seen = {command, {}, {}};
  if (command.type != HAL_COMMAND_TYPE_DISPATCH) return seen;
  seen.params = *command.u.dispatch.params;
  const hal_buffer_ref_list_t& bindings = seen.params.bindings;
  seen.bindings.assign(bindings.refs, bindings.refs + bindings.count);
  return seen;
}

hal_status_t Refuse(hal_status_t status) {
  return status == HAL_STATUS_OK ? status : ToC(FailWith(status, "the fake driver refuses"));
}

// Buffers of the queue have the same vtable as others, but no memory: none of its functions is called for them.
hal_buffer_t* MakeQueueBuffer(hal_device_t* device) {
  auto* buffer = new FakeQueueBuffer();
  static const hal_buffer_vtable_t table = [device] {
    hal_buffer_vtable_t copy = *TablesOf(device)->buffer;
    copy.destroy = [](hal_object_t* object) {
      delete static_cast<FakeQueueBuffer*>(reinterpret_cast<hal_buffer_t*>(object));
    };
    return copy;
  }();
  hal_object_initialize(&buffer->object, HAL_OBJECT_KIND_BUFFER, &table);
  return buffer;
}

hal_status_t Submit(hal_device_t* device, const hal_queue_operation_t* operation) {
  if (Queue().next_submit != HAL_STATUS_OK) return Refuse(Queue().next_submit);
  SeenOperation seen = {*operation, {}, {}};
  if (operation->type == HAL_QUEUE_OPERATION_TYPE_COMMAND) seen.command = See(operation->u.command);
  if (operation->type == HAL_QUEUE_OPERATION_TYPE_EXECUTE) {
    const hal_buffer_ref_list_t& table = operation->u.execute.table;
    seen.table.assign(table.refs, table.refs + table.count);
  }
  if (operation->type == HAL_QUEUE_OPERATION_TYPE_ALLOCA) {
    *operation->u.allocate.out_buffer = MakeQueueBuffer(device);
  }
  Queue().operations.push_back(seen);
  return HAL_STATUS_OK;
}

hal_status_t CreateCommandBuffer(hal_device_t* device, const hal_command_buffer_params_t*, hal_command_buffer_t** out) {
  auto* made = new FakeCommandBuffer();
  hal_object_initialize(&made->object, HAL_OBJECT_KIND_COMMAND_BUFFER, TablesOf(device)->command_buffer);
  *out = made;
  return HAL_STATUS_OK;
}

hal_status_t RecordCommand(hal_command_buffer_t*, const hal_command_t* command) {
  if (Queue().next_record != HAL_STATUS_OK) return Refuse(Queue().next_record);
  Queue().commands.push_back(See(*command));
  return HAL_STATUS_OK;
}

/// "Compiles" an image to itself, as a driver with a costly compiler would.
void Compile(const hal_executable_params_t& params) {
  if (!params.blobs) return;
  std::string key = "fake/" + std::string(static_cast<const char*>(params.data), params.data_size);
  const auto found = [](void* image, const void* data, size_t size) {
    EXPECT_EQ(std::string(static_cast<const char*>(data), size), static_cast<const std::string*>(image)->substr(5));
  };
  if (params.blobs->load(params.blobs->context, ToC(key), found, &key)) return;
  ++Queue().images_compiled;
  params.blobs->store(params.blobs->context, ToC(key), params.data, params.data_size);
}

hal_status_t CreateExecutable(hal_device_t* device, const hal_executable_params_t* params, hal_executable_t** out) {
  ++Queue().executables_made;
  if (Queue().before_executable) {
    if (const hal_status_t status = Queue().before_executable(); status != HAL_STATUS_OK) return Refuse(status);
  }
  const auto* bytes = static_cast<const std::byte*>(params->data);
  Queue().image.assign(bytes, bytes + params->data_size);
  Compile(*params);
  auto made = std::make_unique<FakeExecutable>();
  hal_object_initialize(&made->object, HAL_OBJECT_KIND_EXECUTABLE, TablesOf(device)->executable);
  const Status status = made->table.Assign(device, {params->exports, params->export_count});
  if (status != kOk) return ToC(status);
  made->export_count = made->table.Count();
  *out = made.release();
  return HAL_STATUS_OK;
}

hal_status_t QueryFormat(hal_device_t*, hal_string_view_t format) {
  if (View(format) == "fake") return HAL_STATUS_OK;
  return ToC(FailWith(HAL_STATUS_INCOMPATIBLE, "the fake device takes 'fake'"));
}

}  // namespace

FakeQueue& Queue() { return *g_queue; }

FakeQueueTest::FakeQueueTest() {
  g_queue = std::make_unique<FakeQueue>();
  command_buffer_.struct_size = sizeof(command_buffer_);
  command_buffer_.destroy = Destroy<FakeCommandBuffer, hal_command_buffer_t>;
  command_buffer_.begin = [](hal_command_buffer_t*) { return HAL_STATUS_OK; };
  command_buffer_.record = RecordCommand;
  command_buffer_.end = [](hal_command_buffer_t*) { return Refuse(Queue().next_end); };
  executable_.struct_size = sizeof(executable_);
  executable_.destroy = Destroy<FakeExecutable, hal_executable_t>;
  executable_.export_info = [](hal_executable_t* self, uint32_t ordinal) {
    return static_cast<FakeExecutable*>(self)->table.Info(ordinal);
  };
  fake_.device.query_format = QueryFormat;
  fake_.device.submit = Submit;
  fake_.device.create_command_buffer = CreateCommandBuffer;
  fake_.device.create_executable = CreateExecutable;
  fake_.tables.command_buffer = &command_buffer_;
  fake_.tables.executable = &executable_;
  device_ = OpenDevice(fake_);
  EXPECT_EQ(hal_registry_create_device(registry_, fake_.tables.name, 0, nullptr, &other_device_), HAL_STATUS_OK);
  for (hal_device_t* device : {device_, other_device_}) {
    hal_device_limits_t& limits = *const_cast<hal_device_limits_t*>(device->info->limits);
    limits.max_semaphore_value = 1000;
    limits.max_workgroup_count = {100, 10, 10};
    limits.max_workgroup_size = {64, 64, 64};
    limits.max_workgroup_volume = 128;
    limits.max_local_memory = 256;
    limits.max_constants_size = 64;
    limits.max_bindings = 40;
    limits.max_descriptor_sets = 4;
  }
}

FakeQueueTest::~FakeQueueTest() {
  for (hal_object_t* object : objects_) ReleaseObject(object);
  hal_device_release(other_device_);
}

hal_device_limits_t& FakeQueueTest::Limits() { return *const_cast<hal_device_limits_t*>(device_->info->limits); }

hal_buffer_t* FakeQueueTest::Buffer(uint64_t length, hal_buffer_usage_t usage, hal_queue_mask_t queues) {
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  params.usage = usage;
  params.queues = queues;
  hal_buffer_t* buffer = nullptr;
  EXPECT_EQ(hal_allocator_allocate(device_->allocator, &params, length, &buffer), HAL_STATUS_OK);
  return Keep(buffer);
}

hal_buffer_t* FakeQueueTest::Subspan(hal_buffer_t* buffer, uint64_t offset, uint64_t length) {
  hal_buffer_t* subspan = nullptr;
  EXPECT_EQ(hal_buffer_subspan(buffer, offset, length, &subspan), HAL_STATUS_OK);
  return Keep(subspan);
}

hal_buffer_t* FakeQueueTest::QueueAllocation(uint64_t length) {
  const hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  hal_buffer_t* buffer = nullptr;
  EXPECT_EQ(hal_device_queue_alloca(device_, hal::SubmitParams({}, {}), &params, length, &buffer), HAL_STATUS_OK)
      << hal_last_error_message();
  return Keep(buffer);
}

hal_command_buffer_t* FakeQueueTest::CommandBuffer(hal_command_buffer_flags_t flags, uint32_t binding_capacity) {
  hal_command_buffer_params_t params = HAL_INIT(hal_command_buffer_params_t);
  params.flags = flags;
  params.binding_capacity = binding_capacity;
  hal_command_buffer_t* commands = nullptr;
  EXPECT_EQ(hal_command_buffer_create(device_, &params, &commands), HAL_STATUS_OK) << hal_last_error_message();
  return Keep(commands);
}

hal_executable_t* FakeQueueTest::Executable() {
  const TwoExports given;
  hal_executable_t* executable = nullptr;
  EXPECT_EQ(hal_executable_create(device_, &given.params, &executable), HAL_STATUS_OK) << hal_last_error_message();
  return Keep(executable);
}

hal_event_t* FakeQueueTest::Event() {
  hal_event_t* event = nullptr;
  EXPECT_EQ(hal_event_create(device_, &event), HAL_STATUS_OK);
  return Keep(event);
}

hal_semaphore_t* FakeQueueTest::Semaphore() {
  hal_semaphore_t* semaphore = nullptr;
  EXPECT_EQ(hal_semaphore_create(device_, nullptr, &semaphore), HAL_STATUS_OK) << hal_last_error_message();
  return Keep(semaphore);
}

TwoExports::TwoExports()
    : parameters{hal_parameter_constant(0, 8), hal_parameter_binding(0, HAL_BINDING_ACCESS_READ),
                 hal_parameter_binding(1, HAL_BINDING_ACCESS_WRITE)},
      exports{HAL_EXPORT_INFO_INIT, HAL_EXPORT_INFO_INIT},
      params(HAL_INIT(hal_executable_params_t)) {
  exports[0].name = hal_string_view("scale");
  exports[0].workgroup_size = {8, 1, 1};
  exports[0].local_memory_size = 64;
  exports[0].constants_size = 8;
  exports[0].parameters = parameters;
  exports[0].parameter_count = 3;
  exports[1].name = hal_string_view("any");
  exports[1].workgroup_size = {0, 0, 0};
  params.format = hal_string_view("fake");
  params.data = "image";
  params.data_size = 5;
  params.exports = exports;
  params.export_count = 2;
}

}  // namespace halyard::testing
