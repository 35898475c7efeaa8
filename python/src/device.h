// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices: what they are, and what is made of them.
#ifndef HALYARD_PYTHON_DEVICE_H_
#define HALYARD_PYTHON_DEVICE_H_

#include <memory>
#include <string>

#include "live.h"
#include "process.h"

namespace halyard::python {

struct StreamCore;

/// One open device, which all objects of Python that belong to it share.
struct DeviceCore : Live<DeviceCore> {
  static constexpr const char* kKind = "device";

  explicit DeviceCore(DeviceRef device);
  ~DeviceCore();

  /// The stream of what names none. Made at the first call.
  const std::shared_ptr<StreamCore>& stream();

  DeviceRef ref;
  bool shares_host_memory;   ///< its own memory is memory of the host
  bool works_in_submission;  ///< submissions do the work on the caller's thread, so they free the interpreter's lock

 private:
  std::shared_ptr<StreamCore> stream_;
};

class Device {
 public:
  explicit Device(std::shared_ptr<DeviceCore> core) : core_(std::move(core)) {}

  const std::shared_ptr<DeviceCore>& core() const { return core_; }
  hal_device_t* get() const { return core_->ref.get(); }

 private:
  std::shared_ptr<DeviceCore> core_;
};

void BindDevice(nb::module_& module);

}  // namespace halyard::python

#endif  // HALYARD_PYTHON_DEVICE_H_
