// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream_interop.h"

namespace halyard::python {

const hal_stream_interop_interface_t* FindStreamInterop(hal_device_t* device) {
  const void* table = nullptr;
  const hal_string_view_t name = hal_string_view(HAL_STREAM_INTEROP_INTERFACE);
  if (hal_device_query_interface(device, name, 1, &table) != HAL_STATUS_OK) return nullptr;
  return static_cast<const hal_stream_interop_interface_t*>(table);
}

uintptr_t NativeStream(hal_device_t* device) {
  void* stream = nullptr;
  Check(FindStreamInterop(device)->queue_stream(device, 0, &stream));
  return reinterpret_cast<uintptr_t>(stream);
}

void WaitForNative(const std::shared_ptr<DeviceCore>& device, uintptr_t native, StreamCore& stream) {
  const hal_stream_interop_interface_t* const interop = FindStreamInterop(device->ref.get());
  if (!interop) return;
  const Point point(MakeTimeline(device->ref.get(), 0), 1);
  const hal_timeline_point_t signal = point.get();
  Check(
      interop->signal_from_stream(device->ref.get(), reinterpret_cast<void*>(native), hal_semaphore_list(&signal, 1)));
  stream.WaitFor(point);
}

}  // namespace halyard::python
