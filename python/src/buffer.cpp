// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "buffer.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <cmath>
#include <cstring>

#include "arrays.h"
#include "dlpack.h"
#include "errors.h"
#include "numbers.h"
#include "transfers.h"

namespace halyard::python {

PyTypeObject* g_buffer_class = nullptr;

Buffer::Buffer(std::shared_ptr<Memory> memory, uint64_t offset, hal_element_type_t type, std::vector<int64_t> shape)
    : memory_(std::move(memory)),
      offset_(offset),
      length_(ByteLength(type, shape)),
      type_(type),
      shape_(std::move(shape)) {
  if (offset_ > memory_->length() || length_ > memory_->length() - offset_) {
    throw Failure(HAL_STATUS_OUT_OF_RANGE, "a buffer of " + std::to_string(length_) + " bytes at byte " +
                                               std::to_string(offset_) + " does not lie within the " +
                                               std::to_string(memory_->length()) + " bytes of the memory");
  }
}

std::string Buffer::Describe() const {
  std::string text = TypeName(type_) + "[";
  for (size_t i = 0; i < shape_.size(); ++i) text += (i ? ", " : "") + std::to_string(shape_[i]);
  return text + "]";
}

std::vector<int64_t> ParseShape(nb::handle shape) {
  std::vector<int64_t> sizes;
  const auto put = [&](nb::handle size) {
    sizes.push_back(PyNumber_AsSsize_t(size.ptr(), PyExc_OverflowError));
    if (PyErr_Occurred()) throw nb::python_error();
  };
  if (PyIndex_Check(shape.ptr())) {
    put(shape);
  } else {
    for (nb::handle size : nb::iter(shape)) put(size);
  }
  for (const int64_t size : sizes) {
    if (size < 0) throw nb::value_error(("a size of a shape is 0 or more, not " + std::to_string(size)).c_str());
  }
  return sizes;
}

uint64_t ByteLength(hal_element_type_t type, const std::vector<int64_t>& shape) {
  uint64_t length = TypeSize(type);
  for (const int64_t size : shape) {
    if (__builtin_mul_overflow(length, static_cast<uint64_t>(size), &length) || length > INT64_MAX) {
      throw Failure(HAL_STATUS_RESOURCE_EXHAUSTED, "a buffer of that shape has more bytes than a machine can have");
    }
  }
  return length;
}

nb::tuple ToTuple(const std::vector<int64_t>& numbers) {
  nb::list list;
  for (const int64_t number : numbers) list.append(number);
  return nb::tuple(list);
}

const Buffer& TakeBuffer(nb::handle object, const char* what) {
  if (nb::isinstance<Buffer>(object)) return Instance<Buffer>(object);
  PyErr_Format(PyExc_TypeError, "%s takes a halyard.Buffer, not %S; Device.adopt() makes one of an array", what,
               reinterpret_cast<PyObject*>(Py_TYPE(object.ptr())));
  throw nb::python_error();
}

Pattern MakePattern(const Buffer& target, nb::handle value) {
  const hal_element_type_t type = target.type() == HAL_ELEMENT_TYPE_NONE ? HAL_ELEMENT_TYPE_UI8 : target.type();
  Pattern pattern = {};
  pattern.size = TypeSize(type);
  if (pattern.size > sizeof(pattern.bytes)) throw nb::type_error("no fill has elements of that size");
  PutNumber(value, type, pattern.size, "value", pattern.bytes);
  if (pattern.size <= 4) return pattern;
  // Devices fill with 4 bytes at most.
  for (size_t i = 4; i < pattern.size; ++i) {
    if (pattern.bytes[i] != pattern.bytes[i - 4]) {
      throw Failure(HAL_STATUS_UNIMPLEMENTED,
                    "a fill has patterns of 4 bytes at most; of wider elements it takes those "
                    "that repeat 4 bytes, such as 0. Upload an array instead");
    }
  }
  pattern.size = 4;
  return pattern;
}

namespace {

/// What a view of the buffer protocol points to.
struct Dimensions {
  std::vector<Py_ssize_t> shape;
  std::vector<Py_ssize_t> strides;
};

void FillView(PyObject* self, Py_buffer* view, int flags) {
  const Buffer& buffer = Instance<Buffer>(self);
  if (!buffer.memory()->is_host_visible()) {
    throw nb::buffer_error("the host does not reach this memory of the device; numpy() makes a copy");
  }
  if ((flags & PyBUF_WRITABLE) && buffer.memory()->is_read_only()) {
    throw nb::buffer_error("this memory may only be read");
  }
  if ((flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS && buffer.shape().size() > 1) {
    throw nb::buffer_error("a buffer is row-major");
  }
  const ElementName* const name = FindElementName(buffer.type());
  const char* const format = buffer.type() == HAL_ELEMENT_TYPE_NONE ? "B" : name ? name->format : nullptr;
  if ((flags & PyBUF_FORMAT) && !format) {
    throw nb::buffer_error(
        ("the buffer protocol has no name for elements of " + TypeName(buffer.type()) + "; DLPack has").c_str());
  }
  buffer.memory()->Wait(nb::none());
  auto dimensions = std::make_unique<Dimensions>();
  dimensions->shape.assign(buffer.shape().begin(), buffer.shape().end());
  dimensions->strides.resize(dimensions->shape.size());
  Py_ssize_t stride = static_cast<Py_ssize_t>(TypeSize(buffer.type()));
  view->itemsize = stride;
  for (size_t i = dimensions->shape.size(); i-- > 0;) {
    dimensions->strides[i] = stride;
    stride *= dimensions->shape[i];
  }
  view->buf = buffer.Map();
  view->len = static_cast<Py_ssize_t>(buffer.length());
  view->readonly = buffer.memory()->is_read_only();
  view->format = flags & PyBUF_FORMAT ? const_cast<char*>(format) : nullptr;
  view->ndim = static_cast<int>(dimensions->shape.size());
  view->shape = (flags & PyBUF_ND) == PyBUF_ND ? dimensions->shape.data() : nullptr;
  view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? dimensions->strides.data() : nullptr;
  view->suboffsets = nullptr;
  view->internal = dimensions.release();
  Py_INCREF(self);
  view->obj = self;
}

int GetBuffer(PyObject* self, Py_buffer* view, int flags) {
  view->obj = nullptr;
  try {
    FillView(self, view, flags);
    return 0;
  } catch (...) {
    SetError();
    return -1;
  }
}

void ReleaseBuffer(PyObject*, Py_buffer* view) { delete static_cast<Dimensions*>(view->internal); }

/// A part along the first dimension: of one index that dimension goes.
Buffer Part(const Buffer& buffer, nb::handle key) {
  if (buffer.shape().empty()) throw nb::index_error("a buffer without dimensions has no parts");
  std::vector<int64_t> shape = buffer.shape();
  const int64_t size = shape[0];
  const std::vector<int64_t> row(shape.begin() + 1, shape.end());
  const uint64_t row_length = ByteLength(buffer.type(), row);
  if (PySlice_Check(key.ptr())) {
    Py_ssize_t begin = 0, end = 0, step = 1;
    if (PySlice_Unpack(key.ptr(), &begin, &end, &step) != 0) throw nb::python_error();
    if (step != 1) throw nb::value_error("a part of a buffer has the step 1: buffers are dense");
    shape[0] = PySlice_AdjustIndices(static_cast<Py_ssize_t>(size), &begin, &end, step);
    return Buffer(buffer.memory(), buffer.offset() + static_cast<uint64_t>(begin) * row_length, buffer.type(), shape);
  }
  const Py_ssize_t given = PyNumber_AsSsize_t(key.ptr(), PyExc_IndexError);
  if (PyErr_Occurred()) throw nb::python_error();
  const Py_ssize_t index = given < 0 ? given + static_cast<Py_ssize_t>(size) : given;
  if (index < 0 || index >= size) {
    throw nb::index_error(("there is no element " + std::to_string(given) + " of " + std::to_string(size)).c_str());
  }
  return Buffer(buffer.memory(), buffer.offset() + static_cast<uint64_t>(index) * row_length, buffer.type(), row);
}

/// The same bytes with another type and shape. A shape of None is that of the bytes, in its last dimension.
Buffer Reinterpret(const Buffer& buffer, nb::handle dtype, nb::handle shape) {
  const hal_element_type_t type = dtype.is_none() ? buffer.type() : ParseType(dtype);
  std::vector<int64_t> sizes;
  if (!shape.is_none()) {
    sizes = ParseShape(shape);
  } else if (buffer.length() % TypeSize(type) != 0) {
    throw nb::value_error(
        ("the " + std::to_string(buffer.length()) + " bytes are no whole number of elements of " + TypeName(type))
            .c_str());
  } else {
    sizes = {static_cast<int64_t>(buffer.length() / TypeSize(type))};
  }
  Buffer view(buffer.memory(), buffer.offset(), type, sizes);
  if (view.length() != buffer.length()) {
    throw nb::value_error(("a buffer of " + view.Describe() + " has " + std::to_string(view.length()) +
                           " bytes, and this one has " + std::to_string(buffer.length()))
                              .c_str());
  }
  return view;
}

/// The buffer as an array of NumPy: the same memory if the host reaches it, else a copy.
nb::object ToNumpy(nb::handle self, bool copy) {
  const Buffer& buffer = Instance<Buffer>(self);
  const nb::module_ numpy = nb::module_::import_("numpy");
  const nb::module_ arrays = nb::module_::import_("halyard._arrays");
  const nb::object dtype = arrays.attr("numpy_type")(TypeName(buffer.type()));
  if (!copy && buffer.memory()->is_host_visible()) {
    const nb::object flat = numpy.attr("frombuffer")(Reinterpret(buffer, nb::str("uint8"), nb::none()), "uint8");
    return flat.attr("view")(dtype).attr("reshape")(ToTuple(buffer.shape()));
  }
  const nb::object array = numpy.attr("empty")(ToTuple(buffer.shape()), dtype);
  if (buffer.length() > 0) CopyToHost(buffer, array.attr("reshape")(-1).attr("view")("uint8"));
  return array;
}

}  // namespace

void BindBuffer(nb::module_& module) {
  static PyType_Slot slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(GetBuffer)},
                                {Py_bf_releasebuffer, reinterpret_cast<void*>(ReleaseBuffer)},
                                {0, nullptr}};
  nb::class_<Buffer> type(module, "Buffer", nb::type_slots(slots), nb::is_weak_referenceable(), nb::is_final(),
                          "Memory of a device with element type and shape, dense and row-major. Made by Device.empty() "
                          "and its siblings. Parts and views share the memory.");
  g_buffer_class = reinterpret_cast<PyTypeObject*>(type.ptr());
  type.def_prop_ro("device", [](const Buffer& self) { return Device(self.memory()->device()); })
      .def_prop_ro(
          "shape", [](const Buffer& self) { return ToTuple(self.shape()); },
          nb::sig("def shape(self) -> tuple[int, ...]"))
      .def_prop_ro("ndim", [](const Buffer& self) { return self.shape().size(); })
      .def_prop_ro(
          "dtype", [](const Buffer& self) { return TypeName(self.type()); },
          "The element type as NumPy calls it, such as 'float32'; 'bytes' if there is none.")
      .def_prop_ro("nbytes", &Buffer::length)
      .def_prop_ro("offset", &Buffer::offset, "Where it begins in its memory, in bytes.")
      .def_prop_ro("readonly", [](const Buffer& self) { return self.memory()->is_read_only(); })
      .def_prop_ro(
          "host_visible", [](const Buffer& self) { return self.memory()->is_host_visible(); },
          "Whether the host reaches the memory, so that numpy() makes no copy.")
      .def_prop_ro(
          "handle", [](const Buffer& self) { return reinterpret_cast<uintptr_t>(self.memory()->buffer()); },
          "The hal_buffer_t* of the memory as a number, for ctypes. It lives as long as the buffer.")
      .def("__len__",
           [](const Buffer& self) {
             if (self.shape().empty()) throw nb::type_error("a buffer without dimensions has no length");
             return self.shape()[0];
           })
      .def("__getitem__", Part, nb::arg("key"), nb::sig("def __getitem__(self, key: int | slice) -> Buffer"))
      .def("view", Reinterpret, nb::arg("dtype").none() = nb::none(), nb::arg("shape").none() = nb::none(),
           nb::sig("def view(self, dtype: object = None, shape: int | tuple[int, ...] | None = None) -> Buffer"),
           "The same bytes with another type or shape.")
      .def(
          "wait", [](const Buffer& self, nb::handle timeout) { self.memory()->Wait(timeout); },
          nb::arg("timeout").none() = nb::none(), nb::sig("def wait(self, timeout: float | None = None) -> None"),
          "Waits for all work of streams that uses the memory.")
      .def(
          "numpy", [](nb::handle_t<Buffer> self) { return ToNumpy(self, false); },
          nb::sig("def numpy(self) -> typing.Any"),
          "The contents as an array of NumPy, after all work that uses the memory: the same memory if the host reaches "
          "it, else a copy.")
      .def(
          "write", [](const Buffer& self, nb::handle source) { CopyFromHost(source, self); }, nb::arg("source"),
          nb::sig("def write(self, source: object) -> None"),
          "Copies an array of the host here, dense and of the same length in bytes, after all work that uses the "
          "memory.")
      .def(
          "read", [](const Buffer& self, nb::handle target) { CopyToHost(self, target); }, nb::arg("target"),
          nb::sig("def read(self, target: object) -> None"), "Copies the contents to a writable array of the host.")
      .def("tobytes",
           [](const Buffer& self) {
             const nb::object bytes =
                 nb::steal(PyByteArray_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(self.length())));
             if (self.length() > 0) CopyToHost(self, bytes);
             return nb::bytes(PyByteArray_AsString(bytes.ptr()), self.length());
           })
      .def(
          "__array__",
          [](nb::handle_t<Buffer> self, nb::handle dtype, nb::handle copy) {
            const bool must_copy = !copy.is_none() && nb::cast<bool>(copy);
            const bool may_not = !copy.is_none() && !nb::cast<bool>(copy);
            if (may_not && !Instance<Buffer>(self).memory()->is_host_visible()) {
              throw nb::value_error("the host does not reach this memory of the device, so an array is a copy");
            }
            const nb::object array = ToNumpy(self, must_copy);
            return dtype.is_none() ? array : array.attr("astype")(dtype);
          },
          nb::arg("dtype").none() = nb::none(), nb::arg("copy").none() = nb::none(),
          nb::sig("def __array__(self, dtype: object = None, copy: bool | None = None) -> typing.Any"))
      .def("__repr__", [](const Buffer& self) {
        const hal_device_info_t& info = *hal_device_info(self.memory()->device()->ref.get());
        return "<halyard.Buffer " + self.Describe() + " on " + std::string(info.driver.data, info.driver.size) + "://" +
               std::string(info.id.data, info.id.size) + ">";
      });
  BindArrayInterfaces(type);
  BindDlpack(module, type);
}

}  // namespace halyard::python
