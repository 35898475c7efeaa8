// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One image of Triton's cache as a variant of an executable file: what its metadata and signature say, compared with
// what the image itself tells.
#ifndef HALYARD_TOOLS_PACK_TRITON_VARIANT_H_
#define HALYARD_TOOLS_PACK_TRITON_VARIANT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "image/halx/container_contents.h"
#include "pack/triton/triton_kernel.h"

namespace halyard::tools {

struct TritonVariant {
  std::string format;
  std::string target;
  std::vector<std::byte> bytes;
  uint32_t isa_version = 0;
  std::string symbol;                       ///< the kernel's name in the image
  hal_dim3_t workgroup_size = {0, 1, 1};    ///< the only one
  uint32_t local_memory_size = 0;           ///< bytes that the image declares itself
  LaunchFacts launch;                       ///< without the workgroup's size
  std::vector<TritonParameter> parameters;  ///< the kernel's own, and pointers to scratch memory
  TritonScratch global_scratch;
  TritonScratch profile_scratch;
  std::vector<TritonTensorMap> tensor_maps;  ///< of the parameters that are one, in their order
  std::string obstacle;                      ///< why no dispatch can run it; empty if one can
};

/// Reads an image of the kernel. Throws Failure (kInput) if the image lacks the kernel, or contradicts the metadata.
TritonVariant ReadTritonVariant(const TritonKernel& kernel, const TritonImage& image);

/// The parameters as an executable file has them: bindings are numbered, numbers lie in the constants as C lays them
/// out.
HostVector<hal_parameter_t> ContainerParametersOf(const TritonVariant& variant);
/// The tensor maps among them. The numbers of a tensor are the constants behind its map, as Triton's launcher passes
/// them: its sizes, and then its strides.
HostVector<hal_tensor_map_t> ContainerTensorMapsOf(const TritonVariant& variant,
                                                   const HostVector<hal_parameter_t>& parameters);
/// Their names and types: views into the variant.
HostVector<hal_parameter_info_t> ParameterInfosOf(const TritonVariant& variant);
/// Bytes of all constants.
uint32_t ConstantsSizeOf(const HostVector<hal_parameter_t>& parameters);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_PACK_TRITON_VARIANT_H_
