// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Registries, drivers, devices and traces in C++.
#ifndef HALYARD_CPP_DEVICE_HPP_
#define HALYARD_CPP_DEVICE_HPP_

#include <span>
#include <string_view>
#include <vector>

#include "halyard/cpp/macros_begin.hpp"
#include "halyard/cpp/queue.hpp"
#include "halyard/device.h"
#include "halyard/device_properties.h"
#include "halyard/executor.h"
#include "halyard/profiling.h"
#include "halyard/registry.h"

HAL_CPP_BEGIN

/// One device.
class Device : public Handle<hal_device_t, hal_device_retain, hal_device_release> {
 public:
  using Handle::Handle;
  /// Through the default registry.
  static Returned<Device> Open(std::string_view uri) {
    return detail::Make<Device>([&](auto** out) { return hal_device_create(View(uri), out); });
  }
  static Returned<Device> OpenOnExecutor(std::string_view uri, const hal_executor_t& executor) {
    return detail::Make<Device>([&](auto** out) { return hal_device_create_on_executor(View(uri), &executor, out); });
  }
  Device Share() const { return Device(Retained()); }

  const hal_device_info_t& info() const { return *hal_device_info(get()); }
  /// Its memory, with a reference of the caller's own.
  Allocator allocator() const {
    hal_allocator_t* const allocator = hal_device_allocator(get());
    hal_allocator_retain(allocator);
    return Allocator(allocator);
  }
  /// Those of its queues, for operations.
  Queue queues(hal_queue_mask_t queues = HAL_QUEUE_ANY) const { return Queue(get(), queues); }

  Done QueryFormat(std::string_view format) const {
    return detail::Finish(hal_device_query_format(get(), View(format)));
  }
  Done QueryHealth() const { return detail::Finish(hal_device_query_health(get())); }
  /// Blocks until all that was submitted before is over, callbacks and releases included: see hal_device_drain().
  Done Drain() const { return detail::Finish(hal_device_drain(get(), HAL_TIMEOUT_INFINITE)); }
  /// Whether all of it was over in time.
  template <class Rep, class Period>
  Returned<bool> DrainFor(std::chrono::duration<Rep, Period> timeout) const {
    return detail::InTime(hal_device_drain(get(), detail::Timeout(timeout)));
  }
  /// A table of functions that the header of the extension declares.
  template <class Table>
  Returned<const Table*> QueryInterface(std::string_view name, uint32_t version) const {
    const void* table = nullptr;
    const hal_status_t code = hal_device_query_interface(get(), View(name), version, &table);
    return detail::Finish(code, static_cast<const Table*>(table));
  }
  Returned<hal_device_properties_t> Properties() const {
    hal_device_properties_t properties = HAL_INIT(hal_device_properties_t);
    const hal_status_t code = hal_device_query_properties(get(), &properties);
    return detail::Finish(code, std::move(properties));
  }
  Returned<hal_peer_properties_t> Peer(hal_device_t* other) const {
    hal_peer_properties_t properties = HAL_INIT(hal_peer_properties_t);
    const hal_status_t code = hal_device_query_peer(get(), other, &properties);
    return detail::Finish(code, std::move(properties));
  }
  Done BeginProfiling(hal_profiling_flags_t flags, const hal_profiling_sink_t& sink) const {
    return detail::Finish(hal_device_profiling_begin(get(), flags, &sink));
  }
  Done EndProfiling() const { return detail::Finish(hal_device_profiling_end(get())); }
};

/// One backend that could be loaded.
class Driver : public Handle<hal_driver_t, hal_driver_retain, hal_driver_release> {
 public:
  using Handle::Handle;
  Driver Share() const { return Driver(Retained()); }

  /// Strings live as long as the driver.
  Returned<std::vector<hal_device_summary_t>> Devices() const {
    std::vector<hal_device_summary_t> devices;
    const hal_device_summary_t blank = HAL_INIT(hal_device_summary_t);
    const auto query = [&](size_t* count, hal_device_summary_t* out) {
      return hal_driver_list_devices(get(), count, out);
    };
    const hal_status_t code = detail::ReadList(blank, query, &devices);
    return detail::Finish(code, std::move(devices));
  }
  /// What a device is made of, without opening it; without extensions. What it points to lives as long as the driver.
  Returned<hal_device_properties_t> DeviceProperties(std::string_view id = {}) const {
    hal_device_properties_t properties = HAL_INIT(hal_device_properties_t);
    const hal_status_t code = hal_driver_query_device(get(), View(id), &properties, nullptr);
    return detail::Finish(code, std::move(properties));
  }
  /// What a device can do, without opening it.
  Returned<hal_device_limits_t> DeviceLimits(std::string_view id = {}) const {
    hal_device_limits_t limits = HAL_INIT(hal_device_limits_t);
    const hal_status_t code = hal_driver_query_device(get(), View(id), nullptr, &limits);
    return detail::Finish(code, std::move(limits));
  }
  Returned<Device> OpenDevice(std::string_view id = {}, std::span<const hal_key_value_t> pairs = {}) const {
    return detail::Make<Device>(
        [&](auto** out) { return hal_driver_create_device(get(), View(id), pairs.size(), pairs.data(), out); });
  }
  /// `release()` is called once, when the driver no longer uses what the device was made of.
  template <std::invocable Function>
  Returned<Device> WrapDevice(std::string_view name, const void* native, Function release,
                              std::span<const hal_key_value_t> pairs = {}) const {
    detail::Once<Function> once(std::move(release));
    Device device;
    const hal_status_t code = hal_driver_wrap_device(get(), View(name), native, pairs.size(), pairs.data(),
                                                     detail::CallOnce<Function>, once.get(), device.out());
    once.Handed(code);
    return detail::Finish(code, std::move(device));
  }
};

/// Knows drivers.
class Registry : public Handle<hal_registry_t, hal_registry_retain, hal_registry_release> {
 public:
  using Handle::Handle;
  static Returned<Registry> Create() {
    return detail::Make<Registry>([](auto** out) { return hal_registry_create(out); });
  }
  /// That of the process, with a reference of the caller's own.
  static Registry Default() {
    hal_registry_t* const registry = hal_registry_default();
    hal_registry_retain(registry);
    return Registry(registry);
  }
  Registry Share() const { return Registry(Retained()); }

  Done LoadPlugin(std::string_view path) const { return detail::Finish(hal_registry_load_plugin(get(), View(path))); }
  /// Strings live as long as the registry.
  Returned<std::vector<hal_driver_info_t>> Drivers() const {
    std::vector<hal_driver_info_t> drivers;
    const hal_driver_info_t blank = HAL_INIT(hal_driver_info_t);
    const auto query = [&](size_t* count, hal_driver_info_t* out) {
      return hal_registry_list_drivers(get(), count, out);
    };
    const hal_status_t code = detail::ReadList(blank, query, &drivers);
    return detail::Finish(code, std::move(drivers));
  }
  Returned<Driver> OpenDriver(std::string_view name) const {
    return detail::Make<Driver>([&](auto** out) { return hal_registry_open_driver(get(), View(name), out); });
  }
  Returned<Device> OpenDevice(std::string_view uri, std::span<const hal_key_value_t> pairs = {}) const {
    return detail::Make<Device>(
        [&](auto** out) { return hal_registry_create_device(get(), View(uri), pairs.size(), pairs.data(), out); });
  }
};

/// Collects profiling records and writes them as a trace.
class TraceWriter {
 public:
  using Native = hal_trace_writer_t;

  TraceWriter() = default;
  explicit TraceWriter(hal_trace_writer_t* writer) : writer_(writer) {}
  static Returned<TraceWriter> Create() {
    return detail::Make<TraceWriter>([](auto** out) { return hal_trace_writer_create(out); });
  }

  hal_trace_writer_t* get() const { return writer_.get(); }
  /// For Device::BeginProfiling(); the writer must outlive the profiling.
  hal_profiling_sink_t sink() const { return hal_trace_writer_sink(get()); }
  Done Write(std::string_view path) const { return detail::Finish(hal_trace_writer_write(get(), View(path))); }

 private:
  struct Destroyer {
    void operator()(hal_trace_writer_t* writer) const { hal_trace_writer_destroy(writer); }
  };
  std::unique_ptr<hal_trace_writer_t, Destroyer> writer_;
};

HAL_CPP_END

#include "halyard/cpp/macros_end.hpp"

#endif  // HALYARD_CPP_DEVICE_HPP_
