// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/runtime/lavapipe.h"

#include <dlfcn.h>

#include <cstdlib>
#include <string_view>

namespace halyard::vulkan_sim {
namespace {

std::string_view NamedDrivers() {
  for (const char* variable : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"}) {
    const char* const named = std::getenv(variable);
    if (named != nullptr) return named;
  }
  setenv("VK_ICD_FILENAMES", HALYARD_LAVAPIPE_DRIVER_FILE, 1);
  return HALYARD_LAVAPIPE_DRIVER_FILE;
}

}  // namespace

void UseLavapipe() {
  setenv("VK_LOADER_LAYERS_DISABLE", "~implicit~", 0);
  if (NamedDrivers() == HALYARD_LAVAPIPE_DRIVER_FILE) {
    dlopen(HALYARD_LAVAPIPE_LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  }
}

}  // namespace halyard::vulkan_sim
