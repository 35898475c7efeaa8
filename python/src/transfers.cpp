// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transfers.h"

#include <cstring>

#include "errors.h"

namespace halyard::python {

namespace {

using FileRef = Ref<hal_file_t, hal_file_retain, hal_file_release>;

/// Memory of the host as the library reads or writes it, which keeps `owner` until the library is done with it.
FileRef MakeFile(void* data, uint64_t length, hal_file_access_t access, nb::object owner) {
  PyObject* const kept = owner.release().ptr();
  const auto release = [](void* user_data) { DropLater(static_cast<PyObject*>(user_data)); };
  hal_file_t* file = nullptr;
  const hal_status_t code = hal_file_from_memory(data, length, access, release, kept, &file);
  if (code != HAL_STATUS_OK) Py_DECREF(kept);
  Check(code);
  return FileRef(file);
}

void CheckLength(uint64_t array, const Buffer& buffer) {
  if (array == buffer.length()) return;
  throw nb::value_error(("the array has " + std::to_string(array) + " bytes, and the buffer " + buffer.Describe() +
                         " has " + std::to_string(buffer.length()))
                            .c_str());
}

}  // namespace

HostView::HostView(nb::handle array, bool writable) : array_(nb::borrow(array)), view_(new Py_buffer) {
  if (PyObject_GetBuffer(array.ptr(), view_, writable ? PyBUF_FULL : PyBUF_FULL_RO) != 0) {
    delete view_;
    throw nb::python_error();
  }
  if (!PyBuffer_IsContiguous(view_, 'C')) {
    PyBuffer_Release(view_);
    delete view_;
    throw nb::value_error(
        "the array is not dense and row-major (its strides have gaps, another order, or are negative); "
        "numpy.ascontiguousarray() makes a copy that is");
  }
}

HostView::~HostView() {
  PyBuffer_Release(view_);
  delete view_;
}

nb::object HostView::Keeper() const {
  PyObject* const keeper = PyMemoryView_FromObject(array_.ptr());
  if (!keeper) throw nb::python_error();
  return nb::steal(keeper);
}

void Upload(const Stream& stream, nb::handle source, const Buffer& target) {
  const HostView view(source, false);
  CheckLength(view.length(), target);
  if (view.length() == 0) return;
  uint64_t value = 0;
  if (view.length() <= HAL_UPDATE_MAX_LENGTH) {  // the call copies it
    value = stream.core()->Submit([&](hal_device_t* device, const hal_submit_params_t* submit) {
      return hal_device_queue_update(device, submit, view.data(), target.ref());
    });
  } else {
    const FileRef file = MakeFile(view.data(), view.length(), HAL_FILE_ACCESS_READ, view.Keeper());
    value = stream.core()->Submit([&](hal_device_t* device, const hal_submit_params_t* submit) {
      return hal_device_queue_read(device, submit, file.get(), 0, target.ref());
    });
  }
  Note(stream, target, value);
}

void Download(const Stream& stream, const Buffer& source, nb::handle target) {
  const HostView view(target, true);
  CheckLength(view.length(), source);
  if (view.length() == 0) return;
  const FileRef file = MakeFile(view.data(), view.length(), HAL_FILE_ACCESS_WRITE, view.Keeper());
  const uint64_t value = stream.core()->Submit([&](hal_device_t* device, const hal_submit_params_t* submit) {
    return hal_device_queue_write(device, submit, source.ref(), file.get(), 0);
  });
  Note(stream, source, value);
}

void CopyFromHost(nb::handle source, const Buffer& target) {
  const std::shared_ptr<DeviceCore>& device = target.memory()->device();
  target.memory()->Wait(nb::none());
  if (target.memory()->is_host_visible() && !target.memory()->is_read_only()) {
    const HostView view(source, false);
    CheckLength(view.length(), target);
    Check(hal_buffer_write(target.memory()->buffer(), target.offset(), view.data(), view.length()));
    return;
  }
  const Stream stream(device, device->stream());
  Upload(stream, source, target);
  stream.core()->Wait(nb::none());
}

void CopyToHost(const Buffer& source, nb::handle target) {
  const std::shared_ptr<DeviceCore>& device = source.memory()->device();
  source.memory()->Wait(nb::none());
  if (source.memory()->is_host_visible()) {
    const HostView view(target, true);
    CheckLength(view.length(), source);
    Check(hal_buffer_read(source.memory()->buffer(), source.offset(), view.data(), view.length()));
    return;
  }
  const Stream stream(device, device->stream());
  Download(stream, source, target);
  stream.core()->Wait(nb::none());
}

}  // namespace halyard::python
