// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unit/stream/memory_device.h"

#include <chrono>
#include <mutex>
#include <thread>

#include "driver_kit/device/driver_interface.h"
#include "driver_kit/device/options.h"
#include "halyard/cpp/submit.hpp"
#include "halyard/driver_api.h"
#include "stream/stream_driver.h"

namespace halyard::stream {
namespace {

// Of the device that is being opened.
thread_local std::shared_ptr<MemoryWorld> t_world;
thread_local NativeTraits t_traits;

class MemoryDriver final : public hal_driver_t, public HostObject {
 public:
  explicit MemoryDriver(const hal_driver_interface_t& completed) : hal_driver_t{} {
    hal_object_initialize(&object, HAL_OBJECT_KIND_DRIVER, completed.driver);
    tables = &completed;
  }
  static Status Create(const hal_driver_interface_t& completed, hal_driver_t** out_driver) {
    *out_driver = new MemoryDriver(completed);
    return kOk;
  }
  Status ListDevices(size_t* count, hal_device_summary_t*) {
    *count = 0;
    return kOk;
  }
  Status CreateDevice(hal_string_view_t, size_t pair_count, const hal_key_value_t* pairs, hal_device_t** out_device) {
    std::unique_ptr<NativeApi> api = MakeMemoryApi(t_world, t_traits);
    Options options(pair_count, pairs);
    StreamDeviceOptions device;
    if (Status status = ReadOptions(options, api->traits(), &device); status != kOk) return status;
    if (Status status = options.Finish("memory://"); status != kOk) return status;
    return StreamDevice::Create(*tables, std::move(api), {"0", "memory", 0}, device, out_device);
  }
};

hal_registry_t* Registry() {
  static hal_registry_t* const registry = [] {
    static const DriverInterface<StreamClasses<MemoryDriver>> driver("memory", "streams in memory");
    EXPECT_EQ(hal_registry_register_driver(hal_registry_default(), driver.get()), HAL_STATUS_OK);
    return hal_registry_default();  // destroyed by hal_shutdown()
  }();
  return registry;
}

hal_semaphore_list_t List(const Points& points) { return hal_semaphore_list(points.data(), points.size()); }

}  // namespace

NativeTraits AllTraits() {
  NativeTraits traits;
  traits.stream_writes = traits.memory_pools = traits.managed_memory = true;
  traits.total_memory = uint64_t{1} << 30;
  traits.compute_units = 100;
  traits.max_workgroup_count = traits.max_workgroup_size = {1024, 1024, 1024};
  traits.max_workgroup_volume = 1024;
  traits.max_local_memory = 1 << 16;
  traits.max_constants_size = 4096;
  traits.no_indirect_launches = nullptr;
  return traits;
}

MemoryDevice::MemoryDevice(const std::string& parameters, const NativeTraits& traits) {
  t_world = world;
  t_traits = traits;
  const std::string uri = "memory://?" + parameters;
  status = hal_registry_create_device(Registry(), hal_string_view(uri.c_str()), 0, nullptr, device.out());
  t_world.reset();
}

Ref<hal_semaphore_t> MakeSemaphore(const Ref<hal_device_t>& device) {
  Ref<hal_semaphore_t> semaphore;
  EXPECT_EQ(hal_semaphore_create(device.get(), nullptr, semaphore.out()), HAL_STATUS_OK) << hal_last_error_message();
  return semaphore;
}

Ref<hal_buffer_t> MakeBuffer(const Ref<hal_device_t>& device, uint64_t length, bool mappable) {
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_STAGING_INIT;
  if (!mappable) params = HAL_BUFFER_PARAMS_INIT;
  params.usage |= HAL_BUFFER_USAGE_STORAGE;
  Ref<hal_buffer_t> buffer;
  EXPECT_EQ(hal_allocator_allocate(hal_device_allocator(device.get()), &params, length, buffer.out()), HAL_STATUS_OK)
      << hal_last_error_message();
  return buffer;
}

hal_status_t Barrier(const Ref<hal_device_t>& device, const Points& waits, const Points& signals,
                     hal_queue_mask_t queues) {
  return hal_device_queue_barrier(device.get(), hal::SubmitParams(List(waits), List(signals), queues));
}

hal_status_t Fill(const Ref<hal_device_t>& device, const Points& waits, const Points& signals,
                  const Ref<hal_buffer_t>& buffer, uint32_t pattern, hal_queue_mask_t queues) {
  return hal_device_queue_fill(device.get(), hal::SubmitParams(List(waits), List(signals), queues),
                               hal_buffer_ref(buffer.get(), 0, HAL_WHOLE_SIZE), &pattern, sizeof(pattern));
}

hal_status_t Copy(const Ref<hal_device_t>& device, const Points& waits, const Points& signals,
                  const Ref<hal_buffer_t>& source, const Ref<hal_buffer_t>& target, hal_queue_mask_t queues) {
  return hal_device_queue_copy(device.get(), hal::SubmitParams(List(waits), List(signals), queues),
                               hal_buffer_ref(source.get(), 0, HAL_WHOLE_SIZE),
                               hal_buffer_ref(target.get(), 0, HAL_WHOLE_SIZE));
}

hal_status_t Wait(const Ref<hal_semaphore_t>& semaphore, uint64_t value) {
  return hal_semaphore_wait(semaphore.get(), value, kTenSeconds);
}

uint32_t First(const Ref<hal_buffer_t>& buffer) {
  uint32_t value = 0;
  EXPECT_EQ(hal_buffer_read(buffer.get(), 0, &value, sizeof(value)), HAL_STATUS_OK);
  return value;
}

bool BecomesEmpty(const MemoryWorld& world) {
  for (int i = 0; i < 5000 && (world.alive() != 0 || world.contexts_entered != 0); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return world.alive() == 0 && world.contexts_entered == 0;
}

}  // namespace halyard::stream
