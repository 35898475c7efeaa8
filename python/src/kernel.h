// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that are called like functions: arguments are checked against what the executable says of its parameters.
#ifndef HALYARD_PYTHON_KERNEL_H_
#define HALYARD_PYTHON_KERNEL_H_

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "buffer.h"
#include "commands.h"
#include "device.h"
#include "live.h"
#include "process.h"
#include "stream.h"

namespace halyard::python {

/// What a caller gives for one parameter of a kernel.
struct Argument {
  std::string name;
  bool is_buffer;
  uint32_t place;  ///< of a buffer: which binding of the dispatch; of a number: its first byte in the constants
  uint32_t size;   ///< bytes of a number
  hal_element_type_t type;  ///< of the number or of the buffer's elements; NONE if unknown
  hal_binding_access_t access;
  PyObject* interned;  ///< the name, to compare keywords with; lives as long as the process
};

/// One export of a loaded executable.
struct KernelCore : Live<KernelCore> {
  static constexpr const char* kKind = "kernel";

  KernelCore(std::shared_ptr<DeviceCore> device, ExecutableRef executable, uint32_t ordinal);

  /// "scale(values: float32[], factor: float32)".
  std::string Describe() const;

  std::shared_ptr<DeviceCore> device;
  ExecutableRef executable;
  uint32_t ordinal;
  std::string name;
  const hal_export_info_t* info;
  std::vector<Argument> arguments;
  uint32_t binding_count = 0;
  bool takes_shapes = false;  ///< a function of MLIR or Halide
};

class Kernel {
 public:
  explicit Kernel(std::shared_ptr<KernelCore> core) : core_(std::move(core)) {}
  const std::shared_ptr<KernelCore>& core() const { return core_; }

 private:
  std::shared_ptr<KernelCore> core_;
};

/// A kernel with its grid and the place where its dispatches go, ready to be called.
class Launch {
 public:
  /// `on` is a stream, commands that are being recorded, or None for the device's own stream.
  Launch(std::shared_ptr<KernelCore> kernel, nb::handle grid, nb::handle block, uint32_t local_memory, nb::handle on);

  void Call(PyObject* positional, PyObject* keywords);
  /// Seconds that one dispatch takes without Python, the mean of `count` of them with the same arguments.
  double Time(PyObject* positional, uint64_t count);

 private:
  std::shared_ptr<KernelCore> kernel_;
  std::shared_ptr<StreamCore> stream_;  // this or the next
  std::shared_ptr<CommandsCore> commands_;
  hal_dispatch_params_t params_ = HAL_DISPATCH_PARAMS_INIT;
  std::vector<hal_number_ref_t> counts_;  // of the grid, that executions give
  std::shared_ptr<Memory> indirect_;
};

void BindKernel(nb::module_& module);

}  // namespace halyard::python

#endif  // HALYARD_PYTHON_KERNEL_H_
