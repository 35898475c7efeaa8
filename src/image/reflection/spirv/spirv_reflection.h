// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What SPIR-V for Vulkan tells of its kernels, and what a driver has to know before it hands a module on.
#ifndef HALYARD_IMAGE_REFLECTION_SPIRV_REFLECTION_H_
#define HALYARD_IMAGE_REFLECTION_SPIRV_REFLECTION_H_

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "image/reflection/reflected_image.h"
#include "image/reflection/spirv/spirv_opcodes.h"
#include "image/shared_object/bytes.h"

namespace halyard {

/// A specialisation constant of a module.
struct SpirvConstant {
  uint32_t id = 0;             ///< its SpecId
  uint32_t size = 0;           ///< bytes that a specialisation gives; 4 for a boolean
  uint64_t default_value = 0;  ///< its bits
  HostString name;             ///< empty if the module has none
  hal_element_type_t type = HAL_ELEMENT_TYPE_NONE;
};

/// A buffer of a kernel: all variables at one place.
struct SpirvBinding {
  uint32_t set = 0;
  uint32_t binding = 0;
  hal_binding_access_t access = HAL_BINDING_ACCESS_READ_WRITE;  ///< all that any of them does
  uint32_t variable = 0;                                        ///< the smallest of their ids
  HostString name;                                              ///< of the first that has one
  hal_element_type_t element_type = HAL_ELEMENT_TYPE_NONE;      ///< if all have the same
  bool is_uniform = false;                                      ///< a uniform buffer, else a storage buffer
  uint64_t size = 0;  ///< bytes of the largest block, without an array whose length the binding decides
};

/// A member of the push constants.
struct SpirvPushConstant {
  uint32_t offset = 0;
  uint32_t size = 0;
  HostString name;
  hal_element_type_t element_type = HAL_ELEMENT_TYPE_NONE;
  HostVector<uint32_t> addresses = {};  ///< where in it kernels find addresses of memory, as offsets; kAnyOffset last
};

/// What decides the size of a kernel's workgroups.
enum class SpirvSizeSource {
  kLocalSize,  ///< three words of OpExecutionMode: MakeSpirvVariant() changes them
  kConstants,  ///< specialisation constants, of LocalSizeId or of the built-in WorkgroupSize
  kFixed,      ///< numbers in one of these two: no driver can change it
};

/// An entry point of the execution model GLCompute.
struct SpirvKernel {
  HostString name;
  HostString obstacle;  ///< why the library cannot call it; empty if it can

  SpirvSizeSource size_source = SpirvSizeSource::kLocalSize;
  hal_dim3_t workgroup_size = {1, 1, 1};  ///< with the values of specialisation constants
  size_t size_word = 0;                   ///< kLocalSize: the number of the first of the three words in the module
  /// kConstants: the SpecId of the constants that are x, y and z; the others are fixed, or the caller gave a value.
  std::array<std::optional<uint32_t>, 3> size_ids;
  std::array<bool, 3> is_open = {};  ///< sides that each dispatch chooses
  bool takes_any_size = false;       ///< kLocalSize: a dispatch may ask for another; the code does not depend on it
  uint32_t subgroup_size = 0;        ///< work-items; 0 if the module does not say

  HostVector<SpirvBinding> bindings;             ///< sorted by set and number, each once
  HostVector<SpirvPushConstant> push_constants;  ///< sorted by offset
  uint32_t constants_size = 0;                   ///< bytes, to the end of the last push constant
  uint32_t local_memory_size = 0;                ///< bytes of workgroup memory, without the dynamic part
  bool has_dynamic_local_memory = false;         ///< an array's length depends on specialisation constant 3
};

/// A module. Facts only: whether a device can run it is the driver's question.
struct SpirvImage {
  uint32_t major_version = 0;
  uint32_t minor_version = 0;
  HostVector<uint32_t> capabilities;    ///< sorted, each once; SpirvCapability has those that have names
  HostVector<HostString> extensions;    ///< as OpExtension has them: "SPV_KHR_16bit_storage"
  HostVector<SpirvConstant> constants;  ///< sorted by id, each once
  HostVector<SpirvKernel> kernels;      ///< in the module's order
  /// halyard-kernels made it, as the names of its blocks tell (docs/executables.md): its kernels run in workgroups of
  /// any size, as they read the size from constants 0, 1 and 2.
  bool is_of_halyard = false;
};

/// The number of the specialisation constant that is the bytes of dynamic local memory (docs/executables.md).
inline constexpr uint32_t kSpirvDynamicLocalMemoryId = 3;

/// The name of a capability: "Float64"; NULL if it has none in SpirvCapability.
const char* SpirvCapabilityName(uint32_t capability);

/// Reads a module. It is bounded in time and memory, and does not make untrusted code safe: what function bodies say is
/// not looked at.
///
/// @return DATA_LOSS, with the number of the word; INCOMPATIBLE if it is for OpenCL, needs a later version of SPIR-V
///         than 1.6, or has no compute kernel; INVALID_ARGUMENT if specialisations contradict a size. May throw
///         std::bad_alloc.
/// @param specializations  values that take the place of defaults wherever sizes depend on them
Status ReadSpirv(Bytes module, SpirvImage* out_image, std::span<const hal_specialization_t> specializations = {});

/// The same as a list of exports: bindings first, then the push constants. A kernel whose size specialisation constants
/// give leaves it to the dispatch, unless a specialisation has them.
Status ReflectSpirv(Bytes module, std::span<const hal_specialization_t> specializations, ReflectedImage* out_image);

/// A copy of a module in which a kernel has another size of a workgroup.
///
/// @param kernel  of that module
/// @return FAILED_PRECONDITION if other things decide the size; INVALID_ARGUMENT if a side is 0 or if `words` are too
///         few for the kernel. May throw std::bad_alloc.
Status MakeSpirvVariant(std::span<const uint32_t> words, const SpirvKernel& kernel, hal_dim3_t workgroup_size,
                        HostVector<uint32_t>* out_words);

}  // namespace halyard

#endif  // HALYARD_IMAGE_REFLECTION_SPIRV_REFLECTION_H_
