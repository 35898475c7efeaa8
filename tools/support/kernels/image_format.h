// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kind of executable a file is, told by how it begins.
#ifndef HALYARD_TOOLS_SUPPORT_IMAGE_FORMAT_H_
#define HALYARD_TOOLS_SUPPORT_IMAGE_FORMAT_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace halyard::tools {

/// The name of the format of executable files that hold images and say what they export.
inline constexpr const char* kContainerFormat = "halx";

/// A format as hal_executable_params_t names it, and the architecture that an image was made for.
struct ImageFormat {
  std::string format;  ///< empty if unknown
  std::string target;  ///< empty if the image does not tell
};

/// Whether images of this format run on NVIDIA's devices alone.
inline bool IsForNvidia(std::string_view format) { return format == "ptx" || format == "cubin" || format == "fatbin"; }

/// Looks at the beginning of an image; 4096 bytes suffice.
ImageFormat DetectImageFormat(std::span<const std::byte> image);

/// What a file of no known format is, if it is what compilers write that no device loads: "NVIDIA's LTO-IR, which
/// nvlink makes machine code of". Empty if that is unknown, too.
std::string ForeignKind(std::span<const std::byte> image);

/// Looks at the beginning of a file. Throws Failure (kInput) if it cannot be read or the format is unknown.
ImageFormat DetectFileFormat(const std::string& path);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_SUPPORT_IMAGE_FORMAT_H_
