// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What Triton writes of a compiled kernel: the .json of its cache, of Triton 3.0 and later.
#ifndef HALYARD_TOOLS_PACK_TRITON_METADATA_H_
#define HALYARD_TOOLS_PACK_TRITON_METADATA_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "support/json.h"

namespace halyard::tools {

enum class TritonBackend { kCuda, kHip };

/// Memory that the launcher allocates: `size` bytes for each workgroup of the launch, those of clusters counted.
struct TritonScratch {
  uint64_t size = 0;       ///< bytes; the kernel takes a null pointer if it is 0
  uint32_t alignment = 1;  ///< bytes, of the whole
};

/// How to make the CUtensorMap of a descriptor, with the numbers of CUDA's enums. Triton has no interleaving, an L2
/// promotion of 128 bytes and strides of one element.
struct TritonTensorMap {
  uint32_t element_type = 0;  ///< CUtensorMapDataType
  uint32_t element_size = 0;  ///< bytes
  uint32_t swizzle = 0;       ///< CUtensorMapSwizzle
  std::vector<uint32_t> box;  ///< elements that one copy moves; the last dimension is contiguous, which is CUDA's first
  bool is_fp4_padded = false;  ///< the tensor's last dimension counts pairs of elements
  bool is_im2col = false;
};

struct TritonMetadata {
  std::string name;     ///< the kernel's, in the image; two specialisations share it
  std::string version;  ///< of Triton; empty before 3.3
  TritonBackend backend = TritonBackend::kCuda;
  std::string architecture;     ///< "sm_90", "gfx942"
  uint32_t subgroup_size = 0;   ///< Triton's warp_size
  uint32_t workgroup_size = 0;  ///< num_warps × warp_size work-items, all in x: neither more nor fewer
  std::array<uint32_t, 3> cluster_size = {1, 1, 1};  ///< workgroups
  uint32_t local_memory_size = 0;                    ///< bytes of dynamic workgroup memory that a launch has to give
  bool is_cooperative = false;                       ///< all workgroups must run at the same time
  bool is_programmatic = false;                      ///< may begin before the kernel in front of it ended
  TritonScratch global_scratch;
  TritonScratch profile_scratch;
  std::vector<TritonTensorMap> tensor_maps;  ///< of the descriptors, in their order; CUDA's alone

  /// Workgroups of a launch for each program that Triton's grid counts: it is multiplied by this in x.
  uint32_t WorkgroupsPerProgram() const { return cluster_size[0] * cluster_size[1] * cluster_size[2]; }
};

/// Checks every field. Throws Failure (kInput), which names the field and not the file.
TritonMetadata ReadTritonMetadata(const Json& document);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_PACK_TRITON_METADATA_H_
