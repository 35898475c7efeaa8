// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of a device that several processes have.
#ifndef HALYARD_STREAM_MEMORY_SHARED_DEVICE_MEMORY_H_
#define HALYARD_STREAM_MEMORY_SHARED_DEVICE_MEMORY_H_

#include <cstdint>
#include <memory>

#include "base/host_memory.h"
#include "base/status.h"
#include "driver_kit/memory/buffer_parts.h"
#include "halyard/driver_api.h"
#include "stream/native/native_api.h"

namespace halyard::stream {

class StreamContext;

/// Behind one buffer, to which it is as memory of the application. Of each kind in NativeTraits::handles.
class SharedDeviceMemory final : public HostObject {
 public:
  /// Within a NativeScope, as the next.
  static Status Allocate(StreamContext& context, const hal_buffer_params_t& params, uint64_t length,
                         std::unique_ptr<SharedDeviceMemory>* out);
  /// OUT_OF_RANGE, INCOMPATIBLE.
  static Status Import(StreamContext& context, const hal_external_memory_t& memory,
                       std::unique_ptr<SharedDeviceMemory>* out);
  ~SharedDeviceMemory();
  SharedDeviceMemory(const SharedDeviceMemory&) = delete;
  SharedDeviceMemory& operator=(const SharedDeviceMemory&) = delete;

  /// Where the buffer begins.
  NativeAddress address() const { return memory_.address + offset_; }
  /// What is called once the memory is freed.
  void SetRelease(const ImportRelease& release) { release_ = release; }
  /// A hal_memory_release_fn_t.
  static void OnRelease(void* self) noexcept { delete static_cast<SharedDeviceMemory*>(self); }
  /// A new handle of the memory. PERMISSION_DENIED unless it was made to leave by that kind.
  Status Export(hal_external_memory_type_t type, hal_external_memory_t* out_memory) const;

 private:
  SharedDeviceMemory(StreamContext& context, uint64_t length) : context_(context), length_(length) {}
  Status CheckInside(uint64_t size) const;

  StreamContext& context_;
  const uint64_t length_;  // bytes of the buffer
  NativeShared memory_;
  uint64_t offset_ = 0;   // bytes
  uint64_t counted_ = 0;  // bytes of the device's statistics
  bool imported_ = false;
  ImportRelease release_;
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_MEMORY_SHARED_DEVICE_MEMORY_H_
