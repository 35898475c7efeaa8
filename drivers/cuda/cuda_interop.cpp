// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The extension "halyard.cuda.interop": checks arguments and hands over to stream/device/external_streams.h.
#include "halyard/cuda_interop.h"

#include <cinttypes>
#include <string_view>

#include "cuda/cuda_api.h"
#include "driver_kit/object/vtable.h"
#include "stream/device/external_streams.h"
#include "stream/device/stream_device.h"

namespace halyard::cuda {
namespace {

using stream::StreamDevice;

NativeStream StreamOf(void* handle) { return static_cast<NativeStream>(handle); }
NativeEvent EventOf(void* handle) { return static_cast<NativeEvent>(handle); }

Status CheckList(const char* name, const hal_semaphore_list_t& list, uint64_t least) {
  if (list.count > 0 && !list.points) {
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s.count is %zu, but %s.points is NULL", name, list.count, name);
  }
  for (size_t i = 0; i < list.count; ++i) {
    const hal_timeline_point_t& point = list.points[i];
    if (!point.semaphore) {
      return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s.points[%zu].semaphore is NULL", name, i);
    }
    if (point.value < least) {
      return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s.points[%zu].value is 0; a signal moves its timeline forward", name,
                  i);
    }
    const uint64_t largest = point.semaphore->device->info->limits->max_semaphore_value;
    if (point.value > largest) {
      return Fail(HAL_STATUS_OUT_OF_RANGE, "%s.points[%zu].value exceeds max_semaphore_value %" PRIu64, name, i,
                  largest);
    }
  }
  return kOk;
}

Status CheckWaits(const hal_semaphore_list_t& list) { return CheckList("wait_list", list, 0); }
Status CheckSignals(const hal_semaphore_list_t& list) { return CheckList("signal_list", list, 1); }

/// Runs `body(device)`, which returns a Status, for a device of this driver.
template <class Body>
hal_status_t OnDevice(const char* function, hal_device_t* device, const Body& body) noexcept {
  return Guard([&] {
    if (!device) return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s: device is NULL", function);
    const std::string_view driver = View(device->info->driver);
    if (driver != "cuda") {
      return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s: the device is the %.*s driver's, not the cuda driver's", function,
                  HALYARD_SV(driver));
    }
    const Status status = body(*static_cast<StreamDevice*>(device));
    return status == kOk ? kOk : Annotate(status, HostString(function).append(": "));
  });
}

hal_status_t Context(hal_device_t* device, void** out_context, int32_t* out_device) noexcept {
  return OnDevice("context", device, [&](StreamDevice& self) {
    if (!out_context || !out_device) return FailWith(HAL_STATUS_INVALID_ARGUMENT, "an out parameter is NULL");
    const auto& api = static_cast<const CudaApi&>(self.api());
    *out_context = api.context();
    *out_device = api.device();
    return kOk;
  });
}

hal_status_t QueueStream(hal_device_t* device, uint32_t queue, void** out_stream) noexcept {
  return OnDevice("queue_stream", device, [&](StreamDevice& self) {
    if (!out_stream) return FailWith(HAL_STATUS_INVALID_ARGUMENT, "out_stream is NULL");
    *out_stream = nullptr;
    const uint32_t count = self.info->queue_count;
    if (queue >= count) return Fail(HAL_STATUS_OUT_OF_RANGE, "queue %u of a device with %u", queue, count);
    *out_stream = self.ShareStream(queue);
    return kOk;
  });
}

hal_status_t ImportEvent(hal_device_t* device, void* event, hal_semaphore_list_t signal_list) noexcept {
  return OnDevice("import_event", device, [&](StreamDevice& self) {
    if (!event) return FailWith(HAL_STATUS_INVALID_ARGUMENT, "event is NULL");
    HAL_TRY(CheckSignals(signal_list));
    return stream::ImportEvent(self, EventOf(event), signal_list);
  });
}

hal_status_t ExportEvent(hal_device_t* device, hal_semaphore_list_t wait_list, void* event) noexcept {
  return OnDevice("export_event", device, [&](StreamDevice& self) {
    if (!event) return FailWith(HAL_STATUS_INVALID_ARGUMENT, "event is NULL");
    HAL_TRY(CheckWaits(wait_list));
    return stream::ExportEvent(self, wait_list, EventOf(event));
  });
}

hal_status_t WaitOnStream(hal_device_t* device, void* native, hal_semaphore_list_t wait_list) noexcept {
  return OnDevice("wait_on_stream", device, [&](StreamDevice& self) {
    HAL_TRY(CheckWaits(wait_list));
    return stream::JoinStream(self, StreamOf(native), wait_list, {});
  });
}

hal_status_t SignalFromStream(hal_device_t* device, void* native, hal_semaphore_list_t signal_list) noexcept {
  return OnDevice("signal_from_stream", device, [&](StreamDevice& self) {
    HAL_TRY(CheckSignals(signal_list));
    return stream::JoinStream(self, StreamOf(native), {}, signal_list);
  });
}

hal_status_t BeginStream(hal_device_t* device, void* native) noexcept {
  return OnDevice("begin_stream", device,
                  [&](StreamDevice& self) { return stream::BeginStream(self, StreamOf(native)); });
}

hal_status_t EndStream(hal_device_t* device) noexcept {
  return OnDevice("end_stream", device, [](StreamDevice& self) { return stream::EndStream(self); });
}

constexpr hal_cuda_interop_interface_t kInterop = {
    .struct_size = sizeof(hal_cuda_interop_interface_t),
    .context = Context,
    .queue_stream = QueueStream,
    .import_event = ImportEvent,
    .export_event = ExportEvent,
    .wait_on_stream = WaitOnStream,
    .signal_from_stream = SignalFromStream,
    .begin_stream = BeginStream,
    .end_stream = EndStream,
};

}  // namespace

std::span<const DeviceExtension> CudaApi::Extensions() const {
  static constexpr DeviceExtension kExtensions[] = {{HAL_CUDA_INTEROP_INTERFACE, 1, &kInterop}};
  return kExtensions;
}

Status CudaApi::CheckExternalStream(NativeStream stream) {
  const auto handle = reinterpret_cast<CUstream>(stream);
  CUcontext owner = nullptr;
  HAL_TRY(HALYARD_CUDA(cuda_, cuStreamGetCtx, (handle, &owner)));
  if (owner != context_) {
    return FailWith(HAL_STATUS_INCOMPATIBLE, "the stream is of another context than the device's primary one");
  }
  auto capture = CU_STREAM_CAPTURE_STATUS_NONE;
  HAL_TRY(HALYARD_CUDA(cuda_, cuStreamIsCapturing, (handle, &capture)));
  if (capture == CU_STREAM_CAPTURE_STATUS_NONE) return kOk;
  return FailWith(HAL_STATUS_FAILED_PRECONDITION, "the stream is being captured; end the capture first");
}

}  // namespace halyard::cuda
