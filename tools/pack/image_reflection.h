// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the images of an executable file tell of their kernels.
#ifndef HALYARD_TOOLS_PACK_IMAGE_REFLECTION_H_
#define HALYARD_TOOLS_PACK_IMAGE_REFLECTION_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reflect/reflected_kernels.h"

namespace halyard::tools {

/// An image that told.
struct ImageReflection {
  std::string origin;  ///< the file, for messages; or "the description"
  std::string format;
  std::string target;    ///< the architecture that it was made for; empty if it does not say
  std::string producer;  ///< what it says of its own format: "PTX 8.5"
  ReflectedKernels kernels;
  uint32_t isa_version = 0;                  ///< of PTX: 85 for 8.5; 0 for other formats
  std::vector<ReflectedConstant> constants;  ///< sorted by id
  std::vector<std::string> notes = {};       ///< what the user should know of it
};

/// Asks an image. Nothing if images of the format do not tell, or this one has no records. Throws Failure (kInput) with
/// the name of the file if it is malformed.
std::optional<ImageReflection> ReflectImage(const std::string& path, const std::string& format,
                                            std::span<const std::byte> image);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_PACK_IMAGE_REFLECTION_H_
