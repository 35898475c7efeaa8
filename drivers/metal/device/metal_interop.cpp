// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "metal/device/metal_interop.h"

#include "base/drain_scope.h"
#include "driver_kit/device/interop_checks.h"
#include "halyard/metal_interop.h"
#include "metal/device/metal_device.h"
#include "metal/queue/metal_lane.h"

namespace halyard::metal {
namespace {

Status ImportEvent(MetalDevice& device, NativeSharedEvent event, uint64_t value, hal_semaphore_list_t signals) {
  HAL_TRY(CheckGiven("event", event));
  HAL_TRY(CheckSignalList(signals));
  HAL_TRY(device.health().Check());
  const AutoreleaseScope scope;
  return device.event_watch().Add(&device, event, value, signals);
}

Status ExportEvent(MetalDevice& device, hal_semaphore_list_t waits, NativeSharedEvent event, uint64_t value) {
  HAL_TRY(CheckGiven("event", event));
  HAL_TRY(CheckWaitList(waits));
  HAL_TRY(device.health().Check());
  const DrainScope drain;  // what this brings about may give up the device
  const hal_queue_operation_t operation = MakeJoin(waits);
  ActionPool<MetalAction>::Handle action = device.actions().Borrow();
  action->Capture(device, operation, nullptr);
  action->Prepare();
  action->SetExternalEvent(Owned<NativeSharedEvent>::Retaining(event), value);
  action.release()->Defer(operation.wait_list);
  return kOk;
}

Status QueueOf(MetalDevice& device, uint32_t queue, void** out_queue) {
  HAL_TRY(CheckGiven("out_queue", out_queue));
  if (queue >= device.queue_count()) {
    return Fail(HAL_STATUS_OUT_OF_RANGE, "queue %u; the device has %u", queue, device.queue_count());
  }
  *out_queue = static_cast<MetalLane&>(device.queue(queue).lane()).native();
  return kOk;
}

template <class Body>
hal_status_t WithDevice(const char* function, hal_device_t* device, const Body& body) noexcept {
  return OnDeviceOf<MetalDevice>("metal", function, device, body);
}

constexpr hal_metal_interop_interface_t kTable = {
    sizeof(hal_metal_interop_interface_t),
    [](hal_device_t* device, void** out_device) noexcept {
      return WithDevice("device", device, [&](MetalDevice& metal) -> Status {
        HAL_TRY(CheckGiven("out_device", out_device));
        *out_device = metal.native();
        return kOk;
      });
    },
    [](hal_device_t* device, uint32_t queue, void** out_queue) noexcept {
      return WithDevice("queue", device, [&](MetalDevice& metal) { return QueueOf(metal, queue, out_queue); });
    },
    [](hal_device_t* device, void* event, uint64_t value, hal_semaphore_list_t signals) noexcept {
      return WithDevice("import_event", device, [&](MetalDevice& metal) {
        return ImportEvent(metal, static_cast<NativeSharedEvent>(event), value, signals);
      });
    },
    [](hal_device_t* device, hal_semaphore_list_t waits, void* event, uint64_t value) noexcept {
      return WithDevice("export_event", device, [&](MetalDevice& metal) {
        return ExportEvent(metal, waits, static_cast<NativeSharedEvent>(event), value);
      });
    }};

}  // namespace

DeviceExtension InteropExtension() { return {HAL_METAL_INTEROP_INTERFACE, 1, &kTable}; }

}  // namespace halyard::metal
