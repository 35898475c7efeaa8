// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the images of an executable file tell of their kernels.
#ifndef HALYARD_TOOLS_PACK_IMAGE_REFLECTION_H_
#define HALYARD_TOOLS_PACK_IMAGE_REFLECTION_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "image/reflection/reflected_image.h"

namespace halyard::tools {

/// All that the library reads in an image. A device that loads the image without a description takes the same.
struct ImageReflection : ReflectedImage {
  std::string origin;  ///< the file, for messages; or "the description"
  std::string format;
  std::vector<std::string> notes;  ///< what the user should know of it
};

/// Asks an image. Nothing if images of the format do not tell, or this one has no records. Throws Failure (kInput) with
/// the name of the file if it is malformed.
std::optional<ImageReflection> ReflectImage(const std::string& path, const std::string& format,
                                            std::span<const std::byte> image);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_PACK_IMAGE_REFLECTION_H_
