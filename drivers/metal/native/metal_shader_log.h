// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels log (os_log in Metal's language), for the host's log. macOS 15 and iOS 18.
#ifndef HALYARD_METAL_NATIVE_METAL_SHADER_LOG_H_
#define HALYARD_METAL_NATIVE_METAL_SHADER_LOG_H_

#include <cstdint>

#include "base/status.h"
#include "metal/native/metal_types.h"

namespace halyard::metal {

/// A queue whose kernels log to the host, if the device has log states and Metal makes one; a plain one otherwise.
Status NewLoggingQueue(NativeDevice device, bool has_log_states, uint32_t in_flight,
                       Owned<NativeCommandQueue>* out_queue);

}  // namespace halyard::metal

#endif  // HALYARD_METAL_NATIVE_METAL_SHADER_LOG_H_
