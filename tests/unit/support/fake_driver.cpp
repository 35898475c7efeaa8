// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fake_driver.h"

#include <string_view>

namespace halyard::testing {
namespace {

FakeState g_state;
const hal_host_services_t* g_host = nullptr;

/// Counts the objects that a test leaves behind.
struct Counted {
  Counted() { ++g_state.live_objects; }
  ~Counted() { --g_state.live_objects; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
};

struct FakeDriver : hal_driver_t, Counted {
  const hal_driver_interface_t* completed = nullptr;
};

struct FakeDevice : hal_device_t, Counted {
  const hal_driver_interface_t* completed = nullptr;
  hal_device_info_t own_info = {};
  hal_device_limits_t own_limits = {};
  hal_allocator_t own_allocator = {};
};

struct FakeBuffer : hal_buffer_t, Counted {
  std::vector<unsigned char> bytes;
  hal_memory_release_fn_t release = nullptr;
  void* user_data = nullptr;
};

struct FakeEvent : hal_event_t, Counted {};

FakeDevice& DeviceOf(hal_device_t* device) { return *static_cast<FakeDevice*>(device); }
FakeBuffer& BufferOf(hal_buffer_t* buffer) { return *static_cast<FakeBuffer*>(buffer); }

std::string Text(hal_string_view_t view) { return {view.data ? view.data : "", view.size}; }

hal_status_t CreateDriver(const hal_driver_interface_t* tables, const hal_host_services_t* host, hal_driver_t** out) {
  if (g_state.next_open != HAL_STATUS_OK) {
    return host->set_error(g_state.next_open, hal_string_view("libfake.so is missing"));
  }
  if (g_state.makes_nothing) return HAL_STATUS_OK;
  ++g_state.drivers_created;
  g_host = host;
  auto* driver = new FakeDriver();
  hal_object_initialize(&driver->object, HAL_OBJECT_KIND_DRIVER, tables->driver);
  driver->completed = tables;
  *out = driver;
  return HAL_STATUS_OK;
}

hal_status_t ListDevices(hal_driver_t*, size_t* count, hal_device_summary_t* devices) {
  constexpr const char* kIds[] = {"zero", "one"};
  const size_t capacity = *count;
  *count = 2;
  if (!devices) return HAL_STATUS_OK;
  if (capacity < 2) return g_host->set_error(HAL_STATUS_OUT_OF_RANGE, hal_string_view("too small"));
  for (size_t i = 0; i < 2; ++i) {
    devices[i].id = hal_string_view(kIds[i]);
    devices[i].name = hal_string_view("a fake device");
  }
  return HAL_STATUS_OK;
}

hal_status_t CreateDevice(hal_driver_t* driver, hal_string_view_t id, size_t pair_count, const hal_key_value_t* pairs,
                          hal_device_t** out) {
  g_state.device_id = Text(id);
  g_state.parameters.clear();
  for (size_t i = 0; i < pair_count; ++i) {
    g_state.parameters.emplace_back(Text(pairs[i].key), Text(pairs[i].value));
  }
  const hal_driver_interface_t* const tables = static_cast<FakeDriver*>(driver)->completed;
  auto* device = new FakeDevice();
  hal_object_initialize(&device->object, HAL_OBJECT_KIND_DEVICE, tables->device);
  device->completed = tables;
  device->own_info.struct_size = sizeof(hal_device_info_t);
  device->own_info.driver = tables->name;
  device->own_info.queue_count = g_state.queue_count;
  device->own_limits.max_semaphore_value = g_state.max_semaphore_value;
  device->own_limits.max_semaphore_distance = g_state.max_semaphore_distance;
  device->own_info.limits = g_state.has_limits ? &device->own_limits : nullptr;
  device->info = &device->own_info;
  if (tables->allocator) {
    hal_object_initialize(&device->own_allocator.object, HAL_OBJECT_KIND_ALLOCATOR, tables->allocator);
    device->allocator = &device->own_allocator;
  }
  *out = device;
  return HAL_STATUS_OK;
}

hal_status_t CreateSemaphore(hal_device_t* device, const hal_semaphore_params_t* params, hal_semaphore_t** out) {
  if (g_state.makes_nothing) return HAL_STATUS_OK;
  return g_host->create_timeline_semaphore(device, params, out);
}

hal_status_t CreateEvent(hal_device_t* device, hal_event_t** out) {
  if (g_state.makes_nothing) return HAL_STATUS_OK;
  auto* event = new FakeEvent();
  hal_object_initialize(&event->object, HAL_OBJECT_KIND_EVENT, DeviceOf(device).completed->event);
  *out = event;
  return HAL_STATUS_OK;
}

FakeBuffer* MakeBuffer(hal_allocator_t* allocator, const hal_buffer_params_t& params, uint64_t length) {
  g_state.buffer_params = params;
  auto* buffer = new FakeBuffer();
  hal_object_initialize(&buffer->object, HAL_OBJECT_KIND_BUFFER, DeviceOf(allocator->device).completed->buffer);
  buffer->memory_type = params.memory_type | HAL_MEMORY_TYPE_HOST_LOCAL;
  buffer->bytes.resize(length);
  return buffer;
}

hal_status_t Allocate(hal_allocator_t* allocator, const hal_buffer_params_t* params, uint64_t length,
                      hal_buffer_t** out) {
  if (g_state.makes_nothing) return HAL_STATUS_OK;
  *out = MakeBuffer(allocator, *params, length);
  return HAL_STATUS_OK;
}

hal_status_t Import(hal_allocator_t* allocator, const hal_buffer_params_t* params, const hal_external_memory_t* memory,
                    hal_memory_release_fn_t release, void* user_data, hal_buffer_t** out) {
  FakeBuffer* const buffer = MakeBuffer(allocator, *params, memory->length);
  buffer->release = release;
  buffer->user_data = user_data;
  *out = buffer;
  return HAL_STATUS_OK;
}

void DestroyBuffer(hal_object_t* object) {
  FakeBuffer& buffer = BufferOf(reinterpret_cast<hal_buffer_t*>(object));
  if (buffer.release) buffer.release(buffer.user_data);
  delete &buffer;
}

hal_status_t Map(hal_buffer_t* buffer, hal_map_access_t, uint64_t offset, uint64_t, void** out) {
  ++g_state.maps;
  *out = BufferOf(buffer).bytes.data() + offset;
  return HAL_STATUS_OK;
}

hal_status_t Unmap(hal_buffer_t*) {
  ++g_state.unmaps;
  return HAL_STATUS_OK;
}

hal_status_t Flush(hal_buffer_t*, uint64_t offset, uint64_t length) {
  g_state.flushes.emplace_back(offset, length);
  return HAL_STATUS_OK;
}

hal_status_t Invalidate(hal_buffer_t*, uint64_t offset, uint64_t length) {
  g_state.invalidates.emplace_back(offset, length);
  return HAL_STATUS_OK;
}

hal_status_t ExportMemory(hal_buffer_t* buffer, hal_external_memory_type_t, hal_external_memory_t* out) {
  out->handle = reinterpret_cast<uintptr_t>(BufferOf(buffer).bytes.data());
  out->length = buffer->length;
  return HAL_STATUS_OK;
}

}  // namespace

FakeState& State() { return g_state; }

FakeInterface::FakeInterface(const char* name) : driver{}, device{}, allocator{}, buffer{}, event{}, tables{} {
  driver.struct_size = sizeof(driver);
  driver.destroy = Destroy<FakeDriver, hal_driver_t>;
  driver.list_devices = ListDevices;
  driver.create_device = CreateDevice;

  device.struct_size = sizeof(device);
  device.destroy = Destroy<FakeDevice, hal_device_t>;
  device.create_semaphore = CreateSemaphore;
  device.create_event = CreateEvent;

  allocator.struct_size = sizeof(allocator);
  allocator.allocate = Allocate;
  allocator.import = Import;

  buffer.struct_size = sizeof(buffer);
  buffer.destroy = DestroyBuffer;
  buffer.map = Map;
  buffer.unmap = Unmap;
  buffer.flush = Flush;
  buffer.invalidate = Invalidate;
  buffer.export_memory = ExportMemory;

  event.struct_size = sizeof(event);
  event.destroy = Destroy<FakeEvent, hal_event_t>;

  tables.struct_size = sizeof(tables);
  tables.abi_version = HAL_DRIVER_ABI_VERSION;
  tables.name = hal_string_view(name);
  tables.description = hal_string_view("a driver for tests");
  tables.create_driver = CreateDriver;
  tables.driver = &driver;
  tables.device = &device;
  tables.allocator = &allocator;
  tables.buffer = &buffer;
  tables.event = &event;
}

FakeDriverTest::FakeDriverTest() {
  g_state = FakeState();
  EXPECT_EQ(hal_registry_create(&registry_), HAL_STATUS_OK);
}

FakeDriverTest::~FakeDriverTest() {
  for (hal_device_t* device : devices_) hal_device_release(device);
  hal_registry_release(registry_);
  EXPECT_EQ(g_state.live_objects, 0) << "objects of the driver are left behind, or were destroyed twice";
}

hal_device_t* FakeDriverTest::OpenDevice(const FakeInterface& fake) {
  EXPECT_EQ(hal_registry_register_driver(registry_, &fake.tables), HAL_STATUS_OK) << hal_last_error_message();
  hal_device_t* device = nullptr;
  EXPECT_EQ(hal_registry_create_device(registry_, fake.tables.name, 0, nullptr, &device), HAL_STATUS_OK)
      << hal_last_error_message();
  devices_.push_back(device);
  return device;
}

::testing::AssertionResult MessageHas(const char* text) {
  const std::string_view message = hal_last_error_message();
  if (message.find(text) != std::string_view::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "expected '" << text << "' in the message '" << message << "'";
}

}  // namespace halyard::testing
