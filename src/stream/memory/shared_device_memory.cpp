// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/memory/shared_device_memory.h"

#include <algorithm>
#include <cinttypes>

#include "base/round_up.h"
#include "base/text/flag_words.h"
#include "stream/memory/stream_memory.h"
#include "stream/native/stream_context.h"

namespace halyard::stream {

// A plain allocation is less aligned than a buffer may ask for.
Status SharedDeviceMemory::Allocate(StreamContext& context, const hal_buffer_params_t& params, uint64_t length,
                                    std::unique_ptr<SharedDeviceMemory>* out) {
  const bool pads = params.alignment > StreamMemory::kMinAlignment;
  if (pads && length > UINT64_MAX - params.alignment) {
    return FailWith(HAL_STATUS_RESOURCE_EXHAUSTED, "no device has that much memory");
  }
  std::unique_ptr<SharedDeviceMemory> made(new SharedDeviceMemory(context, length));
  made->counted_ = std::max<uint64_t>(pads ? length + params.alignment : length, 1);
  const hal_peer_handles_t handles = params.handles & context.api().traits().handles;
  HAL_TRY(context.memory().AllocateShared(handles, made->counted_, &made->memory_));
  if (pads) made->offset_ = RoundUp(made->memory_.address, params.alignment) - made->memory_.address;
  *out = std::move(made);
  return kOk;
}

Status SharedDeviceMemory::CheckInside(uint64_t size) const {
  if (offset_ <= size && length_ <= size - offset_) return kOk;
  return Fail(HAL_STATUS_OUT_OF_RANGE,
              "memory->offset %" PRIu64 " + length %" PRIu64 " exceeds the memory's %" PRIu64 " bytes", offset_,
              length_, size);
}

// The vendor tells the size of what an IPC handle opened, and of no other.
Status SharedDeviceMemory::Import(StreamContext& context, const hal_external_memory_t& memory,
                                  std::unique_ptr<SharedDeviceMemory>* out) {
  std::unique_ptr<SharedDeviceMemory> made(new SharedDeviceMemory(context, memory.length));
  made->imported_ = true;
  made->offset_ = memory.offset;
  if (memory.allocation_size != 0) {
    HAL_TRY(made->CheckInside(memory.allocation_size));
  } else if (memory.type != HAL_EXTERNAL_MEMORY_TYPE_IPC) {
    return FailWith(HAL_STATUS_INVALID_ARGUMENT,
                    "memory->allocation_size is 0; expected the bytes of the whole memory");
  }
  HAL_TRY(context.api().ImportShared(memory, &made->memory_));
  HAL_TRY(made->CheckInside(made->memory_.size));
  *out = std::move(made);
  return kOk;
}

SharedDeviceMemory::~SharedDeviceMemory() {
  if (memory_.address != 0) {
    const NativeScope scope(context_.api());
    if (scope.entered() && imported_) context_.api().FreeShared(memory_);
    if (scope.entered() && !imported_) context_.memory().FreeShared(memory_, counted_);
  }
  release_();
}

Status SharedDeviceMemory::Export(hal_external_memory_type_t type, hal_external_memory_t* out_memory) const {
  if ((memory_.handles & HandleOf(type)) == 0) {
    return Fail(HAL_STATUS_PERMISSION_DENIED, "the buffer's memory leaves as %s, not as %s",
                HandleWords(memory_.handles).c_str(), HandleWords(HandleOf(type)).c_str());
  }
  const NativeScope scope(context_.api());
  if (!scope.entered()) return scope.status();
  out_memory->flags = 0;
  out_memory->handle = 0;
  HAL_TRY(context_.api().ExportShared(memory_, type, out_memory));
  out_memory->length = length_;
  out_memory->offset = offset_;
  out_memory->allocation_size = memory_.size;
  return kOk;
}

}  // namespace halyard::stream
