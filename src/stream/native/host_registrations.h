// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pins memory of the application so that the device can use it.
#ifndef HALYARD_STREAM_NATIVE_HOST_REGISTRATIONS_H_
#define HALYARD_STREAM_NATIVE_HOST_REGISTRATIONS_H_

#include <cstdint>
#include <memory>
#include <mutex>

#include "base/host_memory.h"
#include "base/status.h"
#include "stream/native/native_api.h"

namespace halyard::stream {

/// The API registers a range of memory once, for all of its devices. The application may import the range, or parts of
/// it, any number of times, on any device. So all devices of an API share one object, which counts the imports of each
/// registration. A registration belongs to the context that made it, and ends with that context. So its entry keeps the
/// registering device's API object, and with it the context, until the last import is released. Thread-safe.
class HostRegistrations {
 public:
  HostRegistrations() = default;
  HostRegistrations(const HostRegistrations&) = delete;
  HostRegistrations& operator=(const HostRegistrations&) = delete;

  /// Makes [memory, memory + length) accessible to the device. `*out_registered` is the argument of Release(); NULL for
  /// memory that the API knew already. INCOMPATIBLE if only a part of it is registered.
  Status Acquire(const std::shared_ptr<NativeApi>& api, void* memory, uint64_t length, void** out_registered,
                 NativeAddress* out_address);
  void Release(void* registered) noexcept;

 private:
  struct Registration {
    uint64_t length = 0;  // bytes
    uint64_t count = 0;   // imports that share it
    std::shared_ptr<NativeApi> owner;
  };
  Status Register(const std::shared_ptr<NativeApi>& api, char* memory, uint64_t length, void** out_registered);

  std::mutex mutex_;                            // protects what follows; native calls are made under it
  HostMap<char*, Registration> registrations_;  // by their first byte; none overlaps another
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_NATIVE_HOST_REGISTRATIONS_H_
