// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <cstring>

#include "arrays.h"
#include "errors.h"
#include "numbers.h"
#include "text.h"

namespace halyard::python {

namespace {

PyTypeObject* g_slot_class = nullptr;
PyTypeObject* g_number_class = nullptr;

/// Bindings of a dispatch are numbered through the sets, and within a set by number.
uint32_t FindBinding(hal_pipeline_layout_t* layout, uint32_t set, uint32_t binding) {
  uint32_t flat = 0;
  for (size_t i = 0; i < hal_pipeline_layout_set_count(layout); ++i) {
    size_t count = 0;
    const hal_descriptor_binding_t* const bindings =
        hal_descriptor_set_layout_bindings(hal_pipeline_layout_set(layout, i), &count);
    for (size_t j = 0; j < count; ++j, ++flat) {
      if (i == set && bindings[j].binding == binding) return flat;
    }
  }
  throw Failure(HAL_STATUS_INTERNAL, "a parameter names a binding that its layout does not have");
}

bool IsNumber(nb::handle value) { return Py_TYPE(value.ptr()) == g_number_class; }

/// Sizes of a grid or a block: a number or up to three. `take(dimension, number)` takes those that executions give.
template <class Take>
hal_dim3_t ParseSizes(nb::handle sizes, const char* what, const Take& take) {
  uint32_t values[3] = {1, 1, 1};
  size_t count = 0;
  const auto put = [&](nb::handle value) {
    if (IsNumber(value) && count < 3) {
      take(static_cast<uint32_t>(count++), Instance<Number>(value));
      return;
    }
    const nb::object index = nb::steal(PyNumber_Index(value.ptr()));
    if (!index.is_valid()) throw nb::python_error();
    const long long number = PyLong_AsLongLong(index.ptr());
    if (PyErr_Occurred()) throw nb::python_error();
    if (count == 3 || number < 0 || number > 0xFFFFFFFFll) {
      throw nb::value_error((std::string(what) + " is one to three numbers from 0 to 2**32 - 1").c_str());
    }
    values[count++] = static_cast<uint32_t>(number);
  };
  if (PyIndex_Check(sizes.ptr()) || IsNumber(sizes)) {
    put(sizes);
  } else {
    for (nb::handle size : nb::iter(sizes)) put(size);
  }
  if (count == 0) throw nb::value_error((std::string(what) + " is one to three numbers, not none").c_str());
  return hal_dim3(values[0], values[1], values[2]);
}

[[noreturn]] void Refuse(const KernelCore& kernel, const std::string& text) {
  throw nb::type_error((kernel.Describe() + ": " + text).c_str());
}

/// The buffers and numbers of one call, on the stack for kernels with few.
class Call {
 public:
  explicit Call(const KernelCore& kernel) : kernel_(kernel) {
    if (kernel.binding_count > kFew) {
      many_refs_.resize(kernel.binding_count);
      refs_ = many_refs_.data();
      many_memories_.resize(kernel.binding_count);
      memories_ = many_memories_.data();
    }
    for (uint32_t i = 0; i < kernel.binding_count; ++i) {
      refs_[i] = hal_buffer_ref(nullptr, 0, 0);
      memories_[i] = nullptr;
    }
    if (kernel.info->constants_size > sizeof(constants_)) {
      many_constants_.resize(kernel.info->constants_size);
      bytes_ = many_constants_.data();
    } else {
      std::memset(constants_, 0, kernel.info->constants_size);
    }
  }

  /// `stream` is NULL while `commands` are recorded.
  void Put(const Argument& argument, PyObject* value, StreamCore* stream, CommandsCore* commands) {
    if (Py_TYPE(value) == g_number_class) [[unlikely]] {
      PutGiven(argument, Instance<Number>(value), commands);
    } else if (!argument.is_buffer) {
      PutNumber(value, argument.type, argument.size, argument.name.c_str(), bytes_ + argument.place);
    } else if (Py_TYPE(value) == g_buffer_class) [[likely]] {
      PutBuffer(argument, Instance<Buffer>(value));
    } else if (Py_TYPE(value) == g_slot_class) {
      if (stream) {
        Refuse(kernel_, argument.name +
                            ": a slot stands for a buffer of a recording; name the commands: kernel[grid, commands]");
      }
      refs_[argument.place] = Instance<Slot>(value).ref();
      memories_[argument.place] = nullptr;
    } else if (!stream) {
      Refuse(kernel_,
             argument.name + ": a recording takes buffers and slots; Device.adopt() makes a buffer of an array");
    } else if (value == Py_None || PyLong_Check(value) || PyFloat_Check(value)) {
      Refuse(kernel_, argument.name + " takes a buffer or an array, not a number or None");
    } else {
      adopted_.push_back(std::make_unique<Buffer>(Adopt(kernel_.device, value, *stream)));
      PutBuffer(argument, *adopted_.back());
    }
  }

  /// The numbers of the arguments that executions give.
  const std::vector<hal_number_ref_t>& numbers() const { return numbers_; }

  void Fill(hal_dispatch_params_t* params) {
    params->constants = bytes_;
    params->constants_size = kernel_.info->constants_size;
    params->bindings = hal_buffer_ref_list(refs_, kernel_.binding_count);
    if (kernel_.takes_shapes) params->binding_shapes = shapes_.data();
  }
  const std::shared_ptr<Memory>* memory(uint32_t binding) const { return memories_[binding]; }

 private:
  static constexpr uint32_t kFew = 16;

  void PutGiven(const Argument& argument, const Number& number, CommandsCore* commands) {
    if (argument.is_buffer) Refuse(kernel_, argument.name + " takes a buffer, and a Number stands for a number");
    if (!commands) {
      Refuse(kernel_, argument.name +
                          ": a Number stands for a number of a recording; name the commands: kernel[grid, commands]");
    }
    const uint32_t offset = commands->OffsetOf(number, argument.type, argument.size);
    numbers_.push_back({HAL_NUMBER_KIND_CONSTANTS, argument.place, offset, argument.size});
  }

  void PutBuffer(const Argument& argument, const Buffer& buffer) {
    if (!SameElements(argument.type, buffer.type())) {
      Refuse(kernel_, argument.name + " takes elements of " + TypeName(argument.type) + ", and the buffer is " +
                          buffer.Describe() + "; Buffer.view() reads the same bytes as another type");
    }
    refs_[argument.place] = buffer.ref();
    memories_[argument.place] = &buffer.memory();
    if (kernel_.takes_shapes) {
      shapes_.resize(kernel_.binding_count, hal_shape_t{});
      shapes_[argument.place] = {buffer.type(), static_cast<uint32_t>(buffer.shape().size()), buffer.shape().data(),
                                 nullptr};
    }
  }

  const KernelCore& kernel_;
  hal_buffer_ref_t few_refs_[kFew];
  const std::shared_ptr<Memory>* few_memories_[kFew];
  unsigned char constants_[256];
  hal_buffer_ref_t* refs_ = few_refs_;
  const std::shared_ptr<Memory>** memories_ = few_memories_;
  unsigned char* bytes_ = constants_;
  std::vector<hal_buffer_ref_t> many_refs_;
  std::vector<const std::shared_ptr<Memory>*> many_memories_;
  std::vector<unsigned char> many_constants_;
  std::vector<hal_shape_t> shapes_;
  std::vector<hal_number_ref_t> numbers_;
  std::vector<std::unique_ptr<Buffer>> adopted_;
};

/// Which of the arguments is called so.
size_t FindArgument(const KernelCore& kernel, PyObject* keyword) {
  for (size_t i = 0; i < kernel.arguments.size(); ++i) {
    if (kernel.arguments[i].interned == keyword) return i;
  }
  for (size_t i = 0; i < kernel.arguments.size(); ++i) {
    if (PyUnicode_Compare(kernel.arguments[i].interned, keyword) == 0) return i;
  }
  Refuse(kernel, "there is no parameter '" + nb::cast<std::string>(nb::handle(keyword)) + "'");
}

/// Puts all arguments of a call in their places.
void PutArguments(const KernelCore& kernel, PyObject* positional, PyObject* keywords, StreamCore* stream,
                  CommandsCore* commands, Call* call) {
  const auto count = static_cast<size_t>(PyTuple_Size(positional));
  const size_t named = keywords ? static_cast<size_t>(PyDict_Size(keywords)) : 0;
  if (count > kernel.arguments.size()) Refuse(kernel, std::to_string(count) + " arguments were given");
  for (size_t i = 0; i < count; ++i) {
    call->Put(kernel.arguments[i], PyTuple_GetItem(positional, static_cast<Py_ssize_t>(i)), stream, commands);
  }
  if (named > 0) {
    PyObject *key = nullptr, *value = nullptr;
    for (Py_ssize_t at = 0; PyDict_Next(keywords, &at, &key, &value);) {
      const size_t index = FindArgument(kernel, key);
      if (index < count) Refuse(kernel, kernel.arguments[index].name + " was given twice");
      call->Put(kernel.arguments[index], value, stream, commands);
    }
  }
  if (count + named == kernel.arguments.size()) return;
  std::string missing;
  for (size_t i = count; i < kernel.arguments.size(); ++i) {
    if (keywords && PyDict_Contains(keywords, kernel.arguments[i].interned) == 1) continue;
    missing += (missing.empty() ? "" : ", ") + kernel.arguments[i].name;
  }
  Refuse(kernel, "missing: " + missing);
}

PyObject* CallLaunch(PyObject* self, PyObject* positional, PyObject* keywords) {
  try {
    Instance<Launch>(self).Call(positional, keywords);
    Py_RETURN_NONE;
  } catch (...) {
    SetError();
  }
  return nullptr;
}

bool IsPlace(nb::handle object) { return nb::isinstance<Stream>(object) || nb::isinstance<Commands>(object); }

/// kernel[x], kernel[x, y, z], kernel[(x, y), stream], kernel[x, commands].
Launch Subscript(const Kernel& kernel, nb::handle key) {
  if (PyTuple_Check(key.ptr()) && PyTuple_Size(key.ptr()) > 0) {
    const Py_ssize_t count = PyTuple_Size(key.ptr());
    const nb::handle last = PyTuple_GetItem(key.ptr(), count - 1);
    if (IsPlace(last)) {
      if (count == 2) return Launch(kernel.core(), PyTuple_GetItem(key.ptr(), 0), nb::none(), 0, last);
      const nb::object grid = nb::steal(PyTuple_GetSlice(key.ptr(), 0, count - 1));
      return Launch(kernel.core(), grid, nb::none(), 0, last);
    }
  }
  return Launch(kernel.core(), key, nb::none(), 0, nb::none());
}

nb::tuple ToTuple(hal_dim3_t sizes) { return nb::make_tuple(sizes.x, sizes.y, sizes.z); }

}  // namespace

KernelCore::KernelCore(std::shared_ptr<DeviceCore> owner, ExecutableRef loaded, uint32_t number)
    : device(std::move(owner)),
      executable(std::move(loaded)),
      ordinal(number),
      info(hal_executable_export_info(executable.get(), number)) {
  name = View(info->name);
  binding_count = static_cast<uint32_t>(hal_pipeline_layout_binding_count(info->layout));
  std::vector<const hal_value_type_t*> given;  // of a function: the arguments that a dispatch takes from its caller
  for (uint32_t i = 0; info->signature && i < info->signature->argument_count; ++i) {
    if (info->signature->arguments[i].role == HAL_ARGUMENT_ROLE_DATA) given.push_back(&info->signature->arguments[i]);
  }
  takes_shapes = info->signature && info->signature->convention <= HAL_CALLING_CONVENTION_BARE_POINTER;
  for (uint32_t i = 0; i < info->parameter_count; ++i) {
    const hal_parameter_t& parameter = info->parameters[i];
    Argument argument = {};
    argument.access = parameter.access;
    switch (parameter.kind) {
      case HAL_PARAMETER_KIND_BINDING:
      case HAL_PARAMETER_KIND_BINDING_ADDRESS:
      case HAL_PARAMETER_KIND_TENSOR_MAP:
        argument.is_buffer = true;
        argument.place = FindBinding(info->layout, parameter.set, parameter.binding);
        break;
      case HAL_PARAMETER_KIND_CONSTANT:
        argument.place = parameter.offset;
        argument.size = parameter.size;
        break;
      default:
        continue;  // no caller gives these
    }
    if (info->parameter_infos) {
      argument.name = View(info->parameter_infos[i].name);
      argument.type = info->parameter_infos[i].element_type;
    }
    if (argument.type == HAL_ELEMENT_TYPE_NONE && arguments.size() < given.size()) {
      const hal_value_type_t& value = *given[arguments.size()];
      const bool is_opaque = (value.element_type >> 8) == HAL_NUMERIC_KIND_OPAQUE;
      if (!is_opaque) argument.type = value.element_type;
    }
    if (argument.name.empty()) argument.name = "arg" + std::to_string(arguments.size());
    argument.interned = PyUnicode_InternFromString(argument.name.c_str());
    arguments.push_back(std::move(argument));
  }
}

std::string KernelCore::Describe() const {
  std::string text = name + "(";
  for (const Argument& argument : arguments) {
    if (&argument != arguments.data()) text += ", ";
    text += argument.name + ": ";
    const std::string type = argument.type == HAL_ELEMENT_TYPE_NONE ? "" : TypeName(argument.type);
    if (argument.is_buffer) {
      text += (type.empty() ? "buffer" : type) + "[]";
    } else {
      text += type.empty() ? std::to_string(argument.size) + " bytes" : type;
    }
  }
  return text + ")";
}

Launch::Launch(std::shared_ptr<KernelCore> kernel, nb::handle grid, nb::handle block, uint32_t local_memory,
               nb::handle on)
    : kernel_(std::move(kernel)) {
  if (on.is_none()) {
    stream_ = kernel_->device->stream();
  } else if (nb::isinstance<Stream>(on)) {
    stream_ = Instance<Stream>(on).core();
  } else if (nb::isinstance<Commands>(on)) {
    commands_ = Instance<Commands>(on).core();
  } else {
    throw nb::type_error("a kernel is launched on a Stream or recorded in Commands");
  }
  if (nb::isinstance<Buffer>(grid)) {
    const Buffer& counts = Instance<Buffer>(grid);
    params_.flags = HAL_DISPATCH_INDIRECT;
    params_.indirect = counts.ref();
    indirect_ = counts.memory();
    if (commands_) commands_->Keep(indirect_);
  } else {
    params_.workgroup_count = ParseSizes(grid, "a grid", [&](uint32_t dimension, const Number& number) {
      if (!commands_) throw nb::type_error("a Number in a grid stands for a size of a recording; name the commands");
      const uint32_t offset = commands_->OffsetOf(number, HAL_ELEMENT_TYPE_UI32, sizeof(uint32_t));
      counts_.push_back({HAL_NUMBER_KIND_WORKGROUP_COUNT, 4 * dimension, offset, sizeof(uint32_t)});
    });
  }
  if (!block.is_none()) {
    params_.workgroup_size = ParseSizes(block, "a block", [](uint32_t, const Number&) {
      throw nb::type_error("the size of workgroups is a part of the recording; a grid takes Numbers");
    });
  }
  params_.dynamic_local_memory = local_memory;
}

void Launch::Call(PyObject* positional, PyObject* keywords) {
  const KernelCore& kernel = *kernel_;
  python::Call call(kernel);
  PutArguments(kernel, positional, keywords, stream_.get(), commands_.get(), &call);
  hal_dispatch_params_t params = params_;
  call.Fill(&params);
  if (commands_) {
    std::vector<hal_number_ref_t> numbers = call.numbers();
    numbers.insert(numbers.end(), counts_.begin(), counts_.end());
    params.numbers = numbers.data();
    params.number_count = numbers.size();
    Check(hal_command_buffer_dispatch(commands_->ref.get(), kernel.executable.get(), kernel.ordinal, &params));
    for (uint32_t i = 0; i < kernel.binding_count; ++i) {
      if (call.memory(i)) commands_->Keep(*call.memory(i));
    }
    return;
  }
  hal_executable_t* const executable = kernel.executable.get();
  const uint64_t value = stream_->Submit([&](hal_device_t* device, const hal_submit_params_t* submit) {
    return hal_device_queue_dispatch(device, submit, executable, kernel.ordinal, &params);
  });
  for (uint32_t i = 0; i < kernel.binding_count; ++i) {
    if (call.memory(i)) (*call.memory(i))->Note(stream_->timeline, value);
  }
  if (indirect_) indirect_->Note(stream_->timeline, value);
}

double Launch::Time(PyObject* positional, uint64_t count) {
  if (!stream_) throw nb::type_error("only dispatches of a stream are timed");
  python::Call call(*kernel_);
  PutArguments(*kernel_, positional, nullptr, stream_.get(), nullptr, &call);
  hal_dispatch_params_t params = params_;
  call.Fill(&params);
  const std::shared_ptr<Timeline> timeline = MakeTimeline(kernel_->device->ref.get(), 0);
  hal_semaphore_t* const semaphore = timeline->semaphore.get();
  hal_device_t* const device = kernel_->device->ref.get();
  hal_executable_t* const executable = kernel_->executable.get();
  hal_status_t code = HAL_STATUS_OK;
  const auto begin = std::chrono::steady_clock::now();
  for (uint64_t i = 1; i <= count && code == HAL_STATUS_OK; ++i) {
    const hal_timeline_point_t before = hal_timeline_point(semaphore, i - 1), after = hal_timeline_point(semaphore, i);
    const hal_submit_params_t submit =
        hal_submit_params(hal_semaphore_list(&before, i > 1 ? 1 : 0), hal_semaphore_list(&after, 1));
    code = hal_device_queue_dispatch(device, &submit, executable, kernel_->ordinal, &params);
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  Check(code);
  Point(timeline, count).Wait(nb::none());
  return seconds.count() / static_cast<double>(count);
}

void BindKernel(nb::module_& module) {
  module.def(
      "_time_dispatches",
      [](Launch& launch, nb::tuple arguments, uint64_t count) { return launch.Time(arguments.ptr(), count); },
      nb::arg("launch"), nb::arg("arguments"), nb::arg("count"),
      "Seconds that one dispatch takes in C, to compare a dispatch of Python with.");

  g_slot_class = reinterpret_cast<PyTypeObject*>(nb::type<Slot>().ptr());
  g_number_class = reinterpret_cast<PyTypeObject*>(nb::type<Number>().ptr());

  nb::class_<Argument>(module, "Parameter", "What a caller gives for one parameter of a kernel.")
      .def_ro("name", &Argument::name)
      .def_ro("is_buffer", &Argument::is_buffer)
      .def_prop_ro(
          "dtype",
          [](const Argument& self) {
            return self.type == HAL_ELEMENT_TYPE_NONE ? nb::object(nb::none()) : nb::cast(TypeName(self.type));
          },
          nb::sig("def dtype(self) -> str | None"), "The type of the number or of the elements; None if unknown.")
      .def_ro("size", &Argument::size, "Bytes of a number.")
      .def_prop_ro(
          "access",
          [](const Argument& self) {
            return self.access == HAL_BINDING_ACCESS_READ    ? "read"
                   : self.access == HAL_BINDING_ACCESS_WRITE ? "write"
                                                             : "readwrite";
          },
          "What the kernel does with a buffer: 'read', 'write' or 'readwrite'.");

  static PyType_Slot slots[] = {{Py_tp_call, reinterpret_cast<void*>(CallLaunch)}, {0, nullptr}};
  nb::class_<Launch>(module, "Launch", nb::type_slots(slots), nb::is_final(),
                     "A kernel with its grid. Calling it submits a dispatch; buffers and numbers are arguments, by "
                     "position or by name.");

  nb::class_<Kernel>(module, "Kernel", "One export of an executable: `kernel[grid](x, y, n=4)`.")
      .def_prop_ro("name", [](const Kernel& self) { return self.core()->name; })
      .def_prop_ro("parameters", [](const Kernel& self) { return self.core()->arguments; })
      .def_prop_ro(
          "workgroup_size", [](const Kernel& self) { return ToTuple(self.core()->info->workgroup_size); },
          nb::sig("def workgroup_size(self) -> tuple[int, int, int]"),
          "Work-items of a workgroup; 0 in x if each launch says it (`block`).")
      .def("__getitem__", Subscript, nb::arg("grid").none(), nb::sig("def __getitem__(self, grid: object) -> Launch"),
           "A launch of so many workgroups: kernel[x], kernel[x, y, z]. A stream, or commands that are recorded, may "
           "come last: kernel[x, stream], kernel[(x, y), commands].")
      .def(
          "launch",
          [](const Kernel& self, nb::handle grid, nb::handle block, uint32_t local_memory, nb::handle on) {
            return Launch(self.core(), grid, block, local_memory, on);
          },
          nb::arg("grid").none(), nb::kw_only(), nb::arg("block").none() = nb::none(), nb::arg("local_memory") = 0,
          nb::arg("on").none() = nb::none(),
          nb::sig("def launch(self, grid: int | Number | tuple[int | Number, ...] | Buffer, *, block: int | tuple[int, "
                  "...] | None = None, "
                  "local_memory: int = 0, on: Stream | Commands | None = None) -> Launch"),
          "A launch with the size of its workgroups and bytes of dynamic workgroup memory. A grid in a buffer is three "
          "uint32 that the device reads when the dispatch runs.")
      .def("__repr__", [](const Kernel& self) { return "<halyard.Kernel " + self.core()->Describe() + ">"; });
}

}  // namespace halyard::python
