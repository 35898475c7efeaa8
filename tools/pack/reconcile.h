// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The exports of an executable file, from its description and from what its images tell.
#ifndef HALYARD_TOOLS_PACK_RECONCILE_H_
#define HALYARD_TOOLS_PACK_RECONCILE_H_

#include <optional>
#include <string>
#include <vector>

#include "image_reflection.h"
#include "support/export_description.h"

namespace halyard::tools {

/// Exactly the described exports if there is a description, else the kernels that the images describe. These must be
/// the same in all images that describe any. Throws Failure (kInput): a kernel that an image lacks, a contradiction, or
/// no image that describes its kernels.
///
/// @param description  may be NULL; `description_path` is its file
std::vector<ExportDescription> ReconcileExports(const std::vector<ExportDescription>* description,
                                                const std::string& description_path,
                                                const std::vector<ImageReflection>& images);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_PACK_RECONCILE_H_
