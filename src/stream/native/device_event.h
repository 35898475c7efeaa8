// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reference-counted native events, and the pool that reuses them.
#ifndef HALYARD_STREAM_NATIVE_DEVICE_EVENT_H_
#define HALYARD_STREAM_NATIVE_DEVICE_EVENT_H_

#include <atomic>
#include <mutex>
#include <utility>

#include "base/host_memory.h"
#include "stream/native/native_api.h"

namespace halyard::stream {

class DeviceEventPool;

/// A native event that several holders share: the queue that recorded it, and a thread that makes a stream wait for it.
/// The queue does not record it again while another holder has it.
struct DeviceEvent : HostObject {
  NativeEvent native = nullptr;
  DeviceEventPool* pool = nullptr;
  std::atomic<uint32_t> references{0};
  DeviceEvent* next = nullptr;  // in the pool
};

/// Owns one reference to an event.
class DeviceEventRef {
 public:
  DeviceEventRef() = default;
  explicit DeviceEventRef(DeviceEvent* event) : event_(event) {
    if (event_) event_->references.fetch_add(1, std::memory_order_relaxed);
  }
  DeviceEventRef(const DeviceEventRef& other) : DeviceEventRef(other.event_) {}
  DeviceEventRef(DeviceEventRef&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  DeviceEventRef& operator=(DeviceEventRef other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }
  ~DeviceEventRef();

  explicit operator bool() const { return event_ != nullptr; }
  NativeEvent native() const { return event_->native; }
  /// Whether there is no other holder, so that it may be recorded again. No thread may copy a reference meanwhile.
  bool unique() const { return event_->references.load(std::memory_order_acquire) == 1; }

 private:
  DeviceEvent* event_ = nullptr;
};

/// Free events of one device. Thread-safe. Only a new event takes a native call. The pool destroys its events in its
/// destructor, and must outlive every reference.
class DeviceEventPool {
 public:
  DeviceEventPool(NativeApi& api, NativeEventKind kind) : api_(api), kind_(kind) {}
  /// Within a NativeScope.
  ~DeviceEventPool();
  DeviceEventPool(const DeviceEventPool&) = delete;
  DeviceEventPool& operator=(const DeviceEventPool&) = delete;

  Status Acquire(DeviceEventRef* out_event);

 private:
  friend class DeviceEventRef;
  DeviceEvent* Pop() noexcept;
  void Recycle(DeviceEvent* event) noexcept;

  NativeApi& api_;
  const NativeEventKind kind_;
  std::mutex mutex_;  // protects the list; a leaf
  DeviceEvent* free_ = nullptr;
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_NATIVE_DEVICE_EVENT_H_
