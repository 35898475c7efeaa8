// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel in Triton's cache: a folder with the .json of its metadata, its images and the forms between.
#ifndef HALYARD_TOOLS_PACK_TRITON_KERNEL_H_
#define HALYARD_TOOLS_PACK_TRITON_KERNEL_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pack/triton/triton_metadata.h"
#include "pack/triton/triton_signature.h"

namespace halyard::tools {

/// An image beside the metadata.
struct TritonImage {
  std::string format;  ///< "cubin", "ptx", "hsaco"
  std::string path;
};

struct TritonKernel {
  std::string file;  ///< the metadata's path
  TritonMetadata metadata;
  std::vector<TritonImage> images;  ///< at least one: machine code before PTX
  std::optional<TritonSignature>
      signature;  ///< if a .ttir or .ttgir lies beside it, which TRITON_STORE_BINARY_ONLY prevents
};

/// The files of metadata that a user names by paths: each is such a file, the list of its files (__grp__add.json), the
/// folder of a kernel, or the whole cache with a folder for each kernel. Every file once, in the order of the paths.
/// Throws Failure (kInput) if a folder has none.
std::vector<std::string> FindTritonMetadata(const std::vector<std::string>& paths);

/// Reads a file that FindTritonMetadata() found, and looks for what lies beside it.
/// Throws Failure (kInput), which names the file and the field that is missing, wrong, or contradicts another.
TritonKernel ReadTritonKernel(const std::string& file);

/// All parameters of an image of the kernel: its signature, and behind it the pointers to scratch memory, which every
/// version of Triton has another number of. A scratch whose size is 0 is null.
///
/// @param sizes  bytes of each parameter, as the image tells them
/// Throws Failure (kInput) if the image does not have that signature, or if there is none.
std::vector<TritonParameter> TritonParameters(const TritonKernel& kernel, std::span<const uint32_t> sizes);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_PACK_TRITON_KERNEL_H_
