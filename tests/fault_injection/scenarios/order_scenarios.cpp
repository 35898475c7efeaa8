// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Queues that wait for each other and for the host, and a device that is released while they work.
#include <memory>

#include "cts/callbacks.h"
#include "fault_injection/scenarios/scenario.h"

namespace halyard::fault_injection {
namespace {

using cts::Device;
using cts::Dispatch;
using cts::kNoWaits;
using Words = std::vector<uint32_t>;

// A diamond over two queues beside work that has nothing to do with it.
void TwoQueues(Witness& witness) {
  const Device device = witness.Open();
  const auto kernels = device.LoadKernels("basic");
  const auto left = device.CreateBufferOf(Words(64, 1), cts::Mappable());
  const auto right = device.CreateBufferOf(Words(64, 1), cts::Mappable());
  const auto alone = device.CreateBufferOf(Words(64, 1), cts::Mappable());
  const auto top = device.CreateSemaphore();
  const auto sides = device.CreateSemaphore();
  const auto other_side = device.CreateSemaphore();
  const auto bottom = device.CreateSemaphore();
  const auto apart = device.CreateSemaphore();
  const auto add_one = [&](const cts::Buffer& buffer) { return Dispatch().Workgroups(1).Bind(buffer); };
  const bool independent =
      witness.Ok(device.QueueFill<uint32_t>(kNoWaits, {{apart, 1}}, alone, 9, device.Queue(1)), "independent fill");
  const bool diamond =
      witness.Ok(device.QueueFill<uint32_t>(kNoWaits, {{top, 1}}, left, 4, device.Queue(0)), "fill") &&
      witness.Ok(device.QueueDispatch({{top, 1}}, {{sides, 1}}, kernels, "add_one", add_one(left), device.Queue(0)),
                 "dispatch") &&
      witness.Ok(
          device.QueueDispatch({{top, 1}}, {{other_side, 1}}, kernels, "add_one", add_one(right), device.Queue(1)),
          "dispatch") &&
      witness.Ok(device.QueueCopy({{sides, 1}, {other_side, 1}}, {{bottom, 1}}, left, right, device.Queue(1)), "copy");
  if (independent && witness.Reached(apart, 1, "independent fill")) {
    witness.Expect(device.Download<uint32_t>(alone) == Words(64, 9), "independent fill");
  }
  if (!diamond) return;
  if (witness.Reached(top, 1, "top") && witness.Reached(sides, 1, "side")) {
    witness.Expect(device.Download<uint32_t>(left) == Words(64, 5), "left");
  }
  if (witness.Reached(bottom, 1, "bottom")) witness.Expect(device.Download<uint32_t>(right) == Words(64, 5), "right");
}

// Deferred work that a host signal releases. A callback is called, and some waits end without success.
void Deferred(Witness& witness) {
  const Device device = witness.Open();
  const auto buffer = device.CreateBufferOf(Words(64, 1), cts::Mappable());
  const auto go = device.CreateSemaphore();
  const auto time = device.CreateSemaphore();
  const auto failed = device.CreateSemaphore();
  const auto dependent = device.CreateSemaphore();
  const auto called = std::make_shared<cts::Counter>();
  const bool submitted =
      witness.Ok(device.QueueFill<uint32_t>({{time, 1}}, {{time, 2}}, buffer, 2, device.Queue(1)), "second fill") &&
      witness.Ok(device.QueueFill<uint32_t>({{go, 1}}, {{time, 1}}, buffer, 3, device.Queue(0)), "first fill") &&
      witness.Ok(device.QueueBarrier({{failed, 1}}, {{dependent, 1}}), "barrier") &&
      witness.Ok(time.Notify(2, [called](hal_status_t, const std::string&) { called->Add(); }), "notify");
  witness.Ok(go.Signal(1), "signal");
  witness.Ok(failed.Fail(HAL_STATUS_ABORTED), "fail");
  if (submitted) {
    const hal_status_t status = dependent.Wait(1);
    if (status != HAL_STATUS_ABORTED) witness.Ok(status, "barrier");
    witness.Expect(status != HAL_STATUS_OK, "a failure travels");
    if (witness.Reached(time, 2, "fills")) {
      witness.Expect(called->WaitFor(1) && device.Download<uint32_t>(buffer) == Words(64, 2), "fills in order");
    }
  }
}

// Many submissions, so that submitting threads retire some.
void ManySubmissions(Witness& witness) {
  const Device device = witness.Open();
  const auto buffer = device.CreateBufferOf(Words(32, 0), cts::Mappable());
  const auto done = device.CreateSemaphore();
  bool submitted = true;
  for (uint64_t i = 0; i < 20 && submitted; ++i) {
    submitted = witness.Ok(
        device.QueueFill<uint32_t>({{done, i}}, {{done, i + 1}}, buffer, static_cast<uint32_t>(i), device.Queue(i / 4)),
        "fill");
  }
  if (submitted && witness.Reached(done, 20, "fills")) {
    witness.Expect(device.Download<uint32_t>(buffer) == Words(32, 19), "the last fill is the last");
  }
}

// Everything is released while the device works.
void TeardownAtWork(Witness& witness) {
  const Device device = witness.Open();
  const auto kernels = device.LoadKernels("basic");
  for (size_t queue : {0, 1}) {
    const auto mask = device.Queue(queue);
    const auto work = device.CreateBuffer(256);
    const auto out = device.CreateBuffer(256, cts::Mappable());
    const auto time = device.CreateSemaphore();
    cts::Buffer held;
    const auto dispatch = Dispatch().Workgroups(1).Bind(work);
    witness.Ok(device.QueueFill<uint32_t>(kNoWaits, {{time, 1}}, work, 1, mask), "fill");
    witness.Ok(device.QueueDispatch({{time, 1}}, {{time, 2}}, kernels, "add_one", dispatch, mask), "dispatch");
    witness.Ok(device.QueueCopy({{time, 2}}, cts::kNoSignals, work, out), "copy");
    witness.Ok(device.QueueAlloca({{time, 2}}, cts::kNoSignals, 4096, &held, cts::DeviceLocal(), mask), "alloca");
  }
}

constexpr Scenario kOrderScenarios[] = {{"TwoQueues", TwoQueues},
                                        {"Deferred", Deferred},
                                        {"ManySubmissions", ManySubmissions},
                                        {"TeardownAtWork", TeardownAtWork, "*"}};

}  // namespace

std::span<const Scenario> OrderScenarios() { return kOrderScenarios; }

}  // namespace halyard::fault_injection
