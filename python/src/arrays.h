// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays of other libraries as buffers, and buffers for other libraries, without a copy.
#ifndef HALYARD_PYTHON_ARRAYS_H_
#define HALYARD_PYTHON_ARRAYS_H_

#include <memory>

#include "buffer.h"

namespace halyard::python {

/// A buffer in the memory of an array, which is kept until the buffer and all work with it are gone. Takes the buffer
/// protocol (NumPy, bytes, memoryview), DLPack (PyTorch, JAX, CuPy) and the array interfaces of NumPy and CUDA (Numba).
/// Work of `stream` comes after what the array's library has submitted.
Buffer Adopt(const std::shared_ptr<DeviceCore>& device, nb::handle array, StreamCore& stream);

/// Imports memory with the most usages that the device allows. `owner` is kept until the memory is no longer used.
std::shared_ptr<Memory> Import(const std::shared_ptr<DeviceCore>& device, const hal_external_memory_t& memory,
                               nb::object owner);

/// Usages to ask for of imported memory, the most first.
inline constexpr hal_buffer_usage_t kImportUsages[] = {
    HAL_BUFFER_USAGE_DEFAULT | HAL_BUFFER_USAGE_MAPPING | HAL_BUFFER_USAGE_EXPORT,
    HAL_BUFFER_USAGE_DEFAULT | HAL_BUFFER_USAGE_MAPPING,
    HAL_BUFFER_USAGE_DEFAULT | HAL_BUFFER_USAGE_EXPORT,
    HAL_BUFFER_USAGE_DEFAULT,
};

/// `__array_interface__` and `__cuda_array_interface__`.
void BindArrayInterfaces(nb::class_<Buffer>& type);

}  // namespace halyard::python

#endif  // HALYARD_PYTHON_ARRAYS_H_
