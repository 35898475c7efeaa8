// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/object/kind_words.h"

namespace halyard {

const char* KindWords(hal_object_kind_t kind) noexcept {
  switch (kind) {
    case HAL_OBJECT_KIND_REGISTRY:
      return "a registry";
    case HAL_OBJECT_KIND_DRIVER:
      return "a driver";
    case HAL_OBJECT_KIND_DEVICE:
      return "a device";
    case HAL_OBJECT_KIND_ALLOCATOR:
      return "an allocator";
    case HAL_OBJECT_KIND_BUFFER:
      return "a buffer";
    case HAL_OBJECT_KIND_BUFFER_VIEW:
      return "a buffer view";
    case HAL_OBJECT_KIND_SEMAPHORE:
      return "a semaphore";
    case HAL_OBJECT_KIND_FENCE:
      return "a fence";
    case HAL_OBJECT_KIND_EVENT:
      return "an event";
    case HAL_OBJECT_KIND_COMMAND_BUFFER:
      return "a command buffer";
    case HAL_OBJECT_KIND_EXECUTABLE:
      return "an executable";
    case HAL_OBJECT_KIND_EXECUTABLE_CACHE:
      return "an executable cache";
    case HAL_OBJECT_KIND_DESCRIPTOR_SET_LAYOUT:
      return "a descriptor set layout";
    case HAL_OBJECT_KIND_PIPELINE_LAYOUT:
      return "a pipeline layout";
    case HAL_OBJECT_KIND_FILE:
      return "a file";
    case HAL_OBJECT_KIND_CHANNEL:
      return "a channel";
    case HAL_OBJECT_KIND_DEVICE_GROUP:
      return "a device group";
    case HAL_OBJECT_KIND_STREAM:
      return "a stream";
    case HAL_OBJECT_KIND_NONE:
    case HAL_OBJECT_KIND_FORCE_32:
      break;
  }
  return "no object of the library";
}

}  // namespace halyard
