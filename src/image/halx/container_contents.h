// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an executable file (.halx) says: the reader gives it, the writer takes it. See docs/executables.md.
#ifndef HALYARD_IMAGE_HALX_CONTAINER_CONTENTS_H_
#define HALYARD_IMAGE_HALX_CONTAINER_CONTENTS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/host_memory.h"
#include "base/status.h"
#include "function/fixed_sides.h"
#include "function/signature.h"
#include "halyard/executable.h"

namespace halyard {

/// Bounds that no sensible file comes near. A device's own limits are checked when an executable is made.
struct ContainerLimits {
  static constexpr size_t kMetadataSize = size_t{16} << 20;  ///< bytes of everything but the images
  static constexpr size_t kExports = 1u << 16;
  static constexpr size_t kVariants = 1u << 16;
  static constexpr size_t kParameters = 1u << 12;         ///< of an export
  static constexpr uint32_t kSets = 256;                  ///< descriptor sets
  static constexpr size_t kNameSize = (1u << 16) - 1;     ///< bytes of a name or symbol
  static constexpr size_t kTokenSize = 64;                ///< bytes of a format or target
  static constexpr size_t kEntryPoints = 1u << 20;        ///< of all variants together
  static constexpr uint32_t kConstantsSize = 1u << 20;    ///< bytes
  static constexpr uint32_t kLocalMemorySize = 1u << 30;  ///< bytes
};

/// An entry point. Texts are views: of the file when read, of the caller's memory when written.
struct ContainerExport {
  std::string_view name;                          ///< unique in the file
  hal_dim3_t workgroup_size = {1, 1, 1};          ///< 0 in x if the dispatch must say
  uint32_t local_memory_size = 0;                 ///< bytes
  uint32_t constants_size = 0;                    ///< bytes
  HostVector<hal_parameter_t> parameters;         ///< with a signature, what follows from it
  HostVector<hal_parameter_info_t> infos = {};    ///< [parameter]; empty if nothing is known of any
  OwnedSignature signature = {};                  ///< of a function; empty for kernels
  HostVector<hal_tensor_map_t> tensor_maps = {};  ///< one for each parameter that is one, in their order
};

/// What holds for each launch of an entry point.
struct LaunchFacts {
  hal_export_flags_t flags = 0;
  hal_dim3_t workgroup_size = {0, 0, 0};   ///< all 0 if it is the export's; 0 in x alone if the dispatch must say
  hal_dim3_t cluster_size = {0, 0, 0};     ///< 0 in x if there are no clusters
  uint32_t dynamic_local_memory_size = 0;  ///< bytes
  uint32_t subgroup_size = 0;              ///< work-items that it is made for; 0 if any, or unknown
  uint32_t register_count = 0;             ///< 0 if unknown
  hal_dim3_t fixed_sides = {0, 0, 0};      ///< of a workgroup: those that no dispatch may change, and 0 for others
  uint32_t min_subgroup_size = 0;          ///< without `subgroup_size`: bounds; 0 for none
  uint32_t max_subgroup_size = 0;
  uint32_t max_workgroup_volume = 0;      ///< work-items that it was compiled for at most; 0 if unknown
  hal_dim3_t side_constants = {0, 0, 0};  ///< of images that do not tell: the numbers of the specialisation constants
                                          ///< that are the sides of a workgroup, plus 1; 0 for other sides
};

/// Whether a size of LaunchFacts is there.
constexpr bool IsGiven(const hal_dim3_t& size) { return size.y > 0; }

/// Writes what holds for each launch into an export, which keeps its size if `launch` has none of its own.
inline void ApplyLaunch(const LaunchFacts& launch, hal_export_info_t* info) {
  if (IsGiven(launch.workgroup_size)) info->workgroup_size = launch.workgroup_size;
  info->flags = launch.flags;
  info->cluster_size = launch.cluster_size;
  info->dynamic_local_memory_size = launch.dynamic_local_memory_size;
  info->subgroup_size = launch.subgroup_size;
  info->register_count = launch.register_count;
  info->fixed_sides = launch.fixed_sides;
  info->min_subgroup_size = launch.min_subgroup_size;
  info->max_subgroup_size = launch.max_subgroup_size;
  info->max_workgroup_volume = launch.max_workgroup_volume;
  if (IsAnyFixed(launch.fixed_sides)) info->flags |= HAL_EXPORT_EXACT_WORKGROUP_SIZE;
}

/// An export as one image has it.
struct ContainerEntryPoint {
  uint32_t ordinal = 0;          ///< of the export
  std::string_view symbol = {};  ///< empty if it is the export's name
  LaunchFacts launch = {};
  HostVector<hal_parameter_t> parameters = {};    ///< as this image takes them; empty if as the export says
  HostVector<hal_tensor_map_t> tensor_maps = {};  ///< of these
};

/// Kernels for one kind of device.
struct ContainerVariant {
  std::string_view format;  ///< "host-shared-object", "ptx"; lower-case letters, digits and "-._+"
  std::string_view target;  ///< "x86_64", "sm_90"; empty if every device that takes the format will do
  HostVector<ContainerEntryPoint> entry_points;  ///< by rising ordinals; at least one
  std::span<const std::byte> image;              ///< never empty
  uint32_t isa_version = 0;                      ///< that a device must know, times 10; 0 if unknown

  /// The entry point of an export, NULL if the image does not have it.
  const ContainerEntryPoint* Find(uint32_t ordinal) const;
};

struct ContainerContents {
  HostVector<ContainerExport> exports;
  HostVector<ContainerVariant> variants;  ///< the preferred one first, where a device likes several equally well
};

/// Checks everything that does not depend on where things lie in a file: names, parameters, entry points, formats,
/// counts, sizes. Fails with `failure` (DATA_LOSS for a file that was read, INVALID_ARGUMENT for one to be written) and
/// a message that names the field: `exports[2].parameters[1].offset: …`.
Status CheckContents(const ContainerContents& contents, hal_status_t failure);

/// The part of it that counts one list: `parameters: there are 5000; …`.
Status CheckCount(hal_status_t failure, const char* list, size_t count, size_t least, size_t most);

/// Puts `exports[2].` before the message of a failure.
Status InElement(Status status, const char* list, size_t index);

}  // namespace halyard

#endif  // HALYARD_IMAGE_HALX_CONTAINER_CONTENTS_H_
