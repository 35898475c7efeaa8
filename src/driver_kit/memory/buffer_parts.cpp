// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/memory/buffer_parts.h"

#include "base/text/flag_words.h"

namespace halyard {

Status FailWithoutMemory() {
  return FailWith(HAL_STATUS_FAILED_PRECONDITION,
                  "the buffer has no memory: its queue_alloca has not run yet, or its queue_dealloca has");
}

Status FailToChoose(hal_memory_type_t type, hal_buffer_usage_t usage) {
  return Fail(HAL_STATUS_INCOMPATIBLE,
              "no memory of the device has the type %s and the usage %s together; see hal_allocator_query_heaps()",
              MemoryTypeWords(type).c_str(), UsageWords(usage).c_str());
}

Status CheckImport(const hal_buffer_params_t& params, hal_memory_type_t type, hal_buffer_usage_t usage) {
  if ((params.memory_type & ~type) == 0 && (params.usage & ~usage) == 0) return kOk;
  return Fail(HAL_STATUS_INCOMPATIBLE, "the imported memory has the type %s and the usage %s, not %s and %s",
              MemoryTypeWords(type).c_str(), UsageWords(usage).c_str(), MemoryTypeWords(params.memory_type).c_str(),
              UsageWords(params.usage).c_str());
}

Status WriteExport(hal_external_memory_type_t type, uint64_t handle, uint64_t length,
                   hal_external_memory_t* out_memory) {
  if (handle == 0) return FailWithoutMemory();
  out_memory->type = type;
  out_memory->flags = 0;
  out_memory->handle = handle;
  out_memory->length = length;
  return kOk;
}

}  // namespace halyard
