// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of an executable as pipelines, with what their reflection says of arguments.
#ifndef HALYARD_METAL_EXECUTABLE_METAL_PIPELINES_H_
#define HALYARD_METAL_EXECUTABLE_METAL_PIPELINES_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/host_memory.h"
#include "base/status.h"
#include "halyard/driver_api.h"
#include "metal/executable/metal_archive.h"
#include "metal/executable/metal_arguments.h"
#include "metal/native/metal_types.h"

namespace halyard::metal {

/// A kernel that can be dispatched.
struct MetalPipeline {
  Owned<NativeComputePipelineState> state;
  HostVector<ArgumentSet> sets;       ///< those that the kernel uses
  HostVector<PlainArgument> plain;    ///< of a kernel without sets
  uint32_t constants_length = 0;      ///< bytes of the struct at kConstantsIndex, padding included; 0 without one
  bool takes_dynamic_memory = false;  ///< [[threadgroup(0)]]
  uint32_t max_volume = 0;            ///< work-items of a workgroup, with the registers that it uses
  uint32_t local_memory_size = 0;     ///< bytes that it declares itself
  uint32_t subgroup_size = 0;         ///< work-items that run in step
};

/// What a pipeline is made for.
struct PipelineRequest {
  std::string_view symbol;
  std::span<const hal_parameter_t> parameters;
  std::span<const uint32_t> parameter_bindings;
  uint32_t constants_size = 0;
};

/// Metal source or a library of Metal's compiler. ABORTED with the compiler's lines; DATA_LOSS for a damaged library.
/// Constants that are lengths of arrays are macros in source that SPIRV-Cross writes, and get their values here.
Status MakeLibraryFromSource(NativeDevice device, std::string_view source,
                             std::span<const hal_specialization_t> specializations, Owned<NativeLibrary>* out_library);
Status MakeLibraryFromData(NativeDevice device, std::span<const std::byte> data, Owned<NativeLibrary>* out_library);

/// Makes all pipelines side by side. `prefix` of a message: export 2 ("scale"): …
/// @param use_encoders  argument buffers are written by encoders
Status MakePipelines(NativeDevice device, NativeLibrary library, std::span<const PipelineRequest> requests,
                     std::span<const hal_specialization_t> specializations, bool use_encoders,
                     const MetalArchive& archive, HostVector<MetalPipeline>* out_pipelines);
/// A kernel of the driver's own, which takes buffers directly.
Status MakeBuiltinPipeline(NativeDevice device, NativeLibrary library, const char* name,
                           Owned<NativeComputePipelineState>* out_state);

}  // namespace halyard::metal

#endif  // HALYARD_METAL_EXECUTABLE_METAL_PIPELINES_H_
