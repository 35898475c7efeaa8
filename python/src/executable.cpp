// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "executable.h"

#include <halyard/memref.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdio>
#include <cstring>
#include <deque>

#include "errors.h"
#include "text.h"
#include "transfers.h"

namespace halyard::python {

namespace {

/// Roles of integers that the grid gives, as in the description of an executable file.
struct Role {
  const char* name;
  hal_argument_role_t role;
};
constexpr Role kRoles[] = {
    {"id.x", HAL_ARGUMENT_ROLE_WORKGROUP_ID_X},       {"id.y", HAL_ARGUMENT_ROLE_WORKGROUP_ID_Y},
    {"id.z", HAL_ARGUMENT_ROLE_WORKGROUP_ID_Z},       {"count.x", HAL_ARGUMENT_ROLE_WORKGROUP_COUNT_X},
    {"count.y", HAL_ARGUMENT_ROLE_WORKGROUP_COUNT_Y}, {"count.z", HAL_ARGUMENT_ROLE_WORKGROUP_COUNT_Z},
    {"size.x", HAL_ARGUMENT_ROLE_WORKGROUP_SIZE_X},   {"size.y", HAL_ARGUMENT_ROLE_WORKGROUP_SIZE_Y},
    {"size.z", HAL_ARGUMENT_ROLE_WORKGROUP_SIZE_Z},
};

/// An argument of a C function: "const f32*", "void*", "i64", "i64 id.x", "null".
hal_value_type_t ParseArgument(const std::string& text) {
  hal_value_type_t value = {};
  std::string type = text;
  if (type == "null") {
    value.kind = HAL_VALUE_KIND_POINTER;
    value.role = HAL_ARGUMENT_ROLE_NULL;
    return value;
  }
  if (const size_t space = type.rfind(' '); space != std::string::npos) {
    for (const Role& role : kRoles) {
      if (type.compare(space + 1, std::string::npos, role.name) == 0) value.role = role.role;
    }
    if (value.role != HAL_ARGUMENT_ROLE_DATA) type.resize(space);
  }
  if (type.rfind("const ", 0) == 0) {
    value.access = HAL_BINDING_ACCESS_READ;
    type.erase(0, 6);
  }
  if (!type.empty() && type.back() == '*') {
    value.kind = HAL_VALUE_KIND_POINTER;
    type.pop_back();
    if (type == "void") {
      value.element_type = HAL_ELEMENT_TYPE(HAL_NUMERIC_KIND_OPAQUE, 8);
      return value;
    }
  }
  if (type.size() > 1 && type[0] == 'u' && type[1] != 'i') type.insert(1, "i");  // u8 is ui8
  value.element_type = ParseType(nb::str(type.c_str()));
  return value;
}

/// The descriptions of C functions, in memory that lives as long as this object.
class FunctionList {
 public:
  explicit FunctionList(nb::handle functions) {
    if (functions.is_none()) return;
    for (auto [name, arguments] : nb::cast<nb::dict>(functions)) {
      std::vector<hal_value_type_t>& types = types_.emplace_back();
      for (nb::handle argument : nb::iter(arguments)) types.push_back(ParseArgument(nb::cast<std::string>(argument)));
      hal_function_signature_t& signature = signatures_.emplace_back(HAL_INIT(hal_function_signature_t));
      signature.convention = HAL_CALLING_CONVENTION_C;
      signature.argument_count = static_cast<uint32_t>(types.size());
      signature.arguments = types.data();
      hal_export_info_t& info = exports_.emplace_back(hal_export_info_t(HAL_EXPORT_INFO_INIT));
      info.name = View(names_.emplace_back(nb::cast<std::string>(name)));
      info.signature = &signature;
    }
  }
  const std::vector<hal_export_info_t>& exports() const { return exports_; }

 private:
  std::deque<std::string> names_;
  std::deque<std::vector<hal_value_type_t>> types_;
  std::deque<hal_function_signature_t> signatures_;
  std::vector<hal_export_info_t> exports_;
};

/// The address of a function: a number, or a function of ctypes. What is called is given as an integer by cffi.
hal_host_function_t AddressOf(nb::handle function) {
  uintptr_t address = 0;
  if (PyLong_Check(function.ptr())) {
    address = nb::cast<uintptr_t>(function);
  } else {
    const nb::module_ ctypes = nb::module_::import_("ctypes");
    const nb::object number = ctypes.attr("cast")(function, ctypes.attr("c_void_p")).attr("value");
    if (!number.is_none()) address = nb::cast<uintptr_t>(number);
  }
  if (address == 0) throw nb::value_error("the address of a function is 0");
  return reinterpret_cast<hal_host_function_t>(address);
}

/// Functions by name, in memory that lives as long as this object.
class AddressList {
 public:
  explicit AddressList(nb::handle functions) {
    if (functions.is_none()) return;
    for (auto [name, function] : nb::cast<nb::dict>(functions)) {
      const hal_string_view_t text = View(names_.emplace_back(nb::cast<std::string>(name)));
      imports_.push_back({text, AddressOf(function)});
    }
  }
  const std::vector<hal_function_import_t>& imports() const { return imports_; }
  hal_host_function_t Find(hal_string_view_t name) const {
    for (const hal_function_import_t& one : imports_) {
      if (name.size == one.name.size && std::memcmp(name.data, one.name.data, name.size) == 0) return one.function;
    }
    throw nb::value_error(("no address is given for '" + std::string(name.data, name.size) + "'").c_str());
  }

 private:
  std::deque<std::string> names_;
  std::vector<hal_function_import_t> imports_;
};

/// What an executable needs of Python's, until it is released: code, and what code calls.
class KeptCode {
 public:
  explicit KeptCode(nb::object kept) : kept_(kept.release().ptr()) {}
  KeptCode(const KeptCode&) = delete;
  KeptCode& operator=(const KeptCode&) = delete;
  ~KeptCode() { Py_XDECREF(kept_); }

  /// Names it in the parameters, which own it if the call succeeds.
  void Enter(hal_executable_params_t* params) const {
    params->release = [](void* user_data) { DropLater(static_cast<PyObject*>(user_data)); };
    params->release_user_data = kept_;
  }
  void Leave() { kept_ = nullptr; }

 private:
  PyObject* kept_;
};

/// How a source is compiled, in memory that lives as long as this object.
class CompileOptions {
 public:
  CompileOptions(nb::handle options, nb::handle headers) {
    if (!options.is_none()) {
      for (nb::handle option : nb::iter(options))
        options_.push_back(View(texts_.emplace_back(nb::cast<std::string>(option))));
    }
    if (!headers.is_none()) {
      for (auto [name, source] : nb::cast<nb::dict>(headers)) {
        const hal_string_view_t text = View(texts_.emplace_back(nb::cast<std::string>(name)));
        headers_.push_back({text, View(texts_.emplace_back(nb::cast<std::string>(source)))});
      }
    }
    params_.options = options_.data();
    params_.option_count = options_.size();
    params_.headers = headers_.data();
    params_.header_count = headers_.size();
    params_.log_user_data = &log_;
    params_.log = [](void* user_data, hal_string_view_t log) { *static_cast<std::string*>(user_data) += View(log); };
  }
  CompileOptions(const CompileOptions&) = delete;
  CompileOptions& operator=(const CompileOptions&) = delete;

  const hal_compile_params_t* params() const { return &params_; }
  const std::string& log() const { return log_; }

 private:
  hal_compile_params_t params_ = HAL_INIT(hal_compile_params_t);
  std::deque<std::string> texts_;
  std::vector<hal_string_view_t> options_;
  std::vector<hal_source_header_t> headers_;
  std::string log_;
};

/// Objects and shared objects of the host are ELF files, and what they are stands at byte 16.
const char* FormatOf(const void* data, size_t size) {
  const auto* const bytes = static_cast<const unsigned char*>(data);
  if (size < 64 || std::memcmp(bytes, "\177ELF\2\1", 6) != 0 || bytes[17] != 0) return "";
  if (bytes[18] != 62 && bytes[18] != 183) return "";
  return bytes[16] == 1   ? HAL_EXECUTABLE_FORMAT_HOST_OBJECT
         : bytes[16] == 3 ? HAL_EXECUTABLE_FORMAT_HOST_SHARED_OBJECT
                          : "";
}

/// The same of a file; what cannot be read is for the library to tell.
const char* FormatOfFile(const std::string& path) {
  char head[64] = {};
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  if (!file) return "";
  const size_t size = std::fread(head, 1, sizeof(head), file);
  std::fclose(file);
  return FormatOf(head, size);
}

/// Specialisation constants: bool and int have 4 bytes, floats too.
std::vector<hal_specialization_t> ParseSpecializations(nb::handle given) {
  std::vector<hal_specialization_t> constants;
  if (given.is_none()) return constants;
  for (auto [id, value] : nb::cast<nb::dict>(given)) {
    hal_specialization_t constant = {nb::cast<uint32_t>(id), 4, 0};
    if (PyFloat_Check(value.ptr())) {
      const float number = nb::cast<float>(value);
      __builtin_memcpy(&constant.value, &number, 4);
    } else {
      const auto number = nb::cast<int64_t>(value);
      if (number > 0xFFFFFFFFll || number < -0x80000000ll)
        throw nb::value_error("a specialisation constant has 32 bits");
      constant.value = static_cast<uint32_t>(number);
    }
    constants.push_back(constant);
  }
  return constants;
}

}  // namespace

Executable::Executable(std::shared_ptr<DeviceCore> device, ExecutableRef executable, std::string log)
    : device_(std::move(device)), ref_(std::move(executable)), log_(std::move(log)) {
  for (uint32_t i = 0; i < hal_executable_export_count(ref_.get()); ++i) {
    kernels_.emplace_back(std::make_shared<KernelCore>(device_, ref_, i));
  }
}

const Kernel& Executable::Find(const std::string& name) const {
  uint32_t ordinal = 0;
  Check(hal_executable_find_export(ref_.get(), View(name), &ordinal));
  return kernels_[ordinal];
}

Buffer Executable::Global(const std::string& name, const std::string& kernel, nb::handle dtype) const {
  const uint32_t ordinal = kernel.empty() ? 0 : Find(kernel).core()->ordinal;
  hal_buffer_t* buffer = nullptr;
  Check(hal_executable_find_global(ref_.get(), ordinal, View(name), &buffer));
  auto memory = std::make_shared<Memory>(device_, BufferRef(buffer));
  const hal_element_type_t type = ParseType(dtype);
  const auto count = static_cast<int64_t>(memory->length() / TypeSize(type));
  return Buffer(std::move(memory), 0, type, {count});
}

nb::object Load(const Device& device, nb::handle source, const LoadOptions& options) {
  hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
  params.format = View(options.format);
  params.unvalidated = options.unvalidated;
  const FunctionList functions(options.functions);
  params.exports = functions.exports().data();
  params.export_count = functions.exports().size();
  const std::vector<hal_specialization_t> constants = ParseSpecializations(options.specialization);
  params.specializations = constants.data();
  params.specialization_count = constants.size();
  const AddressList imports(options.imports);
  params.imports = imports.imports().data();
  params.import_count = imports.imports().size();
  const bool is_list = nb::isinstance<nb::dict>(source);
  const AddressList code(is_list ? source : nb::handle(Py_None));
  std::vector<hal_host_function_t> addresses;
  std::string path;
  std::unique_ptr<HostView> image;
  if (is_list) {
    for (const hal_export_info_t& info : functions.exports()) addresses.push_back(code.Find(info.name));
    if (addresses.size() != code.imports().size()) {
      throw nb::value_error("`functions` describes other functions than the ones that are given");
    }
    params.format = hal_string_view(HAL_EXECUTABLE_FORMAT_HOST_FUNCTIONS);
    params.functions = addresses.data();
    params.function_count = addresses.size();
  } else if (PyObject_CheckBuffer(source.ptr())) {
    image = std::make_unique<HostView>(source, false);
    params.data = image->data();
    params.data_size = image->length();
  } else {
    const auto text = nb::cast<nb::bytes>(nb::module_::import_("os").attr("fsencode")(source));
    path.assign(text.c_str(), text.size());
    params.path = View(path);
  }
  if (params.format.size == 0) {
    params.format = hal_string_view(params.data ? FormatOf(params.data, params.data_size) : FormatOfFile(path));
  }
  const CompileOptions compile(options.options, options.headers);
  const bool is_source =
      options.format.size() > 7 && options.format.compare(options.format.size() - 7, 7, "-source") == 0;
  if (is_source || !options.options.is_none() || !options.headers.is_none()) params.compile = compile.params();
  KeptCode kept(nb::make_tuple(source, options.imports));
  if (is_list || params.import_count > 0) kept.Enter(&params);
  hal_executable_t* executable = nullptr;
  hal_device_t* const native = device.get();
  hal_status_t status = HAL_STATUS_OK;
  {
    const Unlocked unlocked;  // a compiler may run
    status = hal_executable_create(native, &params, &executable);
  }
  if (status == HAL_STATUS_OK && params.release) kept.Leave();
  Check(status);
  nb::object loaded =
      nb::cast(new Executable(device.core(), ExecutableRef(executable), compile.log()), nb::rv_policy::take_ownership);
  for (const Kernel& kernel : Instance<Executable>(loaded).kernels()) {
    const nb::str name(kernel.core()->name.c_str());
    // Names that the class uses are reached by loaded["name"].
    if (!nb::hasattr(loaded.type(), name)) loaded.attr("__dict__")[name] = kernel;
  }
  return loaded;
}

void BindExecutable(nb::module_& module) {
  nb::class_<Executable>(module, "Executable", nb::dynamic_attr(), nb::is_weak_referenceable(),
                         "Loaded kernels. Each is an attribute, and an item: exe.scale, exe['scale'].")
      .def("__getattr__",
           [](const Executable& self, const std::string& name) -> Kernel {
             // Only what is not found otherwise comes here.
             try {
               if (name.rfind("__", 0) != 0) return self.Find(name);
             } catch (const Failure& failure) {
               throw nb::attribute_error(failure.what());
             }
             throw nb::attribute_error(name.c_str());
           })
      .def(
          "__getitem__", [](const Executable& self, const std::string& name) { return self.Find(name); },
          nb::arg("name"))
      .def("__len__", [](const Executable& self) { return self.kernels().size(); })
      .def(
          "__iter__",
          [](const Executable& self) {
            nb::list names;
            for (const Kernel& kernel : self.kernels()) names.append(kernel.core()->name);
            return nb::iter(names);
          },
          nb::sig("def __iter__(self) -> collections.abc.Iterator[str]"), "The names of the exports.")
      .def("variable", &Executable::Global, nb::arg("name"), nb::arg("kernel") = "",
           nb::arg("dtype").none() = nb::none(),
           nb::sig("def variable(self, name: str, kernel: str = '', dtype: object = None) -> Buffer"),
           "A variable that the kernels of an image share, as a buffer.")
      .def_prop_ro("log", &Executable::log, "What the compiler said of a source; empty for what was compiled before.")
      .def_prop_ro(
          "handle", [](const Executable& self) { return reinterpret_cast<uintptr_t>(self.get()); },
          "The hal_executable_t* as a number, for ctypes.");
}

}  // namespace halyard::python
