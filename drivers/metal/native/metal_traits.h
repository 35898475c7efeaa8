// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a Metal device can do, read once. Each newer feature has an older way beside it.
#ifndef HALYARD_METAL_NATIVE_METAL_TRAITS_H_
#define HALYARD_METAL_NATIVE_METAL_TRAITS_H_

#include <cstdint>

#include "base/host_memory.h"
#include "halyard/base.h"
#include "metal/native/metal_types.h"

namespace halyard::metal {

struct MetalTraits {
  HostString name;
  uint64_t registry_id = 0;
  HostString architecture;  ///< macOS 14's name for it; empty before
  bool unified_memory = false;
  hal_dim3_t max_workgroup_size{};
  uint32_t max_local_memory = 0;   ///< bytes
  uint64_t max_buffer_length = 0;  ///< bytes
  uint64_t working_set = 0;        ///< bytes that the device works with best
  bool gpu_addresses = false;      ///< Metal 3: argument buffers hold addresses. Else: argument encoders
  bool residency_sets = false;     ///< macOS 15. Else: useResources in each encoder
  bool log_states = false;         ///< macOS 15: what kernels log. Else: nothing
  bool stage_counters = false;     ///< timestamps at the ends of encoders. Else: operations alone are timed
};

MetalTraits ReadTraits(NativeDevice device);
/// The id of a device: its registry id in hexadecimal.
HostString DeviceId(const MetalTraits& traits);

}  // namespace halyard::metal

#endif  // HALYARD_METAL_NATIVE_METAL_TRAITS_H_
