// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tells two executables apart: the key of executable caches.
#ifndef HALYARD_CORE_EXECUTABLE_EXECUTABLE_KEY_H_
#define HALYARD_CORE_EXECUTABLE_EXECUTABLE_KEY_H_

#include <cstdint>
#include <tuple>

#include "core/executable/executable_params.h"

namespace halyard {

/// A 128-bit hash of all that an executable is made of. Two contents with one hash will not happen by accident; the
/// hash is no defence against crafted images.
struct ExecutableKey {
  uint64_t high = 0;
  uint64_t low = 0;

  bool operator<(const ExecutableKey& other) const { return std::tie(high, low) < std::tie(other.high, other.low); }
};

/// Hashes format, image, exports with their parameters, layouts and signatures, specialisations (in any order),
/// functions of the host that are imported, queues and whether the image is trusted. The image must be given as bytes.
ExecutableKey MakeExecutableKey(const ExecutableParams& params);

}  // namespace halyard

#endif  // HALYARD_CORE_EXECUTABLE_EXECUTABLE_KEY_H_
