// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of a device, as buffers of Python share it.
#ifndef HALYARD_PYTHON_DEVICE_MEMORY_H_
#define HALYARD_PYTHON_DEVICE_MEMORY_H_

#include <memory>
#include <string>
#include <vector>

#include "element_type.h"
#include "live.h"
#include "process.h"

namespace halyard::python {

struct DeviceCore;

/// A timeline that streams and buffers share.
struct Timeline {
  SemaphoreRef semaphore;
};

/// One allocation, or memory of another library that was imported. Its parts and views share it.
class Memory : Live<Memory> {
 public:
  static constexpr const char* kKind = "memory";

  /// `owner` is what owns imported memory of which the library need not know the end, or NULL.
  Memory(std::shared_ptr<DeviceCore> device, BufferRef buffer);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  const std::shared_ptr<DeviceCore>& device() const { return device_; }
  hal_buffer_t* buffer() const { return buffer_.get(); }
  uint64_t length() const { return length_; }
  bool is_read_only() const { return (info_.usage & HAL_BUFFER_USAGE_READ_ONLY) != 0; }
  bool is_host_visible() const { return (info_.usage & HAL_BUFFER_USAGE_MAPPING) != 0; }
  bool is_device_local() const { return (info_.memory_type & HAL_MEMORY_TYPE_DEVICE_LOCAL) != 0; }
  bool is_coherent() const { return (info_.memory_type & HAL_MEMORY_TYPE_HOST_COHERENT) != 0; }
  const hal_buffer_info_t& info() const { return info_; }

  /// Where the host reaches it. Mapped at the first call, until the memory goes.
  std::byte* Map();

  /// Remembers that work uses the memory up to a point. Called with the interpreter's lock, after a submission.
  void Note(const std::shared_ptr<Timeline>& timeline, uint64_t value) {
    if (!uses_.empty() && uses_[0].timeline == timeline) [[likely]] {
      uses_[0].value = value;
    } else {
      NoteOther(timeline, value);
    }
  }
  /// Waits until all work that was noted is done.
  void Wait(nb::handle timeout);
  /// The points that Wait() waits for; the memory keeps their timelines.
  std::vector<hal_timeline_point_t> Points() const;

 private:
  struct Use {
    std::shared_ptr<Timeline> timeline;
    uint64_t value;
  };
  void NoteOther(const std::shared_ptr<Timeline>& timeline, uint64_t value);

  std::shared_ptr<DeviceCore> device_;
  BufferRef buffer_;
  hal_buffer_info_t info_ = HAL_INIT(hal_buffer_info_t);
  uint64_t length_ = 0;
  void* mapped_ = nullptr;
  std::vector<Use> uses_;  // the interpreter's lock protects it
};

/// Usages that a device's memory can have, of those that Python wants.
std::shared_ptr<Memory> Allocate(const std::shared_ptr<DeviceCore>& device, uint64_t length, bool host);

}  // namespace halyard::python

#endif  // HALYARD_PYTHON_DEVICE_MEMORY_H_
