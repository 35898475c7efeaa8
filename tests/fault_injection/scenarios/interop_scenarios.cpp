// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams and events of the application, in one order with the library's queues (halyard/cuda_interop.h and the like).
#include <string>

#include "fault_injection/application.h"
#include "fault_injection/scenarios/scenario.h"

namespace halyard::fault_injection {
namespace {

using cts::Device;
using cts::kNoWaits;
using cts::Points;
using cts::Ref;
using Words = std::vector<uint32_t>;

/// 64 words, and where they are for the vendor.
struct Shared {
  explicit Shared(const Device& device)
      : buffer(device.CreateBuffer(256, cts::DeviceLocal(HAL_BUFFER_USAGE_DEFAULT | HAL_BUFFER_USAGE_EXPORT))) {
    hal_external_memory_t exported = HAL_INIT(hal_external_memory_t);
    cts::Check(hal_buffer_export(buffer, HAL_EXTERNAL_MEMORY_TYPE_DEVICE_POINTER, &exported), "hal_buffer_export");
    address = exported.handle;
  }
  const cts::Buffer buffer;
  uint64_t address = 0;
};

Words Halves(uint32_t first, uint32_t second) {
  Words words(64, first);
  words.resize(32);
  words.resize(64, second);
  return words;
}

/// Notes the result of a call that waits for `value`. If the submission that signals it has failed half-way, a wait on
/// the host reports that.
bool OkAfter(Witness& witness, const cts::Semaphore& time, uint64_t value, hal_status_t status, const char* what) {
  if (status != HAL_STATUS_FAILED_PRECONDITION) return witness.Ok(status, what);
  const bool reached = witness.Reached(time, value, what);
  witness.Expect(!reached, std::string(what) + " was refused although its wait was submitted");
  return false;
}

// A queue's work, then the application's, then a queue's again, all without the host.
void JoinedStream(Witness& witness) {
  const Device device = witness.Open();
  const Shared shared(device);
  const auto out = device.CreateBuffer(256);
  const auto time = device.CreateSemaphore();
  Application application(device);
  const auto stream = application.MakeStream();
  const auto& interop = application.interop();
  const Points filled = {{time, 1}};
  const Points overwritten = {{time, 2}};
  if (!witness.Ok(device.QueueFill<uint32_t>(kNoWaits, filled, shared.buffer, 1), "fill")) return;
  if (!OkAfter(witness, time, 1, interop.wait_on_stream(device, stream, filled), "wait_on_stream")) return;
  application.Fill(stream, shared.address, 2, 32);
  if (!witness.Ok(interop.signal_from_stream(device, stream, overwritten), "signal_from_stream")) return;
  if (!witness.Ok(device.QueueCopy(overwritten, {{time, 3}}, shared.buffer, out, device.Queue(1)), "copy")) return;
  if (witness.Reached(time, 3, "copy")) witness.Expect(device.Download<uint32_t>(out) == Halves(2, 1), "all in order");
}

// Submissions to a stream that was begun, with the application's own work in between. The stream is ended after every
// failure.
bool SubmitIntoStream(Witness& witness, const Device& device, const cts::Semaphore& time, const Shared& shared,
                      Application& application, Stream stream) {
  const auto& interop = application.interop();
  const auto kernels = device.LoadKernels("basic");
  const auto recording = device.Record([&](const cts::CommandBuffer& commands) {
    cts::Check(commands.Dispatch(kernels, "add_one", cts::Dispatch().Workgroups(1).Bind(shared.buffer)), "dispatch");
  });
  application.Fill(stream, shared.address, 5, 64);
  if (!witness.Ok(interop.begin_stream(device, stream), "begin_stream")) return false;
  const bool submitted =
      witness.Ok(device.QueueFill<uint32_t>(kNoWaits, {{time, 1}}, Ref(shared.buffer, 128, 128), 7), "fill") &&
      OkAfter(witness, time, 1, device.QueueExecute({{time, 1}}, {{time, 2}}, recording), "execute");
  return witness.Ok(interop.end_stream(device), "end_stream") && submitted;
}

void BegunStream(Witness& witness) {
  const Device device = witness.Open();
  const Shared shared(device);
  const auto time = device.CreateSemaphore();
  Application application(device);
  const auto stream = application.MakeStream();
  if (!SubmitIntoStream(witness, device, time, shared, application, stream)) return;
  if (!witness.Reached(time, 2, "work in a stream")) return;
  witness.Expect(device.Download<uint32_t>(shared.buffer) == Halves(6, 8), "in the stream's order");
}

// An event of the application releases a queue's work, whose end is an event that another stream waits for.
void ImportedAndExportedEvents(Witness& witness) {
  const Device device = witness.Open();
  const Shared shared(device);
  const auto out = device.CreateBuffer(256, cts::Mappable());
  const auto time = device.CreateSemaphore();
  Application application(device);
  const auto before = application.MakeStream();
  const auto after = application.MakeStream();
  const auto begun = application.MakeEvent();
  const auto copied = application.MakeEvent();
  const auto& interop = application.interop();
  application.Fill(before, shared.address, 3, 64);
  application.Record(begun, before);
  if (!witness.Ok(interop.import_event(device, begun, Points{{time, 1}}), "import_event")) return;
  if (!witness.Ok(device.QueueCopy({{time, 1}}, {{time, 2}}, shared.buffer, out), "copy")) return;
  if (!OkAfter(witness, time, 2, interop.export_event(device, Points{{time, 2}}, copied), "export_event")) return;
  application.Wait(after, copied);
  application.Fill(after, shared.address, 4, 64);
  application.Synchronize(after);
  // An event cannot carry a failure; the semaphore can.
  if (!witness.Reached(time, 2, "copy")) return;
  witness.Expect(device.Download<uint32_t>(out) == Words(64, 3), "the copy came before what waited for it");
  witness.Expect(device.Download<uint32_t>(shared.buffer) == Words(64, 4), "the last fill");
}

// The application's work in the stream of a queue.
void SharedQueue(Witness& witness) {
  const Device device = witness.Open();
  const Shared shared(device);
  const auto out = device.CreateBuffer(256);
  const auto time = device.CreateSemaphore();
  Application application(device);
  const auto mask = device.Queue(0);
  void* stream = nullptr;
  if (!witness.Ok(application.interop().queue_stream(device, 0, &stream), "queue_stream")) return;
  if (!witness.Ok(device.QueueFill<uint32_t>(kNoWaits, {{time, 1}}, shared.buffer, 1, mask), "fill")) return;
  application.Fill(stream, shared.address, 2, 32);
  if (!witness.Ok(device.QueueCopy(kNoWaits, {{time, 2}}, shared.buffer, out, mask), "copy")) return;
  if (witness.Reached(time, 2, "copy")) witness.Expect(device.Download<uint32_t>(out) == Halves(2, 1), "all in order");
}

constexpr Scenario kInteropScenarios[] = {{"JoinedStream", JoinedStream},
                                          {"BegunStream", BegunStream},
                                          {"ImportedAndExportedEvents", ImportedAndExportedEvents},
                                          {"SharedQueue", SharedQueue}};

}  // namespace

std::span<const Scenario> InteropScenarios() { return kInteropScenarios; }

}  // namespace halyard::fault_injection
