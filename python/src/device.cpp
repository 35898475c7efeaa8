// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "arrays.h"
#include "buffer.h"
#include "commands.h"
#include "errors.h"
#include "executable.h"
#include "info/flag_words.h"
#include "profiling.h"
#include "stream.h"
#include "text.h"
#include "transfers.h"

namespace halyard::python {

namespace {

hal_device_properties_t PropertiesOf(hal_device_t* device) {
  hal_device_properties_t properties = HAL_INIT(hal_device_properties_t);
  Check(hal_device_query_properties(device, &properties));
  return properties;
}

nb::list Names(const hal_string_list_t& list) {
  nb::list names;
  for (size_t i = 0; i < list.count; ++i) names.append(View(list.names[i]));
  return names;
}

nb::dict PropertyDict(const hal_device_properties_t& properties) {
  nb::dict out;
  out["kind"] = tools::DeviceKindWord(properties.kind);
  out["vendor"] = View(properties.vendor);
  out["driver_name"] = View(properties.driver_name);
  out["driver_version"] = View(properties.driver_version);
  out["architecture"] = View(properties.architecture);
  out["features"] = Names(properties.features);
  out["formats"] = Names(properties.formats);
  out["compute_units"] = properties.compute_units;
  out["max_clock_khz"] = properties.max_clock_khz;
  out["min_subgroup_size"] = properties.min_subgroup_size;
  out["max_subgroup_size"] = properties.max_subgroup_size;
  out["l2_cache_size"] = properties.l2_cache_size;
  out["numa_node"] = properties.numa_node;
  out["uuid"] = properties.has_uuid ? nb::object(nb::bytes(properties.uuid, 16)) : nb::object(nb::none());
  return out;
}

nb::dict Properties(const Device& device) { return PropertyDict(PropertiesOf(device.get())); }

nb::dict LimitDict(const hal_device_limits_t& limits) {
  const auto sizes = [](hal_dim3_t value) { return nb::make_tuple(value.x, value.y, value.z); };
  nb::dict out;
  out["max_workgroup_count"] = sizes(limits.max_workgroup_count);
  out["max_workgroup_size"] = sizes(limits.max_workgroup_size);
  out["max_workgroup_volume"] = limits.max_workgroup_volume;
  out["max_local_memory"] = limits.max_local_memory;
  out["max_constants_size"] = limits.max_constants_size;
  out["max_bindings"] = limits.max_bindings;
  out["binding_alignment"] = limits.binding_alignment;
  out["max_binding_range"] = limits.max_binding_range;
  out["max_numbers_size"] = limits.max_numbers_size;
  out["max_semaphore_value"] = limits.max_semaphore_value;
  return out;
}

nb::dict Limits(const Device& device) { return LimitDict(*hal_device_info(device.get())->limits); }

nb::dict Statistics(const Device& device) {
  hal_allocator_statistics_t statistics = HAL_INIT(hal_allocator_statistics_t);
  Check(hal_allocator_query_statistics(hal_device_allocator(device.get()), &statistics));
  nb::dict out;
  out["bytes_in_use"] = statistics.bytes_in_use;
  out["bytes_peak"] = statistics.bytes_peak;
  out["allocation_count"] = statistics.allocation_count;
  return out;
}

std::shared_ptr<DeviceCore> Open(const std::string& uri, const nb::kwargs& parameters) {
  std::vector<std::string> texts;
  texts.reserve(parameters.size() * 2);
  std::vector<hal_key_value_t> pairs;
  for (auto [key, value] : parameters) {
    const std::string& name = texts.emplace_back(nb::cast<std::string>(key));
    const std::string& text = texts.emplace_back(nb::cast<std::string>(nb::str(value)));
    pairs.push_back({View(name), View(text)});
  }
  hal_device_t* device = nullptr;
  hal_status_t code = HAL_STATUS_OK;
  {
    const Unlocked unlocked;
    code = hal_registry_create_device(hal_registry_default(), View(uri), pairs.size(), pairs.data(), &device);
  }
  Check(code);
  return std::make_shared<DeviceCore>(DeviceRef(device));
}

std::vector<std::string> Drivers() {
  size_t count = 0;
  Check(hal_registry_list_drivers(hal_registry_default(), &count, nullptr));
  std::vector<hal_driver_info_t> drivers(count, HAL_INIT(hal_driver_info_t));
  Check(hal_registry_list_drivers(hal_registry_default(), &count, drivers.data()));
  std::vector<std::string> names;
  for (const hal_driver_info_t& driver : drivers) names.push_back(View(driver.name));
  return names;
}

using DriverRef = Ref<hal_driver_t, hal_driver_retain, hal_driver_release>;

hal_status_t OpenDriver(const std::string& name, DriverRef* out) {
  hal_driver_t* driver = nullptr;
  hal_status_t code = HAL_STATUS_OK;
  {
    const Unlocked unlocked;
    code = hal_registry_open_driver(hal_registry_default(), View(name), &driver);
  }
  *out = DriverRef(driver);
  return code;
}

/// What the device of a URI says without being opened.
nb::dict Describe(const std::string& uri) {
  const size_t end = uri.find("://");
  const std::string name = uri.substr(0, end), id = end == std::string::npos ? "" : uri.substr(end + 3);
  DriverRef driver;
  Check(OpenDriver(name, &driver));
  hal_device_properties_t properties = HAL_INIT(hal_device_properties_t);
  hal_device_limits_t limits = {};
  limits.struct_size = sizeof(limits);
  Check(hal_driver_query_device(driver.get(), View(id), &properties, &limits));
  nb::dict out;
  out["properties"] = PropertyDict(properties);
  out["limits"] = LimitDict(limits);
  return out;
}

/// (uri, name) of each device of a driver; nothing of a driver that cannot run here.
std::vector<std::pair<std::string, std::string>> DevicesOf(const std::string& name) {
  DriverRef kept;
  const hal_status_t code = OpenDriver(name, &kept);
  if (code == HAL_STATUS_UNAVAILABLE) return {};
  Check(code);
  hal_driver_t* const driver = kept.get();
  size_t count = 0;
  Check(hal_driver_list_devices(driver, &count, nullptr));
  std::vector<hal_device_summary_t> devices(count, HAL_INIT(hal_device_summary_t));
  Check(hal_driver_list_devices(driver, &count, devices.data()));
  std::vector<std::pair<std::string, std::string>> found;
  for (const hal_device_summary_t& device : devices)
    found.emplace_back(name + "://" + View(device.id), View(device.name));
  return found;
}

nb::list Devices() {
  nb::list all;
  for (const std::string& driver : Drivers()) {
    for (const auto& [uri, name] : DevicesOf(driver)) all.append(nb::make_tuple(uri, name));
  }
  return all;
}

Buffer Empty(const Device& device, nb::handle shape, nb::handle dtype, bool host) {
  const hal_element_type_t type = ParseType(dtype);
  const std::vector<int64_t> sizes = ParseShape(shape);
  return Buffer(Allocate(device.core(), ByteLength(type, sizes), host), 0, type, sizes);
}

Buffer Zeros(const Device& device, nb::handle shape, nb::handle dtype, bool host) {
  Buffer buffer = Empty(device, shape, dtype, host);
  if (buffer.length() == 0) return buffer;
  const Stream stream(device.core(), device.core()->stream());
  const unsigned char zero = 0;
  Note(stream, buffer, stream.core()->Submit([&](hal_device_t* native, const hal_submit_params_t* submit) {
    return hal_device_queue_fill(native, submit, buffer.ref(), &zero, 1);
  }));
  return buffer;
}

/// A copy of an array, which needs not be dense.
Buffer Array(const Device& device, nb::handle source, nb::handle dtype, bool host) {
  nb::object array = nb::borrow(source);
  if (!dtype.is_none() || !PyObject_CheckBuffer(source.ptr())) {
    const nb::object type = nb::module_::import_("halyard._arrays").attr("numpy_type");
    array = nb::module_::import_("numpy").attr("asarray")(
        source, dtype.is_none() ? nb::object(nb::none()) : type(TypeName(ParseType(dtype))));
  }
  Py_buffer view;
  if (PyObject_GetBuffer(array.ptr(), &view, PyBUF_FULL_RO) != 0) throw nb::python_error();
  const bool is_dense = PyBuffer_IsContiguous(&view, 'C');
  PyBuffer_Release(&view);
  if (!is_dense) array = nb::module_::import_("numpy").attr("ascontiguousarray")(array);
  const HostView dense(array, false);
  const hal_element_type_t type = ParseFormat(dense.view().format, dense.view().itemsize);
  const std::vector<int64_t> shape(dense.view().shape, dense.view().shape + dense.view().ndim);
  Buffer buffer(Allocate(device.core(), dense.length(), host), 0, type, shape);
  if (buffer.length() > 0) CopyFromHost(array, buffer);
  return buffer;
}

}  // namespace

DeviceCore::DeviceCore(DeviceRef device) : ref(std::move(device)) {
  const hal_device_kind_t kind = PropertiesOf(ref.get()).kind;
  shares_host_memory = kind != HAL_DEVICE_KIND_DISCRETE;
  const hal_device_info_t& info = *hal_device_info(ref.get());
  works_in_submission = View(info.driver) == "local" && View(info.id) == "sync";
}

DeviceCore::~DeviceCore() = default;

const std::shared_ptr<StreamCore>& DeviceCore::stream() {
  if (!stream_) stream_ = std::make_shared<StreamCore>(ref, HAL_QUEUE_ANY, works_in_submission);
  return stream_;
}

void BindDevice(nb::module_& module) {
  module.def("drivers", Drivers, "The names of all drivers, whether or not they can run here.");
  module.def("devices", Devices, nb::sig("def devices() -> list[tuple[str, str]]"),
             "(uri, name) of every device that can be opened here.");
  module.def("describe", Describe, nb::arg("uri"),
             nb::sig("def describe(uri: str) -> dict[str, dict[str, typing.Any]]"),
             "The properties and limits of a device that is not opened for it. `uri` has no parameters.");
  module.def(
      "load_plugin",
      [](const std::string& path) { Check(hal_registry_load_plugin(hal_registry_default(), View(path))); },
      nb::arg("path"), "Loads a driver from a shared library.");
  module.def("version", [] {
    const uint32_t version = hal_version();
    return std::to_string(version >> 16) + "." + std::to_string((version >> 8) & 0xFF) + "." +
           std::to_string(version & 0xFF);
  });

  nb::class_<Device>(module, "Device", nb::is_weak_referenceable(), "One device.")
      .def(
          "__init__",
          [](Device* self, const std::string& uri, const nb::kwargs& parameters) {
            new (self) Device(Open(uri, parameters));
          },
          nb::arg("uri") = "local", nb::arg("parameters"),
          nb::sig("def __init__(self, uri: str = 'local', **parameters: object) -> None"),
          "Opens a device by its URI: 'local', 'local://sync', 'cuda://0'. Parameters add to those of the URI.")
      .def_prop_ro("driver", [](const Device& self) { return View(hal_device_info(self.get())->driver); })
      .def_prop_ro("id", [](const Device& self) { return View(hal_device_info(self.get())->id); })
      .def_prop_ro("name", [](const Device& self) { return View(hal_device_info(self.get())->name); })
      .def_prop_ro("ordinal", [](const Device& self) { return hal_device_info(self.get())->ordinal; })
      .def_prop_ro("queue_count", [](const Device& self) { return hal_device_info(self.get())->queue_count; })
      .def_prop_ro("uri",
                   [](const Device& self) {
                     const hal_device_info_t& info = *hal_device_info(self.get());
                     return View(info.driver) + "://" + View(info.id);
                   })
      .def_prop_ro("limits", Limits, nb::sig("def limits(self) -> dict[str, typing.Any]"))
      .def_prop_ro("properties", Properties, nb::sig("def properties(self) -> dict[str, typing.Any]"))
      .def_prop_ro("statistics", Statistics, nb::sig("def statistics(self) -> dict[str, int]"),
                   "What its memory is used for, in bytes.")
      .def_prop_ro(
          "stream", [](const Device& self) { return Stream(self.core(), self.core()->stream()); },
          "The stream of all that names none.")
      .def_prop_ro(
          "handle", [](const Device& self) { return reinterpret_cast<uintptr_t>(self.get()); },
          "The hal_device_t* as a number, for ctypes. It lives as long as this object.")
      .def("empty", Empty, nb::arg("shape"), nb::arg("dtype").none() = "float32", nb::kw_only(),
           nb::arg("host") = false,
           nb::sig("def empty(self, shape: int | tuple[int, ...], dtype: object = 'float32', *, host: bool = False) -> "
                   "Buffer"),
           "Memory with undefined contents. With `host` it is memory that the host reaches, on every device.")
      .def("zeros", Zeros, nb::arg("shape"), nb::arg("dtype").none() = "float32", nb::kw_only(),
           nb::arg("host") = false,
           nb::sig("def zeros(self, shape: int | tuple[int, ...], dtype: object = 'float32', *, host: bool = False) -> "
                   "Buffer"))
      .def("array", Array, nb::arg("source"), nb::arg("dtype").none() = nb::none(), nb::kw_only(),
           nb::arg("host") = false,
           nb::sig("def array(self, source: object, dtype: object = None, *, host: bool = False) -> Buffer"),
           "A copy of an array, or of anything that NumPy makes an array of.")
      .def(
          "adopt",
          [](const Device& self, nb::handle array) { return Adopt(self.core(), array, *self.core()->stream()); },
          nb::arg("array").none(), nb::sig("def adopt(self, array: object) -> Buffer"),
          "A buffer in the memory of an array of another library, without a copy. The array is kept as long as the "
          "memory is used. The array has to be dense.")
      .def(
          "load",
          [](const Device& self, nb::handle source, const std::string& format, nb::object functions,
             nb::object specialization, nb::object imports, nb::object options, nb::object headers, bool unvalidated) {
            return Load(self, source,
                        {format, std::move(functions), std::move(specialization), std::move(imports),
                         std::move(options), std::move(headers), unvalidated});
          },
          nb::arg("source").none(), nb::kw_only(), nb::arg("format") = "", nb::arg("functions").none() = nb::none(),
          nb::arg("specialization").none() = nb::none(), nb::arg("imports").none() = nb::none(),
          nb::arg("options").none() = nb::none(), nb::arg("headers").none() = nb::none(),
          nb::arg("unvalidated") = false,
          nb::sig("def load(self, source: object, *, format: str = '', functions: dict[str, "
                  "collections.abc.Sequence[str]] | "
                  "None = None, specialization: dict[int, int | float] | None = None, imports: dict[str, object] | "
                  "None = None, options: collections.abc.Iterable[str] | None = None, headers: dict[str, str] | None = "
                  "None, unvalidated: bool = False) -> "
                  "Executable"),
          "Loads kernels from a path or from bytes: an executable file (.halx), or an image in a `format` such as "
          "'ptx'. Objects and shared objects of the host need no format. Functions of the process are given as a "
          "dictionary of addresses, as numbers or functions of ctypes. `functions` describes plain C functions: "
          "{'add': ['f32*', 'const f32*', 'i64']}. `imports` are what an object calls of the caller's, by name. A "
          "source "
          "('cuda-source', 'hip-source') is compiled with `options`, and may include `headers`.")
      .def(
          "semaphore", [](const Device& self, uint64_t value) { return Semaphore(MakeTimeline(self.get(), value)); },
          nb::arg("value") = 0)
      .def(
          "commands",
          [](const Device& self, uint32_t slots, uint32_t numbers, bool ordered, bool one_shot) {
            return Commands(std::make_shared<CommandsCore>(self.core(), slots, numbers, ordered, one_shot));
          },
          nb::arg("slots") = 0, nb::kw_only(), nb::arg("numbers") = 0, nb::arg("ordered") = true,
          nb::arg("one_shot") = false, "Commands to record: see Commands.")
      .def(
          "profile", [](const Device& self, nb::handle path) { return std::make_unique<Profile>(self.core(), path); },
          nb::arg("path").none() = nb::none(), nb::sig("def profile(self, path: object = None) -> Profile"),
          "A profiling session for a `with`. At its end a trace for Perfetto is written to `path`.")
      .def(
          "wait",
          [](const Device& self, nb::handle timeout) {
            hal_device_t* const device = self.get();
            WaitInSlices(timeout, [&](uint64_t slice) { return hal_device_drain(device, slice); });
          },
          nb::arg("timeout").none() = nb::none(), nb::sig("def wait(self, timeout: float | None = None) -> None"),
          "Waits until all that was submitted to the device is over, callbacks included. Failures of work are raised "
          "by "
          "its stream, not here.")
      .def(
          "check_health", [](const Device& self) { Check(hal_device_query_health(self.get())); },
          "Raises DeviceLost if the device does not work any more.")
      .def(
          "trim", [](const Device& self) { Check(hal_allocator_trim(hal_device_allocator(self.get()))); },
          "Frees memory that is kept for reuse.")
      .def(
          "__eq__",
          [](const Device& self, nb::handle other) {
            return nb::isinstance<Device>(other) && Instance<Device>(other).core() == self.core();
          },
          nb::arg("other").none())
      .def("__hash__", [](const Device& self) { return reinterpret_cast<uintptr_t>(self.core().get()) >> 4; })
      .def("__repr__", [](const Device& self) {
        const hal_device_info_t& info = *hal_device_info(self.get());
        return "<halyard.Device " + View(info.driver) + "://" + View(info.id) + " (" + View(info.name) + ")>";
      });
}

}  // namespace halyard::python
