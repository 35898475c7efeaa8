// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels, command buffers, callbacks.
#include <atomic>
#include <memory>

#include "fault_injection/scenarios/scenario.h"

namespace halyard::fault_injection {
namespace {

using cts::Device;
using cts::Dispatch;
using cts::kNoWaits;
using cts::Ref;
using cts::Slot;
using Words = std::vector<uint32_t>;

void UploadDispatchDownload(Witness& witness) {
  const Device device = witness.Open();
  const auto kernels = device.LoadKernels("basic");
  const auto source = device.CreateBufferOf(Words(64, 5));
  const auto target = device.CreateBuffer(256);
  const auto done = device.CreateSemaphore();
  const auto dispatch = Dispatch().Workgroups(1).Constant(uint32_t{7}).Bind(source).Bind(target);
  if (!witness.Ok(device.QueueDispatch(kNoWaits, {{done, 1}}, kernels, "add_constant", dispatch), "dispatch")) return;
  if (witness.Reached(done, 1, "dispatch")) witness.Expect(device.Download<uint32_t>(target) == Words(64, 12), "sums");
}

// One command buffer, executed twice at once with other buffers. A barrier and an event order its parts.
void Recording(Witness& witness) {
  const Device device = witness.Open();
  const auto kernels = device.LoadKernels("basic");
  const auto event = device.CreateEvent();
  const uint32_t word = 40;
  const auto recording = device.Record(
      [&](const cts::CommandBuffer& commands) {
        cts::Check(commands.Fill<uint32_t>(Slot(0), 1), "record fill");
        cts::Check(commands.Barrier(), "record barrier");
        cts::Check(commands.Dispatch(kernels, "add_one", Dispatch().Workgroups(1).Bind(Slot(0))), "record dispatch");
        cts::Check(commands.SignalEvent(event), "record signal");
        cts::Check(commands.WaitEvents({event}), "record wait");
        cts::Check(commands.Copy(Slot(0, 0, 64), Slot(1, 0, 64)), "record copy");
        cts::Check(commands.Update(&word, Slot(1, 64, 4)), "record update");
      },
      0, 2);
  const cts::Buffer work[] = {device.CreateBuffer(256), device.CreateBuffer(256)};
  const cts::Buffer out[] = {device.CreateBufferOf(Words(17, 9), cts::Mappable()), device.CreateBufferOf(Words(17, 9))};
  const auto done = device.CreateSemaphore();
  const auto also = device.CreateSemaphore();
  Words expected(17, 2);
  expected[16] = 40;
  const bool first = witness.Ok(device.QueueExecute(kNoWaits, {{done, 1}}, recording, {work[0], out[0]}), "execute");
  const bool second = witness.Ok(
      device.QueueExecute(kNoWaits, {{also, 1}}, recording, {work[1], out[1]}, device.Queue(1)), "execute again");
  if (first && witness.Reached(done, 1, "execution")) {
    witness.Expect(device.Download<uint32_t>(out[0]) == expected, "first execution");
  }
  if (second && witness.Reached(also, 1, "second execution")) {
    witness.Expect(device.Download<uint32_t>(out[1]) == expected, "second execution");
  }
}

void Indirect(Witness& witness) {
  const Device device = witness.Open();
  const auto kernels = device.LoadKernels("basic");
  const auto counts = device.CreateBufferOf(Words{2, 1, 1});
  const auto buffer = device.CreateBufferOf(Words(192, 1));
  const auto recording = device.Record([&](const cts::CommandBuffer& commands) {
    const auto dispatch = Dispatch().Indirect(counts).Bind(buffer);
    cts::Check(commands.Dispatch(kernels, "add_one", dispatch), "record dispatch");
    cts::Check(commands.Barrier(), "record barrier");
    cts::Check(commands.Dispatch(kernels, "add_one", dispatch), "record dispatch");
  });
  const auto done = device.CreateSemaphore();
  if (!witness.Ok(device.QueueExecute(kNoWaits, {{done, 1}}, recording), "execute")) return;
  Words expected(128, 3);
  expected.resize(192, 1);
  if (witness.Reached(done, 1, "execution")) {
    witness.Expect(device.Download<uint32_t>(buffer) == expected, "indirect dispatches");
  }
}

// Host calls between pieces of work, one of which fails by itself.
void HostCalls(Witness& witness) {
  const Device device = witness.Open();
  const auto buffer = device.CreateBufferOf(Words(16, 1), cts::Mappable());
  const auto chain = device.CreateSemaphore();
  const auto refused = device.CreateSemaphore();
  const auto calls = std::make_shared<std::atomic<uint32_t>>(0);
  const auto count = [calls](hal_status_t status) {
    ++*calls;
    return status;
  };
  const auto refuse = [](hal_status_t status) { return status == HAL_STATUS_OK ? HAL_STATUS_DATA_LOSS : status; };
  const bool submitted =
      witness.Ok(device.QueueHostCall(kNoWaits, {{chain, 1}}, count), "host call") &
      static_cast<int>(witness.Ok(device.QueueFill<uint32_t>({{chain, 1}}, {{chain, 2}}, buffer, 6), "fill")) &
      static_cast<int>(witness.Ok(device.QueueHostCall({{chain, 2}}, {{chain, 3}}, count), "host call"));
  if (witness.Ok(device.QueueHostCall(kNoWaits, {{refused, 1}}, refuse), "refusing host call")) {
    const hal_status_t status = refused.Wait(1);
    if (status != HAL_STATUS_DATA_LOSS) witness.Ok(status, "refusing host call");
    witness.Expect(status != HAL_STATUS_OK, "a host call that fails fails what it signals");
  }
  if (submitted && witness.Reached(chain, 3, "host calls")) {
    witness.Expect(*calls == 2 && device.Download<uint32_t>(buffer) == Words(16, 6), "host calls");
  }
}

constexpr Scenario kWorkScenarios[] = {
    {"UploadDispatchDownload", UploadDispatchDownload},
    {"Recording", Recording, "", Apis::kOthers},
    {"RecordingAsGraph", Recording, "", Apis::kStreams, "&command_buffer=graph"},
    {"RecordingInStream", Recording, "", Apis::kStreams, "&command_buffer=stream"},
    {"Indirect", Indirect, "", Apis::kOthers},
    {"IndirectByHost", Indirect, "", Apis::kStreams, "&indirect=host"},
    // Read by the device if nvcc was available. Without its kernel for the counts the host reads them.
    {"IndirectInGraph", Indirect, "cuModuleLoadDataEx,cuModuleGetFunction", Apis::kStreams, "&command_buffer=graph"},
    {"HostCalls", HostCalls}};

}  // namespace

std::span<const Scenario> WorkScenarios() { return kWorkScenarios; }

}  // namespace halyard::fault_injection
