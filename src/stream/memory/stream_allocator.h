// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The allocator of a stream device.
#ifndef HALYARD_STREAM_MEMORY_STREAM_ALLOCATOR_H_
#define HALYARD_STREAM_MEMORY_STREAM_ALLOCATOR_H_

#include "base/status.h"
#include "driver_kit/memory/buffer_parts.h"
#include "halyard/driver_api.h"
#include "stream/memory/stream_buffer.h"

namespace halyard::stream {

/// One heap for each kind of memory that the device has.
class StreamAllocator final : public hal_allocator_t {
 public:
  explicit StreamAllocator(StreamContext& owner);

  Status QueryHeaps(size_t* count, hal_memory_heap_t* heaps);
  Status QueryStatistics(hal_allocator_statistics_t* out_statistics);
  Status Allocate(const hal_buffer_params_t* params, uint64_t length, hal_buffer_t** out_buffer) {
    if (params->handles & kSharedHandles) return AllocateShared(*params, length, out_buffer);
    return AllocateNow<StreamBuffer>(*this, *params, length, out_buffer);
  }
  Status Import(const hal_buffer_params_t* params, const hal_external_memory_t* memory, hal_memory_release_fn_t release,
                void* user_data, hal_buffer_t** out_buffer);
  Status Trim();
  Status Share(const hal_buffer_params_t* params, hal_buffer_t* buffer, hal_memory_release_fn_t release,
               void* user_data, hal_buffer_t** out_buffer);

  /// Makes the buffer of a queue allocation, which gets its memory later.
  Status MakeTransient(const hal_buffer_params_t& params, uint64_t length, StreamBuffer** out_buffer);

 private:
  Status ListHeaps(size_t* count, hal_memory_heap_t* heaps);
  Status ImportHost(const hal_external_memory_t& memory, ImportedMemory* out);
  Status ImportDevice(const hal_external_memory_t& memory, ImportedMemory* out);
  Status AllocateShared(const hal_buffer_params_t& params, uint64_t length, hal_buffer_t** out_buffer);
  Status ImportShared(const hal_buffer_params_t& params, const hal_external_memory_t& memory,
                      const ImportRelease& release, hal_buffer_t** out_buffer);
  /// `make(&shared)` makes the memory.
  template <class Make>
  Status MakeShared(const hal_buffer_params_t& params, uint64_t length, const Make& make, const ImportRelease& release,
                    hal_buffer_t** out_buffer);

  StreamContext& context_;
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_MEMORY_STREAM_ALLOCATOR_H_
