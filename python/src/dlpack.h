// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DLPack in both directions, with and without versions.
#ifndef HALYARD_PYTHON_DLPACK_H_
#define HALYARD_PYTHON_DLPACK_H_

#include "buffer.h"

namespace halyard::python {

/// A buffer in the memory of an object that has `__dlpack__`.
Buffer AdoptDlpack(const std::shared_ptr<DeviceCore>& device, nb::handle array, StreamCore& stream);

void BindDlpack(nb::module_& module, nb::class_<Buffer>& type);

}  // namespace halyard::python

#endif  // HALYARD_PYTHON_DLPACK_H_
