// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a user knows of the launches of single kernels where images do not tell.
#ifndef HALYARD_TOOLS_PACK_LAUNCH_CORRECTIONS_H_
#define HALYARD_TOOLS_PACK_LAUNCH_CORRECTIONS_H_

#include <span>
#include <string>

#include "image/halx/container_contents.h"

namespace halyard::tools {

/// One fact of the launches of a kernel.
struct LaunchCorrection {
  std::string kernel;  ///< the export's name
  LaunchFacts fact;    ///< what is not said is as it is made
  std::string text;    ///< as the user wrote it
};

/// "KERNEL:cooperative", "KERNEL:programmatic", "KERNEL:cluster=X,Y,Z", "KERNEL:workgroup=X,Y,Z" or
/// "KERNEL:dynamic-memory=BYTES". Throws Failure (kUsage).
LaunchCorrection ParseLaunchCorrection(const std::string& text);

/// Adds the facts to the images for CUDA and HIP devices. Throws Failure (kInput): a kernel that none of them has, a
/// fact that none of them could use, or one that an image contradicts.
void CorrectLaunches(std::span<const LaunchCorrection> corrections, ContainerContents* contents);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_PACK_LAUNCH_CORRECTIONS_H_
