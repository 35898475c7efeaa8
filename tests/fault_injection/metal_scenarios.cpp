// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fault_injection/metal_scenarios.h"

#include "halyard/metal_interop.h"
#include "metal/native/metal_calls.h"

namespace halyard::fault_injection {
namespace {

using cts::Device;
using Words = std::vector<uint32_t>;
using SharedEvent = metal::Owned<metal::NativeSharedEvent>;

const hal_metal_interop_interface_t& Interop(const Device& device) {
  const void* table = nullptr;
  cts::Check(hal_device_query_interface(device, cts::View(HAL_METAL_INTEROP_INTERFACE), 1, &table), "query interface");
  return *static_cast<const hal_metal_interop_interface_t*>(table);
}

SharedEvent MakeEvent(const Device& device) {
  void* native = nullptr;
  cts::Check(Interop(device).device(device, &native), "device");
  SharedEvent event;
  cts::Check(metal::NewSharedEvent(static_cast<metal::NativeDevice>(native), &event), "newSharedEvent");
  return event;
}

// An event of the application releases a fill, whose end is another event.
void Events(Witness& witness) {
  const metal::AutoreleaseScope scope;
  const Device device = witness.Open();
  const auto buffer = device.CreateBufferOf(Words(64, 1), cts::Mappable());
  const auto time = device.CreateSemaphore();
  const SharedEvent begun = MakeEvent(device);
  const SharedEvent ended = MakeEvent(device);
  const cts::Points go = {{time, 1}};
  const cts::Points filled = {{time, 2}};
  if (!witness.Ok(Interop(device).import_event(device, begun.get(), 7, go), "import_event")) return;
  const bool submitted = witness.Ok(device.QueueFill<uint32_t>(go, filled, buffer, 2), "fill") &&
                         witness.Ok(Interop(device).export_event(device, filled, ended.get(), 9), "export_event");
  metal::SetSignaledValue(begun.get(), 7);  // it is awaited, and not to be kept otherwise
  if (!submitted) return;
  const auto seen = device.CreateSemaphore();
  if (!witness.Ok(Interop(device).import_event(device, ended.get(), 9, cts::Points{{seen, 1}}), "import_event") ||
      !witness.Reached(seen, 1, "the exported event")) {
    return;
  }
  if (witness.Reached(time, 2, "fill")) witness.Expect(device.Download<uint32_t>(buffer) == Words(64, 2), "filled");
}

// What exports an event fails without a semaphore; the event is set all the same.
constexpr Scenario kScenarios[] = {{"Events", Events, "commandBufferWithUnretainedReferences"}};

}  // namespace

std::span<const Scenario> MetalScenarios() { return kScenarios; }

}  // namespace halyard::fault_injection
