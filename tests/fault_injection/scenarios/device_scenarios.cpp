// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opening, asking, profiling, closing.
#include <array>
#include <atomic>

#include "fault_injection/scenarios/scenario.h"
#include "fault_injection/vendor.h"

namespace halyard::fault_injection {
namespace {

using cts::Device;
using cts::Dispatch;
using cts::Ref;

void OpenAndClose(Witness& witness) {
  cts::Driver driver;
  const Device device = witness.Open();
  if (!witness.Ok(hal_registry_open_driver(witness.registry(), device.info().driver, driver.out()), "open driver")) {
    return;
  }
  size_t count = 0;
  witness.Ok(hal_driver_list_devices(driver, &count, nullptr), "list devices");
  witness.Expect(count == 2, "two devices are listed");
  witness.Expect(device.info().queue_count == 2, "the device has two queues");
}

// Properties that the driver queries from the vendor on demand.
void Asking(Witness& witness) {
  const Device first = witness.Open(0);
  const Device second = witness.Open(1);
  hal_peer_properties_t peer = HAL_INIT(hal_peer_properties_t);
  if (witness.Ok(hal_device_query_peer(first, second, &peer), "query peer")) {
    witness.Expect(peer.relation == TestedVendor().peers, "the devices are related as they should");
  }
  std::array<hal_memory_heap_t, 3> heaps;
  heaps.fill(HAL_INIT(hal_memory_heap_t));
  size_t count = heaps.size();
  if (witness.Ok(hal_allocator_query_heaps(first.allocator(), &count, heaps.data()), "query heaps")) {
    witness.Expect(heaps[0].available > 0 && heaps[0].available <= heaps[0].capacity, "some memory is available");
  }
}

// Two devices, one after the other on each other's timelines.
void TwoDevices(Witness& witness) {
  const Device first = witness.Open(0);
  const Device second = witness.Open(1);
  const auto there = first.CreateBufferOf(std::vector<uint32_t>(64, 1), cts::Mappable());
  const auto here = second.CreateBufferOf(std::vector<uint32_t>(64, 2), cts::Mappable());
  const auto one = first.CreateSemaphore();
  const auto two = second.CreateSemaphore();
  if (!witness.Ok(first.QueueFill<uint32_t>(cts::kNoWaits, {{one, 1}}, there, 11), "fill on the first") ||
      !witness.Ok(second.QueueFill<uint32_t>({{one, 1}}, {{two, 1}}, here, 22), "fill on the second") ||
      !witness.Ok(first.QueueFill<uint32_t>({{two, 1}}, {{one, 2}}, Ref(there, 0, 4), 33), "fill on the first again")) {
    return;
  }
  std::vector<uint32_t> expected(64, 11);
  const bool reached_two = witness.Reached(two, 1, "the second device's fill");
  if (reached_two) witness.Expect(second.Download<uint32_t>(here) == std::vector<uint32_t>(64, 22), "second device");
  expected[0] = 33;
  if (witness.Reached(one, 2, "the first device's fills")) {
    witness.Expect(reached_two && first.Download<uint32_t>(there) == expected, "first device");
  }
}

// A copy from memory of one device to memory of the other, and back.
void PeerCopies(Witness& witness) {
  const Device first = witness.Open(0);
  const Device second = witness.Open(1);
  const auto source = first.CreateBuffer(256);
  const auto there = second.CreateBuffer(256);
  const auto back = first.CreateBufferOf(std::vector<uint32_t>(64, 1), cts::Mappable());
  const auto one = first.CreateSemaphore();
  const auto two = second.CreateSemaphore();
  if (!witness.Ok(first.QueueFill<uint32_t>(cts::kNoWaits, {{one, 1}}, source, 11), "fill") ||
      !witness.Ok(first.QueueCopy({{one, 1}}, {{two, 1}}, source, there), "copy to the second") ||
      !witness.Ok(second.QueueCopy({{two, 1}}, {{two, 2}}, there, back), "copy to the first")) {
    return;
  }
  if (!witness.Reached(two, 2, "the copies")) return;
  witness.Expect(first.Download<uint32_t>(back) == std::vector<uint32_t>(64, 11), "what came back");
}

// Rows to the other device and back, on a queue and in a command buffer.
void PeerRows(Witness& witness) {
  const Device first = witness.Open(0);
  const Device second = witness.Open(1);
  const auto source = first.CreateBufferOf(std::vector<uint32_t>(64, 11));
  const auto there = second.CreateBufferOf(std::vector<uint32_t>(64, 1), cts::Mappable());
  const auto back = first.CreateBufferOf(std::vector<uint32_t>(64, 2), cts::Mappable());
  const auto done = first.CreateSemaphore();
  hal_strided_copy_params_t rows = HAL_STRIDED_COPY_PARAMS_INIT;
  rows.source = Ref(source);
  rows.target = Ref(there);
  rows.width = 8;
  rows.height = 16;
  rows.source_row_pitch = 16;
  rows.target_row_pitch = 16;
  const auto commands = first.CreateCommandBuffer();
  hal_strided_copy_params_t returned = rows;
  returned.source = Ref(there);
  returned.target = Ref(back);
  if (!witness.Ok(commands.Begin(), "begin") ||
      !witness.Ok(hal_command_buffer_copy_strided(commands, &returned), "record rows") ||
      !witness.Ok(commands.Barrier(), "record a barrier") ||
      !witness.Ok(commands.Copy(Ref(there, 4, 4), Ref(back, 4, 4)), "record a copy") ||
      !witness.Ok(commands.End(), "end")) {
    return;
  }
  const cts::Points signals = {{done, 1}};
  if (!witness.Ok(hal_device_queue_copy_strided(first, hal::SubmitParams(cts::kNoWaits, signals, HAL_QUEUE_ANY), &rows),
                  "copy rows to the second") ||
      !witness.Ok(first.QueueExecute({{done, 1}}, {{done, 2}}, commands), "copy rows to the first")) {
    return;
  }
  if (!witness.Reached(done, 2, "the copies")) return;
  std::vector<uint32_t> expected(64, 2);
  for (size_t i = 0; i < expected.size(); ++i) {
    if (i % 4 < 2) expected[i] = 11;
  }
  witness.Expect(first.Download<uint32_t>(back) == expected, "what came back");
}

void Profiling(Witness& witness) {
  const Device device = witness.Open();
  const auto kernels = device.LoadKernels("basic");
  const auto buffer = device.CreateBufferOf(std::vector<uint32_t>(64, 1), cts::Mappable());
  const auto done = device.CreateSemaphore();
  std::atomic<uint32_t> records = 0;
  hal_profiling_sink_t sink = HAL_INIT(hal_profiling_sink_t);
  sink.user_data = &records;
  sink.record = [](void* data, const hal_profiling_record_t*) { ++*static_cast<std::atomic<uint32_t>*>(data); };
  const auto flags = HAL_PROFILING_QUEUE_OPERATIONS | HAL_PROFILING_DISPATCHES;
  if (!witness.Ok(hal_device_profiling_begin(device, flags, &sink), "profiling begin")) return;
  const bool submitted = witness.Ok(
      device.QueueDispatch(cts::kNoWaits, {{done, 1}}, kernels, "add_one", Dispatch().Workgroups(1).Bind(buffer)),
      "dispatch");
  const bool reached = submitted && witness.Reached(done, 1, "dispatch");
  witness.Ok(hal_device_profiling_end(device), "profiling end");
  if (!reached) return;
  witness.Expect(device.Download<uint32_t>(buffer) == std::vector<uint32_t>(64, 2), "profiled dispatch");
  if (records == 2) return;
  // A device that is lost meanwhile tells of the operation alone.
  const auto after = device.CreateSemaphore();
  const bool works = witness.Ok(device.QueueFill<uint32_t>(cts::kNoWaits, {{after, 1}}, buffer, 3), "fill") &&
                     witness.Reached(after, 1, "fill");
  witness.Expect(!works && records == 1, "a record of the operation and one of its dispatch");
}

constexpr Scenario kDeviceScenarios[] = {
    {"OpenAndClose", OpenAndClose},
    {"Asking", Asking},
    {"TwoDevices", TwoDevices},
    {"PeerCopies", PeerCopies,
     // Without access the vendor copies through the host; memory that a device does not import travels as a file's.
     "cuCtxEnablePeerAccess,cuMemPoolSetAccess,hipDeviceEnablePeerAccess,hipMemPoolSetAccess,"
     "newBufferWithBytesNoCopy:length:options:deallocator:"},
    {"PeerRows", PeerRows,
     // The same. A question that fails leaves the rows to the library, which copies them through the host.
     // So does Vulkan without the import of its memory.
     "cuDeviceCanAccessPeer,cuDeviceGetP2PAttribute,hipDeviceCanAccessPeer,hipDeviceGetP2PAttribute,"
     "vkGetMemoryHostPointerPropertiesEXT,vkCreateBuffer,vkBindBufferMemory,"
     "cuCtxEnablePeerAccess,cuMemPoolSetAccess,hipDeviceEnablePeerAccess,hipMemPoolSetAccess,"
     "newBufferWithBytesNoCopy:length:options:deallocator:"},
    {"Profiling", Profiling, "cuEventCreate,cuEventRecord,hipEventCreateWithFlags,hipEventRecord"}};

}  // namespace

std::span<const Scenario> DeviceScenarios() { return kDeviceScenarios; }

}  // namespace halyard::fault_injection
