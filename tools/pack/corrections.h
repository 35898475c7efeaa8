// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a user knows of single parameters, which counts for more than what images tell.
#ifndef HALYARD_TOOLS_PACK_CORRECTIONS_H_
#define HALYARD_TOOLS_PACK_CORRECTIONS_H_

#include <span>
#include <vector>

#include "image_reflection.h"
#include "options.h"

namespace halyard::tools {

/// Puts the user's word in the place of what the images say. Throws Failure (kInput): a kernel or parameter that no
/// image has, one of another size, or one that a kernel of the format cannot take in another way.
void Correct(std::span<const ParameterCorrection> corrections, std::vector<ImageReflection>* images);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_PACK_CORRECTIONS_H_
