// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an image tells about its kernels, and what it leaves open: the same for every format, for the library and for
// its tools. What an image does not say is missing, never guessed without a mark: a description or another variant
// completes it.
#ifndef HALYARD_IMAGE_REFLECTION_REFLECTED_IMAGE_H_
#define HALYARD_IMAGE_REFLECTION_REFLECTED_IMAGE_H_

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "base/host_memory.h"
#include "base/status.h"
#include "halyard/buffer_view.h"
#include "halyard/executable.h"
#include "image/halx/container_contents.h"

namespace halyard {

/// In the place of an offset: one that the code computes.
inline constexpr uint32_t kAnyOffset = UINT32_MAX;

/// Where a variable in constant memory holds addresses of memory that the code follows.
struct AddressesInVariable {
  HostString variable;
  HostVector<uint32_t> offsets;  ///< bytes; kAnyOffset last
};

/// A parameter of a kernel.
struct ReflectedParameter {
  hal_parameter_t value = {};
  HostString name;                                          ///< empty if the image does not say
  hal_element_type_t element_type = HAL_ELEMENT_TYPE_NONE;  ///< of a constant, or of what a binding points to: of the
                                                            ///< numbers in it, if it is a vector or an array of them
  bool is_guess = false;           ///< the image tells the size alone: an address may be a number, or the reverse, or a
                                   ///< structure may hold addresses
  HostVector<uint32_t> addresses;  ///< of a constant: where in it the code finds addresses of memory, which a binding
                                   ///< can give (BINDING_ADDRESS): offsets in bytes; kAnyOffset last
  HostVector<uint32_t>
      bindings_at;               ///< of a constant: where a caller wants the addresses of bindings; no image says it
  bool is_access_known = false;  ///< else `value.access` is the cautious READ_WRITE
  bool is_place_fixed = false;   ///< the image says offset, or set and number; else the rules below do
};

/// An entry point of an image.
struct ReflectedKernel {
  HostString name;                        ///< as the image has it, which is how a driver finds it
  hal_dim3_t workgroup_size = {0, 1, 1};  ///< 0 in x if the image leaves it, or a side of it, to the dispatch
  bool is_workgroup_size_known = false;   ///< true as well if each dispatch is known to say it
  bool is_workgroup_size_exact = false;   ///< it was compiled for that size: no dispatch may have another
  hal_dim3_t fixed_sides = {0, 0, 0};  ///< what the image fixes of a size that it leaves open elsewhere: SPIR-V whose
                                       ///< LocalSizeId has a constant in x and numbers in y and z; 0 for open ones
  /// The specialisation constants that give the size in x, y and z, for formats that have them.
  std::array<std::optional<uint32_t>, 3> workgroup_size_ids;
  hal_dim3_t default_workgroup_size = {0, 0, 0};  ///< with the values of these; all 0 if there are none
  uint32_t max_workgroup_volume = 0;    ///< work-items that it was compiled for at most; 0 if the image does not say
  hal_dim3_t cluster_size = {0, 0, 0};  ///< workgroups of a cluster that it was compiled for; 0 if it has none, or if
                                        ///< the launch has to say
  uint32_t subgroup_size = 0;           ///< work-items that run in lockstep; 0 if the image does not say
  uint32_t local_memory_size = 0;       ///< bytes of workgroup memory that it declares
  bool uses_dynamic_local_memory = false;     ///< needs bytes that a dispatch gives; false if the image does not say
  bool is_cooperative = false;                ///< asks for the barrier of a whole grid; false if the image does not say
  uint32_t constants_size = 0;                ///< bytes
  uint32_t block_size = 0;                    ///< bytes of all arguments together, hidden ones too, of AMD's; else 0
  HostVector<ReflectedParameter> parameters;  ///< in the kernel's order
  /// Whether the image has a list of arguments, in the kernel's order. Else `parameters` has what the kernel uses
  /// alone, sorted by set and number, and push constants behind them.
  bool has_argument_list = true;
  /// Whether what the kernel takes for a binding is the address, as 8 bytes: PTX and machine code.
  bool takes_addresses = false;
  HostVector<AddressesInVariable> addresses_in_variables;  ///< which the caller has to write before it dispatches
  HostString obstacle;                                     ///< why the library cannot call it; empty if it can
};

/// A specialisation constant of an image.
struct ReflectedConstant {
  uint32_t id = 0;
  HostString name;  ///< empty if the image does not say
  hal_element_type_t type = HAL_ELEMENT_TYPE_NONE;
  uint32_t size = 0;           ///< bytes that a specialisation gives; 4 for a boolean
  uint64_t default_value = 0;  ///< its bits
};

/// An image.
struct ReflectedImage {
  HostString target;         ///< the architecture that it was made for, as its tools name it; empty if it does not say
  HostString producer;       ///< what it says of its own format: "PTX 8.5", "code object version 5"
  uint32_t isa_version = 0;  ///< of PTX: 85 for 8.5, which a driver may be too old for; 0 for other formats
  uint32_t generic_version = 0;  ///< of AMD's code for a generic target such as gfx11-generic, from 1; else 0
  HostVector<ReflectedConstant> constants;  ///< sorted by id, each once
  HostVector<ReflectedKernel> kernels;
};

/// Appends the next binding of set 0.
void AddBinding(ReflectedKernel* kernel, hal_binding_access_t access, bool is_access_known, bool is_guess);

/// Where a constant lies that follows `end` bytes of others, if nothing else is said. Sizes alone decide, so that every
/// format gives one kernel the same places: it is aligned to the largest power of two that divides its size, 16 at
/// most. That is how C lays out numbers.
uint64_t PlaceOfConstant(uint64_t end, uint64_t size);

/// Appends a constant. Fails with DATA_LOSS if there is no room for it.
Status AddConstant(ReflectedKernel* kernel, uint64_t size, bool is_guess);

/// "bytes 0 to 7 and 16 to 23", "bytes that it computes": where addresses lie in a parameter or a variable. Names a
/// few.
HostString AddressesText(std::span<const uint32_t> offsets);

/// A name of something else than a kernel: empty if it is no text that may be shown and stored.
HostString ToName(std::string_view text);

/// Fails unless a kernel may be called so: text without control characters, and not the name of another one.
Status CheckKernelName(std::string_view name);
Status CheckKernelNames(const ReflectedImage& image);

/// What holds for each launch of a kernel in an image of a format: for images without an export list, and for
/// executable files. Dynamic workgroup memory of 0 bytes does no harm in SPIR-V, which has 16 then.
LaunchFacts LaunchFactsOf(const ReflectedKernel& kernel, std::string_view format);

/// An export list, which has views into the other lists and into the image that it was made of.
struct ReflectedExports {
  HostVector<hal_export_info_t> list;
  HostVector<HostVector<hal_parameter_t>> parameters;  ///< of each export
  HostVector<HostVector<hal_parameter_info_t>> infos;  ///< the same
};

/// The kernels of an image in a format that can be called.
ReflectedExports ExportsOf(const ReflectedImage& image, std::string_view format);

}  // namespace halyard

#endif  // HALYARD_IMAGE_REFLECTION_REFLECTED_IMAGE_H_
