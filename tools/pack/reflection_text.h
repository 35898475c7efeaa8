// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an image in an executable file tells of its kernels, as --dump shows it.
#ifndef HALYARD_TOOLS_PACK_REFLECTION_TEXT_H_
#define HALYARD_TOOLS_PACK_REFLECTION_TEXT_H_

#include <string>
#include <utility>
#include <vector>

#include "image/halx/container_contents.h"
#include "support/json.h"

namespace halyard::tools {

/// Label and text of each line; one that says so if the image does not tell.
std::vector<std::pair<std::string, std::string>> ReflectionLines(const ContainerVariant& variant);

/// {"producer", "target", "kernels"}; null if the image does not tell.
Json ReflectionJson(const ContainerVariant& variant);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_PACK_REFLECTION_TEXT_H_
