// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/runtime/lavapipe.h"

#include <dlfcn.h>

#include <cstdlib>

// The library keeps 128 bytes of each instance.
extern "C" __attribute__((visibility("default"))) const char* __lsan_default_suppressions() {
  return "leak:libvulkan_lvp.so\n";
}

namespace halyard::vulkan_sim {

void UseLavapipe() {
  if (std::getenv("VK_ICD_FILENAMES") != nullptr || std::getenv("VK_DRIVER_FILES") != nullptr) return;
  setenv("VK_ICD_FILENAMES", "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json", 1);
  setenv("VK_LOADER_LAYERS_DISABLE", "~implicit~", 0);
  dlopen("libvulkan_lvp.so", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

}  // namespace halyard::vulkan_sim
