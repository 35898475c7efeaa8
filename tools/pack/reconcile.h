// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The exports of an executable file, from its description and from what its images tell.
#ifndef HALYARD_TOOLS_PACK_RECONCILE_H_
#define HALYARD_TOOLS_PACK_RECONCILE_H_

#include <optional>
#include <string>
#include <vector>

#include "image_reflection.h"
#include "support/kernels/export_description.h"

namespace halyard::tools {

/// The exports of a file, and which images have them.
struct Reconciliation {
  std::vector<ExportDescription> exports;
  std::vector<std::vector<const ReflectedKernel*>> kernels;  ///< [image][export]; NULL where the image lacks it
  std::vector<std::string>
      left_out;  ///< of kernels that cannot be called, if nothing asks for them: name, file and reason of each
};

/// Exactly the described exports if there is a description, else all kernels that the images describe and of which none
/// says that it cannot be called. The images for
/// one kind of device, which is format and target, share the exports among them. Throws Failure (kInput): a kernel that
/// no image for a kind of device has, unless that is allowed, or that two have, a contradiction, or no image that
/// describes its kernels.
///
/// @param description  may be NULL; `description_path` is its file
/// @param partial      whether a kind of device may lack exports
Reconciliation ReconcileExports(const std::vector<ExportDescription>* description, const std::string& description_path,
                                const std::vector<ImageReflection>& images, bool partial);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_PACK_RECONCILE_H_
