// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Architectures of AMD GPUs, as compilers and HIP name them: "gfx90a:sramecc+:xnack-".
#ifndef HALYARD_IMAGE_REFLECTION_AMD_TARGET_H_
#define HALYARD_IMAGE_REFLECTION_AMD_TARGET_H_

#include "base/status.h"
#include "halyard/device_properties.h"
#include "image/reflection/amd/offload_bundle.h"

namespace halyard {

/// How well a device runs code for a target: 0 is best. The processor has to be the same, or one that a generic target
/// such as gfx11-generic stands for. Each feature that the target names needs the device's sign. One that it does not
/// name fits both signs, and ranks behind code for the device's own. Code for a generic target ranks last.
///
/// @param generic_version  of code for a generic target, as ReflectedImage has it; 0 if it is not known yet
/// @return INCOMPATIBLE, with both
Status RankAmdTarget(std::string_view device, std::string_view target, uint32_t generic_version, uint32_t* out_rank);

/// The processor with its features, from a target triple or from what has one in it: "gfx90a:xnack-" of
/// "amdgcn-amd-amdhsa--gfx90a:xnack-" and of "hipv4-amdgpu9.0a-amd-amdhsa-unknown-gfx90a:xnack-", as LLVM has written
/// it since 2026. Empty if there is none.
std::string_view AmdProcessorOf(std::string_view triple);

/// The entry of an offload bundle that fits a device best. INCOMPATIBLE if none does.
Status PickCodeObject(std::string_view device, const OffloadBundle& bundle, Bytes* out_image);

/// What a processor computes with, as LLVM's AMDGPU backend has the instructions (global_atomic_add_f32 and so on).
/// Every processor has fp64, 64-bit atomics and fp16.
hal_data_types_t AmdDataTypes(std::string_view processor);

}  // namespace halyard

#endif  // HALYARD_IMAGE_REFLECTION_AMD_TARGET_H_
