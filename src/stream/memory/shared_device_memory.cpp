// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/memory/shared_device_memory.h"

#include <algorithm>
#include <cinttypes>

#include "stream/memory/stream_memory.h"
#include "stream/native/stream_context.h"

namespace halyard::stream {

Status SharedDeviceMemory::Allocate(StreamContext& context, uint64_t length, std::unique_ptr<SharedDeviceMemory>* out) {
  std::unique_ptr<SharedDeviceMemory> made(new SharedDeviceMemory(context, length));
  HAL_TRY(context.memory().AllocateShared(std::max<uint64_t>(length, 1), &made->memory_));
  *out = std::move(made);
  return kOk;
}

Status SharedDeviceMemory::Import(StreamContext& context, const hal_external_memory_t& memory,
                                  std::unique_ptr<SharedDeviceMemory>* out) {
  if (memory.allocation_size == 0) {
    return FailWith(HAL_STATUS_INVALID_ARGUMENT,
                    "memory->allocation_size is 0; expected the bytes of the whole memory");
  }
  if (memory.offset > memory.allocation_size || memory.length > memory.allocation_size - memory.offset) {
    return Fail(HAL_STATUS_OUT_OF_RANGE,
                "memory->offset %" PRIu64 " + length %" PRIu64 " exceeds allocation_size, %" PRIu64, memory.offset,
                memory.length, memory.allocation_size);
  }
  std::unique_ptr<SharedDeviceMemory> made(new SharedDeviceMemory(context, memory.length));
  made->imported_ = true;
  HAL_TRY(context.api().ImportShared(static_cast<int>(memory.handle), memory.allocation_size, &made->memory_));
  made->offset_ = memory.offset;
  *out = std::move(made);
  return kOk;
}

SharedDeviceMemory::~SharedDeviceMemory() {
  if (memory_.address != 0) {
    const NativeScope scope(context_.api());
    if (scope.entered() && imported_) context_.api().FreeShared(memory_);
    if (scope.entered() && !imported_) context_.memory().FreeShared(memory_, std::max<uint64_t>(length_, 1));
  }
  release_();
}

Status SharedDeviceMemory::Export(hal_external_memory_t* out_memory) const {
  const NativeScope scope(context_.api());
  if (!scope.entered()) return scope.status();
  int descriptor = -1;
  HAL_TRY(context_.api().ExportShared(memory_, &descriptor));
  out_memory->flags = 0;
  out_memory->handle = static_cast<uint64_t>(descriptor);
  out_memory->length = length_;
  out_memory->offset = offset_;
  out_memory->allocation_size = memory_.size;
  return kOk;
}

}  // namespace halyard::stream
