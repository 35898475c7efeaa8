// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a pipeline's reflection says of a kernel's arguments.
#ifndef HALYARD_METAL_EXECUTABLE_METAL_REFLECTION_H_
#define HALYARD_METAL_EXECUTABLE_METAL_REFLECTION_H_

#import <Metal/Metal.h>

#include "base/status.h"
#include "metal/executable/metal_pipelines.h"

namespace halyard::metal {

/// Fills in the sets, the constants and the dynamic memory. INCOMPATIBLE where the kernel takes what the export's list
/// lacks. With encoders, `function` makes them.
Status ReflectArguments(MTLComputePipelineReflection* reflection, id<MTLFunction> function,
                        const PipelineRequest& request, bool use_encoders, MetalPipeline* pipeline);

}  // namespace halyard::metal

#endif  // HALYARD_METAL_EXECUTABLE_METAL_REFLECTION_H_
