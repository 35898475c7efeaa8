// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The extension "halyard.stream.interop": its functions check arguments and call external_streams.h.
#ifndef HALYARD_STREAM_DEVICE_INTEROP_TABLE_H_
#define HALYARD_STREAM_DEVICE_INTEROP_TABLE_H_

#include <string_view>

#include "base/status.h"
#include "driver_kit/device/interop_checks.h"
#include "driver_kit/object/vtable.h"
#include "halyard/semaphore.h"
#include "halyard/stream_interop.h"
#include "stream/device/external_streams.h"
#include "stream/device/stream_device.h"

namespace halyard::stream {

/// @tparam kDriver  the driver's name
template <const char* kDriver>
struct InteropTable {
  /// Runs `body(device)`, which returns a Status, for a device of the driver.
  template <class Body>
  static hal_status_t OnDevice(const char* function, hal_device_t* device, const Body& body) noexcept {
    return OnDeviceOf<StreamDevice>(kDriver, function, device, body);
  }

  static hal_status_t QueueStream(hal_device_t* device, uint32_t queue, void** out_stream) noexcept {
    return OnDevice("queue_stream", device, [&](StreamDevice& self) {
      if (!out_stream) return FailWith(HAL_STATUS_INVALID_ARGUMENT, "out_stream is NULL");
      *out_stream = nullptr;
      const uint32_t count = self.info->queue_count;
      if (queue >= count) return Fail(HAL_STATUS_OUT_OF_RANGE, "queue %u of a device with %u", queue, count);
      *out_stream = self.ShareStream(queue);
      return kOk;
    });
  }

  static hal_status_t ImportEvent(hal_device_t* device, void* event, hal_semaphore_list_t signal_list) noexcept {
    return OnDevice("import_event", device, [&](StreamDevice& self) {
      if (!event) return FailWith(HAL_STATUS_INVALID_ARGUMENT, "event is NULL");
      HAL_TRY(CheckSignalList(signal_list));
      return stream::ImportEvent(self, static_cast<NativeEvent>(event), signal_list);
    });
  }

  static hal_status_t ExportEvent(hal_device_t* device, hal_semaphore_list_t wait_list, void* event) noexcept {
    return OnDevice("export_event", device, [&](StreamDevice& self) {
      if (!event) return FailWith(HAL_STATUS_INVALID_ARGUMENT, "event is NULL");
      HAL_TRY(CheckWaitList(wait_list));
      return stream::ExportEvent(self, wait_list, static_cast<NativeEvent>(event));
    });
  }

  static hal_status_t WaitOnStream(hal_device_t* device, void* native, hal_semaphore_list_t wait_list) noexcept {
    return OnDevice("wait_on_stream", device, [&](StreamDevice& self) {
      HAL_TRY(CheckWaitList(wait_list));
      return JoinStream(self, static_cast<NativeStream>(native), wait_list, {});
    });
  }

  static hal_status_t SignalFromStream(hal_device_t* device, void* native, hal_semaphore_list_t signal_list) noexcept {
    return OnDevice("signal_from_stream", device, [&](StreamDevice& self) {
      HAL_TRY(CheckSignalList(signal_list));
      return JoinStream(self, static_cast<NativeStream>(native), {}, signal_list);
    });
  }

  static hal_status_t BeginStream(hal_device_t* device, void* native) noexcept {
    return OnDevice("begin_stream", device,
                    [&](StreamDevice& self) { return stream::BeginStream(self, static_cast<NativeStream>(native)); });
  }

  static hal_status_t EndStream(hal_device_t* device) noexcept {
    return OnDevice("end_stream", device, [](StreamDevice& self) { return stream::EndStream(self); });
  }

  /// The vendor's table: the rest of its functions are those above.
  static constexpr hal_stream_interop_interface_t Make(decltype(hal_stream_interop_interface_t::native_device) device,
                                                       int32_t dlpack_device_type) {
    return {sizeof(hal_stream_interop_interface_t),
            device,
            QueueStream,
            ImportEvent,
            ExportEvent,
            WaitOnStream,
            SignalFromStream,
            BeginStream,
            EndStream,
            dlpack_device_type};
  }
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_DEVICE_INTEROP_TABLE_H_
