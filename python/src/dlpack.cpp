// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dlpack.h"

#include <halyard/dlpack.h>

#include "arrays.h"
#include "core/dlpack/dlpack_abi.h"
#include "errors.h"
#include "stream_interop.h"

namespace halyard::python {

namespace {

/// A tensor from before DLPack 1.0: without version and flags.
struct ManagedTensor {
  dlpack::Tensor tensor;
  void* manager_context;
  void (*deleter)(ManagedTensor* self);  // may be NULL
};

constexpr const char* kVersioned = "dltensor_versioned";
constexpr const char* kUsedVersioned = "used_dltensor_versioned";
constexpr const char* kPlain = "dltensor";
constexpr const char* kUsedPlain = "used_dltensor";

/// Where DLPack sees the memory of a buffer: (type, number).
dlpack::Device DeviceOf(const Buffer& buffer) {
  hal_device_t* const device = buffer.memory()->device()->ref.get();
  const hal_stream_interop_interface_t* const interop =
      buffer.memory()->is_device_local() ? FindStreamInterop(device) : nullptr;
  if (!interop) return {dlpack::kCpu, 0};
  int32_t ordinal = 0;
  Check(interop->native_device(device, nullptr, &ordinal));
  return {interop->dlpack_device_type, ordinal};
}

/// Makes the consumer's stream wait for the work that uses the buffer, or this thread if there is no stream.
void OrderConsumer(const Buffer& buffer, nb::handle stream) {
  const std::shared_ptr<Memory>& memory = buffer.memory();
  hal_device_t* const device = memory->device()->ref.get();
  const hal_stream_interop_interface_t* const interop = FindStreamInterop(device);
  if (DeviceOf(buffer).type == dlpack::kCpu || !interop) {
    if (!stream.is_none()) throw nb::value_error("memory of the host is in no stream, so `stream` is None");
    memory->Wait(nb::none());
    return;
  }
  const int64_t native = stream.is_none() ? 1 : nb::cast<int64_t>(stream);  // 1 is the default stream
  if (native == -1) return;                                                 // the consumer orders by itself
  if (native == 0) throw nb::value_error("a stream of 0 could be two streams of CUDA; give 1 or 2");
  const std::vector<hal_timeline_point_t> points = memory->Points();
  Check(interop->wait_on_stream(device, reinterpret_cast<void*>(native),
                                hal_semaphore_list(points.data(), points.size())));
}

/// A tensor of the library, as what came before DLPack 1.0.
struct PlainTensor {
  ManagedTensor managed;
  DLManagedTensorVersioned* versioned;
};

void DeletePlain(ManagedTensor* tensor) {
  auto* const plain = static_cast<PlainTensor*>(tensor->manager_context);
  plain->versioned->deleter(plain->versioned);
  delete plain;
}

/// Capsules that no consumer took delete their tensor.
void DestroyVersioned(PyObject* capsule) {
  auto* const tensor = static_cast<DLManagedTensorVersioned*>(PyCapsule_GetPointer(capsule, kVersioned));
  if (tensor) {
    tensor->deleter(tensor);
  } else {
    PyErr_Clear();  // taken
  }
}

void DestroyPlain(PyObject* capsule) {
  auto* const tensor = static_cast<ManagedTensor*>(PyCapsule_GetPointer(capsule, kPlain));
  if (tensor) {
    tensor->deleter(tensor);
  } else {
    PyErr_Clear();
  }
}

/// A view of the library for a buffer of Python; the caller releases it.
hal_buffer_view_t* MakeView(const Buffer& buffer) {
  hal_buffer_t* part = nullptr;
  Check(hal_buffer_subspan(buffer.memory()->buffer(), buffer.offset(), buffer.length(), &part));
  const BufferRef kept(part);
  const hal_element_type_t type = buffer.type() == HAL_ELEMENT_TYPE_NONE ? HAL_ELEMENT_TYPE_UI8 : buffer.type();
  hal_buffer_view_t* view = nullptr;
  Check(hal_buffer_view_create(part, type, buffer.shape().size(), buffer.shape().data(), &view));
  return view;
}

bool WantsVersions(nb::handle max_version) { return !max_version.is_none() && nb::cast<int>(max_version[0]) >= 1; }

nb::object ToDlpack(const Buffer& buffer, nb::handle stream, nb::handle max_version, nb::handle dl_device,
                    nb::handle copy) {
  if (!copy.is_none() && nb::cast<bool>(copy)) throw nb::buffer_error("__dlpack__ makes no copies; numpy() does");
  const dlpack::Device place = DeviceOf(buffer);
  if (!dl_device.is_none() && (nb::cast<int>(dl_device[0]) != place.type || nb::cast<int>(dl_device[1]) != place.id)) {
    throw nb::buffer_error("the memory is not on that device, and __dlpack__ makes no copies; numpy() does");
  }
  const bool versioned = WantsVersions(max_version);
  if (!versioned && buffer.memory()->is_read_only()) {
    throw nb::buffer_error("this memory may only be read, which tensors before DLPack 1.0 cannot say");
  }
  OrderConsumer(buffer, stream);
  hal_buffer_view_t* const view = MakeView(buffer);
  DLManagedTensorVersioned* tensor = nullptr;
  const hal_status_t code = hal_buffer_view_to_dlpack(view, &tensor);
  hal_buffer_view_release(view);
  Check(code);
  if (versioned) return nb::steal(PyCapsule_New(tensor, kVersioned, DestroyVersioned));
  auto* const plain = new PlainTensor{{tensor->tensor, nullptr, DeletePlain}, tensor};
  plain->managed.manager_context = plain;
  return nb::steal(PyCapsule_New(&plain->managed, kPlain, DestroyPlain));
}

/// A tensor from before DLPack 1.0 with a version. Deletes the other one when it is deleted.
struct VersionedTensor {
  DLManagedTensorVersioned managed;
  ManagedTensor* plain;
};

void DeleteVersioned(DLManagedTensorVersioned* tensor) {
  auto* const versioned = static_cast<VersionedTensor*>(tensor->manager_context);
  if (versioned->plain->deleter) versioned->plain->deleter(versioned->plain);
  delete versioned;
}

/// Which library and arrays may be deleted on any thread: those of Python need the interpreter's lock, which threads of
/// Halyard never ask for. So a thread of Python deletes a foreign tensor, via an object that is dropped later.
struct ForeignTensor {
  DLManagedTensorVersioned managed;
  PyObject* keeper;  // a capsule that deletes the tensor
};

void DropForeign(DLManagedTensorVersioned* tensor) {
  auto* const foreign = static_cast<ForeignTensor*>(tensor->manager_context);
  DropLater(foreign->keeper);
  delete foreign;
}

void DeleteKept(PyObject* capsule) {
  auto* const tensor = static_cast<DLManagedTensorVersioned*>(PyCapsule_GetPointer(capsule, nullptr));
  if (tensor && tensor->deleter) tensor->deleter(tensor);
}

/// Takes the tensor of a capsule over, with a deleter that needs no lock.
DLManagedTensorVersioned* TakeTensor(nb::handle capsule) {
  DLManagedTensorVersioned* tensor = nullptr;
  if (PyCapsule_IsValid(capsule.ptr(), kVersioned)) {
    tensor = static_cast<DLManagedTensorVersioned*>(PyCapsule_GetPointer(capsule.ptr(), kVersioned));
    if (tensor->version.major != dlpack::kMajorVersion) {
      throw Failure(HAL_STATUS_INCOMPATIBLE, "the tensor is of version " + std::to_string(tensor->version.major) +
                                                 " of DLPack, and version 1 was asked for");
    }
    PyCapsule_SetName(capsule.ptr(), kUsedVersioned);
  } else if (PyCapsule_IsValid(capsule.ptr(), kPlain)) {
    auto* const plain = static_cast<ManagedTensor*>(PyCapsule_GetPointer(capsule.ptr(), kPlain));
    auto* const versioned = new VersionedTensor{};
    versioned->managed.version = {dlpack::kMajorVersion, dlpack::kMinorVersion};
    versioned->managed.manager_context = versioned;
    versioned->managed.deleter = DeleteVersioned;
    versioned->managed.tensor = plain->tensor;
    versioned->plain = plain;
    tensor = &versioned->managed;
    PyCapsule_SetName(capsule.ptr(), kUsedPlain);
  } else {
    throw nb::type_error("__dlpack__ returned no capsule of a tensor, or one that was used before");
  }
  auto* const foreign = new ForeignTensor{*tensor, PyCapsule_New(tensor, nullptr, DeleteKept)};
  foreign->managed.manager_context = foreign;
  foreign->managed.deleter = DropForeign;
  return &foreign->managed;
}

std::shared_ptr<Memory> ImportTensor(const std::shared_ptr<DeviceCore>& device, DLManagedTensorVersioned* tensor,
                                     hal_element_type_t* type, std::vector<int64_t>* shape, uint64_t* offset) {
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  params.memory_type = HAL_MEMORY_TYPE_NONE;
  hal_buffer_view_t* view = nullptr;
  hal_status_t code = HAL_STATUS_INTERNAL;
  for (hal_buffer_usage_t usage : kImportUsages) {
    if (tensor->flags & dlpack::kReadOnly) usage &= ~HAL_BUFFER_USAGE_TRANSFER_TARGET;
    params.usage = usage;
    code = hal_buffer_view_from_dlpack(hal_device_allocator(device->ref.get()), &params, tensor, &view);
    if (code != HAL_STATUS_INCOMPATIBLE) break;
  }
  if (code != HAL_STATUS_OK) {
    const Failure failure(code, hal_last_error_message());
    tensor->deleter(tensor);
    throw failure;
  }
  const hal_shape_t seen = hal_buffer_view_shape(view);
  *type = seen.element_type;
  shape->assign(seen.sizes, seen.sizes + seen.rank);
  *offset = 0;
  const BufferRef buffer = BufferRef::Share(hal_buffer_view_buffer(view));
  hal_buffer_view_release(view);
  return std::make_shared<Memory>(device, buffer);
}

}  // namespace

Buffer AdoptDlpack(const std::shared_ptr<DeviceCore>& device, nb::handle array, StreamCore& stream) {
  const bool on_host = nb::cast<int>(array.attr("__dlpack_device__")()[0]) == dlpack::kCpu;
  uintptr_t native = 0;
  nb::dict arguments;
  if (!on_host && FindStreamInterop(device->ref.get())) {
    native = NativeStream(device->ref.get());
    arguments["stream"] = native;
  }
  nb::object capsule;
  arguments["max_version"] = nb::make_tuple(dlpack::kMajorVersion, dlpack::kMinorVersion);
  try {
    capsule = array.attr("__dlpack__")(**arguments);
  } catch (nb::python_error& error) {  // a library from before DLPack 1.0 does not know `max_version`
    if (!error.matches(PyExc_TypeError)) throw;
    nb::del(arguments["max_version"]);
    capsule = array.attr("__dlpack__")(**arguments);
  }
  hal_element_type_t type = HAL_ELEMENT_TYPE_NONE;
  std::vector<int64_t> shape;
  uint64_t offset = 0;
  const std::shared_ptr<Memory> memory = ImportTensor(device, TakeTensor(capsule), &type, &shape, &offset);
  if (native != 0) WaitForNative(device, native, stream);
  return Buffer(memory, offset, type, shape);
}

void BindDlpack(nb::module_&, nb::class_<Buffer>& type) {
  type.def("__dlpack__", ToDlpack, nb::kw_only(), nb::arg("stream").none() = nb::none(),
           nb::arg("max_version").none() = nb::none(), nb::arg("dl_device").none() = nb::none(),
           nb::arg("copy").none() = nb::none(),
           nb::sig("def __dlpack__(self, *, stream: int | None = None, max_version: tuple[int, int] | None = None, "
                   "dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> typing.Any"))
      .def(
          "__dlpack_device__",
          [](const Buffer& self) {
            const dlpack::Device device = DeviceOf(self);
            return nb::make_tuple(static_cast<int>(device.type), device.id);
          },
          nb::sig("def __dlpack_device__(self) -> tuple[int, int]"));
}

}  // namespace halyard::python
