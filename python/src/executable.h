// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loaded executables, whose exports are attributes.
#ifndef HALYARD_PYTHON_EXECUTABLE_H_
#define HALYARD_PYTHON_EXECUTABLE_H_

#include <memory>
#include <string>
#include <vector>

#include "device.h"
#include "kernel.h"
#include "live.h"

namespace halyard::python {

class Executable : Live<Executable> {
 public:
  static constexpr const char* kKind = "executable";

  /// @param log  the compiler's
  Executable(std::shared_ptr<DeviceCore> device, ExecutableRef executable, std::string log);

  hal_executable_t* get() const { return ref_.get(); }
  const std::vector<Kernel>& kernels() const { return kernels_; }
  const std::string& log() const { return log_; }
  /// Throws NOT_FOUND, with similar names.
  const Kernel& Find(const std::string& name) const;
  /// A variable that the kernels share.
  Buffer Global(const std::string& name, const std::string& kernel, nb::handle dtype) const;

 private:
  std::shared_ptr<DeviceCore> device_;
  ExecutableRef ref_;
  std::string log_;
  std::vector<Kernel> kernels_;
};

/// What Device.load() takes besides the image.
struct LoadOptions {
  std::string format;
  nb::object functions;       ///< None, or a dictionary of C functions and the types of their arguments
  nb::object specialization;  ///< None, or a dictionary of numbers by the constant's number
  nb::object imports;         ///< None, or a dictionary of addresses by the names that the code calls
  nb::object options;         ///< None, or options of the compiler of a source
  nb::object headers;         ///< None, or a dictionary of what the source may include
  bool unvalidated;
};

/// Loads from a path or from bytes, or takes functions by their addresses; the object has each export as an attribute.
nb::object Load(const Device& device, nb::handle source, const LoadOptions& options);

void BindExecutable(nb::module_& module);

}  // namespace halyard::python

#endif  // HALYARD_PYTHON_EXECUTABLE_H_
