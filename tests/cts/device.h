// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device as tests use it: what it makes, and what its queues do.
#ifndef HALYARD_TESTS_CTS_DEVICE_H_
#define HALYARD_TESTS_CTS_DEVICE_H_

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "cts/handles.h"
#include "halyard/cpp/submit.hpp"

namespace halyard::cts {

/// What a buffer is asked to be if a test does not say: device-local, for everything but mapping.
hal_buffer_params_t DeviceLocal(hal_buffer_usage_t usage = HAL_BUFFER_USAGE_DEFAULT);
/// A buffer that the host can map.
hal_buffer_params_t Mappable(hal_buffer_usage_t usage = HAL_BUFFER_USAGE_DEFAULT);

class Device : public Handle<hal_device_t, hal_device_retain, hal_device_release> {
 public:
  using Handle::Handle;

  const hal_device_info_t& info() const { return *hal_device_info(*this); }
  const hal_device_limits_t& limits() const { return *info().limits; }
  /// The offset, or the next one after it, at which bindings of a dispatch can begin.
  uint64_t BindingOffset(uint64_t offset) const;
  hal_allocator_t* allocator() const { return hal_device_allocator(*this); }
  /// The mask of queue `index`, counted round the queues that there are.
  hal_queue_mask_t Queue(size_t index) const { return UINT64_C(1) << (index % info().queue_count); }

  Semaphore CreateSemaphore(uint64_t initial = 0) const;
  Event CreateEvent() const;
  Buffer CreateBuffer(uint64_t length, const hal_buffer_params_t& params = DeviceLocal()) const;
  CommandBuffer CreateCommandBuffer(hal_command_buffer_flags_t flags = 0, uint32_t binding_capacity = 0,
                                    uint64_t numbers_size = 0) const;
  /// Records what `commands` records, from begin to end.
  CommandBuffer Record(const std::function<void(const CommandBuffer&)>& commands, hal_command_buffer_flags_t flags = 0,
                       uint32_t binding_capacity = 0, uint64_t numbers_size = 0) const;
  /// Loads a kernel set of the suite; see kernel_library.h.
  Executable LoadKernels(std::string_view set) const;

  /// @name Transfers that wait until they are done, for any buffer that has transfer usage
  /// @{
  void UploadBytes(const Buffer& buffer, uint64_t offset, const void* data, uint64_t length) const;
  void DownloadBytes(const Buffer& buffer, uint64_t offset, void* data, uint64_t length) const;
  template <class T>
  void Upload(const Buffer& buffer, const std::vector<T>& values, uint64_t offset = 0) const {
    UploadBytes(buffer, offset, values.data(), values.size() * sizeof(T));
  }
  /// The elements from `offset` bytes on, to the end or `count` of them.
  template <class T>
  std::vector<T> Download(const Buffer& buffer, uint64_t offset = 0, uint64_t count = UINT64_MAX) const {
    if (count == UINT64_MAX) count = (hal_buffer_length(buffer) - offset) / sizeof(T);
    std::vector<T> values(count);
    DownloadBytes(buffer, offset, values.data(), count * sizeof(T));
    return values;
  }
  /// A buffer that holds `values`.
  template <class T>
  Buffer CreateBufferOf(const std::vector<T>& values, const hal_buffer_params_t& params = DeviceLocal()) const {
    Buffer buffer = CreateBuffer(values.size() * sizeof(T), params);
    Upload(buffer, values);
    return buffer;
  }
  /// @}

  /// @name Queue operations
  /// @{
  hal_status_t QueueBarrier(const Points& waits, const Points& signals, hal_queue_mask_t queues = HAL_QUEUE_ANY) const {
    return hal_device_queue_barrier(*this, hal::SubmitParams(waits, signals, queues));
  }
  hal_status_t QueueAlloca(const Points& waits, const Points& signals, uint64_t length, Buffer* out_buffer,
                           const hal_buffer_params_t& params = DeviceLocal(),
                           hal_queue_mask_t queues = HAL_QUEUE_ANY) const {
    return hal_device_queue_alloca(*this, hal::SubmitParams(waits, signals, queues), &params, length,
                                   out_buffer->out());
  }
  hal_status_t QueueDealloca(const Points& waits, const Points& signals, const Buffer& buffer,
                             hal_queue_mask_t queues = HAL_QUEUE_ANY) const {
    return hal_device_queue_dealloca(*this, hal::SubmitParams(waits, signals, queues), buffer);
  }
  /// Fills with a pattern as wide as `T`.
  template <class T>
  hal_status_t QueueFill(const Points& waits, const Points& signals, const Ref& target, T pattern,
                         hal_queue_mask_t queues = HAL_QUEUE_ANY) const {
    return hal_device_queue_fill(*this, hal::SubmitParams(waits, signals, queues), target, &pattern, sizeof(pattern));
  }
  hal_status_t QueueUpdate(const Points& waits, const Points& signals, const void* data, const Ref& target,
                           hal_queue_mask_t queues = HAL_QUEUE_ANY) const {
    return hal_device_queue_update(*this, hal::SubmitParams(waits, signals, queues), data, target);
  }
  hal_status_t QueueCopy(const Points& waits, const Points& signals, const Ref& source, const Ref& target,
                         hal_queue_mask_t queues = HAL_QUEUE_ANY) const {
    return hal_device_queue_copy(*this, hal::SubmitParams(waits, signals, queues), source, target);
  }
  hal_status_t QueueRead(const Points& waits, const Points& signals, const File& file, uint64_t file_offset,
                         const Ref& target, hal_queue_mask_t queues = HAL_QUEUE_ANY) const {
    return hal_device_queue_read(*this, hal::SubmitParams(waits, signals, queues), file, file_offset, target);
  }
  hal_status_t QueueWrite(const Points& waits, const Points& signals, const Ref& source, const File& file,
                          uint64_t file_offset, hal_queue_mask_t queues = HAL_QUEUE_ANY) const {
    return hal_device_queue_write(*this, hal::SubmitParams(waits, signals, queues), source, file, file_offset);
  }
  hal_status_t QueueDispatch(const Points& waits, const Points& signals, const Executable& executable,
                             std::string_view name, const Dispatch& dispatch,
                             hal_queue_mask_t queues = HAL_QUEUE_ANY) const {
    return hal_device_queue_dispatch(*this, hal::SubmitParams(waits, signals, queues), executable,
                                     executable.Export(name), dispatch.params());
  }
  hal_status_t QueueExecute(const Points& waits, const Points& signals, const CommandBuffer& commands,
                            const std::vector<Ref>& table = {}, hal_queue_mask_t queues = HAL_QUEUE_ANY) const;
  /// With a block of numbers.
  hal_status_t QueueExecuteWith(const Points& waits, const Points& signals, const CommandBuffer& commands,
                                const std::vector<uint32_t>& numbers, const std::vector<Ref>& table = {}) const;
  /// Calls `callback`, whose status becomes the operation's.
  hal_status_t QueueHostCall(const Points& waits, const Points& signals,
                             std::function<hal_status_t(hal_status_t)> callback,
                             hal_queue_mask_t queues = HAL_QUEUE_ANY) const;
  /// @}
};

}  // namespace halyard::cts

#endif  // HALYARD_TESTS_CTS_DEVICE_H_
