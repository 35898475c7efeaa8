// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices that import memory and remember what it was. They are drivers of their own, so that a fuzzer of the core need
// not hold a whole library.
#ifndef HALYARD_TESTS_FUZZ_DLPACK_DEVICE_H_
#define HALYARD_TESTS_FUZZ_DLPACK_DEVICE_H_

#include "halyard/halyard.h"

namespace halyard::dlpack {

enum class DeviceKind { kHost, kCuda, kHip };

/// The allocator of a device of that kind, with the number 0 among the vendor's. It lives as long as the process.
hal_allocator_t* AllocatorOf(DeviceKind kind);

/// What a buffer of these devices was imported from.
const hal_external_memory_t& ImportedMemory(hal_buffer_t* buffer);

}  // namespace halyard::dlpack

#endif  // HALYARD_TESTS_FUZZ_DLPACK_DEVICE_H_
