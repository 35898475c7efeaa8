// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "arrays.h"

#include <nanobind/stl/string.h>

#include "dlpack.h"
#include "errors.h"
#include "stream_interop.h"
#include "transfers.h"

namespace halyard::python {

namespace {

std::vector<int64_t> ShapeOf(const Py_buffer& view) {
  return view.ndim == 0 ? std::vector<int64_t>() : std::vector<int64_t>(view.shape, view.shape + view.ndim);
}

Buffer AdoptView(const std::shared_ptr<DeviceCore>& device, nb::handle array) {
  const HostView view(array, false);
  const hal_element_type_t type = ParseFormat(view.view().format, view.view().itemsize);
  hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
  memory.type = HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER;
  memory.flags = view.view().readonly ? HAL_EXTERNAL_MEMORY_READ_ONLY : 0;
  memory.handle = reinterpret_cast<uintptr_t>(view.data());
  memory.length = view.length();
  return Buffer(Import(device, memory, view.Keeper()), 0, type, ShapeOf(view.view()));
}

/// Checks that the strides of an array interface, in bytes, are those of dense rows.
void CheckDense(nb::handle strides, hal_element_type_t type, const std::vector<int64_t>& shape) {
  if (strides.is_none()) return;
  auto stride = static_cast<int64_t>(TypeSize(type));
  for (const int64_t size : shape) {
    if (size == 0) return;
  }
  for (size_t i = shape.size(); i-- > 0;) {
    if (shape[i] != 1 && nb::cast<int64_t>(strides[i]) != stride) {
      throw nb::value_error(
          "the array is not dense and row-major (its strides have gaps, another order, or are negative); make a copy "
          "that is");
    }
    stride *= shape[i];
  }
}

/// Takes a dictionary of `__array_interface__` or `__cuda_array_interface__`.
Buffer AdoptInterface(const std::shared_ptr<DeviceCore>& device, nb::handle array, const nb::dict& interface,
                      bool is_cuda, StreamCore& stream) {
  const auto get = [&](const char* key) {
    return interface.contains(key) ? nb::object(interface[key]) : nb::object(nb::none());
  };
  const std::vector<int64_t> shape = ParseShape(get("shape"));
  const hal_element_type_t type = ParseArrayType(nb::cast<std::string>(get("typestr")));
  CheckDense(get("strides"), type, shape);
  const nb::object data = get("data");
  if (!nb::isinstance<nb::tuple>(data)) throw nb::type_error("the array's interface gives no address ('data')");
  hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
  memory.type = is_cuda ? HAL_EXTERNAL_MEMORY_TYPE_DEVICE_POINTER : HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER;
  memory.flags = PyObject_IsTrue(nb::object(data[1]).ptr()) == 1 ? HAL_EXTERNAL_MEMORY_READ_ONLY : 0;
  memory.handle = nb::cast<uint64_t>(data[0]);
  memory.length = ByteLength(type, shape);
  Buffer buffer(Import(device, memory, nb::borrow(array)), 0, type, shape);
  // Version 3 says which stream the array's work is in; without one there is nothing to wait for.
  const nb::object native = get("stream");
  if (is_cuda && !native.is_none()) WaitForNative(device, nb::cast<uintptr_t>(native), stream);
  return buffer;
}

nb::object DescribeInterface(const Buffer& buffer, uint64_t address) {
  const ElementName* const name = FindElementName(buffer.type());
  const std::string format = buffer.type() == HAL_ELEMENT_TYPE_NONE ? "u1"
                             : name && name->array_type             ? name->array_type
                                                                    : "";
  if (format.empty()) {
    PyErr_Format(PyExc_AttributeError, "array interfaces have no name for elements of %s; DLPack has",
                 TypeName(buffer.type()).c_str());
    throw nb::python_error();
  }
  nb::dict interface;
  interface["shape"] = ToTuple(buffer.shape());
  interface["typestr"] = (TypeSize(buffer.type()) == 1 ? "|" : "<") + format;
  interface["data"] = nb::make_tuple(address, buffer.memory()->is_read_only());
  interface["strides"] = nb::none();
  interface["version"] = 3;
  return interface;
}

[[noreturn]] void NoAttribute(const char* text) {
  PyErr_SetString(PyExc_AttributeError, text);
  throw nb::python_error();
}

nb::object ArrayInterface(const Buffer& buffer) {
  if (!buffer.memory()->is_host_visible()) NoAttribute("the host does not reach this memory of the device");
  buffer.memory()->Wait(nb::none());
  return DescribeInterface(buffer, reinterpret_cast<uintptr_t>(buffer.Map()));
}

nb::object CudaArrayInterface(const Buffer& buffer) {
  const std::shared_ptr<Memory>& memory = buffer.memory();
  if (!FindStreamInterop(memory->device()->ref.get()) || !memory->is_device_local()) {
    NoAttribute("this is not memory of a CUDA or HIP device");
  }
  hal_external_memory_t exported = HAL_INIT(hal_external_memory_t);
  Check(hal_buffer_export(memory->buffer(), HAL_EXTERNAL_MEMORY_TYPE_DEVICE_POINTER, &exported));
  memory->Wait(nb::none());
  const nb::object interface = DescribeInterface(buffer, exported.handle + buffer.offset());
  interface[nb::str("stream")] = nb::none();
  return interface;
}

}  // namespace

std::shared_ptr<Memory> Import(const std::shared_ptr<DeviceCore>& device, const hal_external_memory_t& memory,
                               nb::object owner) {
  PyObject* const kept = owner.release().ptr();
  const auto release = [](void* user_data) { DropLater(static_cast<PyObject*>(user_data)); };
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  params.memory_type = HAL_MEMORY_TYPE_NONE;
  hal_buffer_t* buffer = nullptr;
  hal_status_t code = HAL_STATUS_INTERNAL;
  for (hal_buffer_usage_t usage : kImportUsages) {
    if (memory.flags & HAL_EXTERNAL_MEMORY_READ_ONLY) usage &= ~HAL_BUFFER_USAGE_TRANSFER_TARGET;
    params.usage = usage;
    code = hal_allocator_import(hal_device_allocator(device->ref.get()), &params, &memory, release, kept, &buffer);
    if (code != HAL_STATUS_INCOMPATIBLE) break;
  }
  if (code != HAL_STATUS_OK) Py_DECREF(kept);
  Check(code);
  return std::make_shared<Memory>(device, BufferRef(buffer));
}

Buffer Adopt(const std::shared_ptr<DeviceCore>& device, nb::handle array, StreamCore& stream) {
  DropNow();
  if (PyObject_CheckBuffer(array.ptr())) return AdoptView(device, array);
  if (nb::hasattr(array, "__dlpack__")) return AdoptDlpack(device, array, stream);
  if (nb::hasattr(array, "__cuda_array_interface__")) {
    return AdoptInterface(device, array, nb::dict(array.attr("__cuda_array_interface__")), true, stream);
  }
  if (nb::hasattr(array, "__array_interface__")) {
    return AdoptInterface(device, array, nb::dict(array.attr("__array_interface__")), false, stream);
  }
  PyErr_Format(PyExc_TypeError,
               "%S is no array: it has neither the buffer protocol, nor __dlpack__, __cuda_array_interface__ or "
               "__array_interface__",
               reinterpret_cast<PyObject*>(Py_TYPE(array.ptr())));
  throw nb::python_error();
}

void BindArrayInterfaces(nb::class_<Buffer>& type) {
  type.def_prop_ro("__array_interface__", ArrayInterface,
                   nb::sig("def __array_interface__(self) -> dict[str, typing.Any]"))
      .def_prop_ro("__cuda_array_interface__", CudaArrayInterface,
                   nb::sig("def __cuda_array_interface__(self) -> dict[str, typing.Any]"));
}

}  // namespace halyard::python
