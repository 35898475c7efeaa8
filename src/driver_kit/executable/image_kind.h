// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HALYARD_DRIVER_KIT_EXECUTABLE_IMAGE_KIND_H_
#define HALYARD_DRIVER_KIT_EXECUTABLE_IMAGE_KIND_H_

#include <cstdint>
#include <string_view>

namespace halyard {

/// What a device is told of an image before it sees it (halyard/executable_targets.h).
struct ImageKind {
  std::string_view format;
  std::string_view target = {};  ///< empty if the image is for any
  uint32_t isa_version = 0;      ///< of the instruction set, times 10; 0 if unknown
};

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_EXECUTABLE_IMAGE_KIND_H_
