// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fault_injection/scenarios/vulkan_scenarios.h"

#include <cstdlib>
#include <vector>

#include "cts/kernel_library.h"
#include "cts/memory_blobs.h"

namespace halyard::fault_injection {
namespace {

using cts::Device;
using Words = std::vector<uint32_t>;

/// A property that no instance of Vulkan shows while this lives.
class Hidden {
 public:
  explicit Hidden(const char* name) { setenv("HALYARD_SIM_VULKAN_HIDE", name, 1); }
  ~Hidden() { unsetenv("HALYARD_SIM_VULKAN_HIDE"); }
  Hidden(const Hidden&) = delete;
  Hidden& operator=(const Hidden&) = delete;
};

// Memory that is flushed before the device reads it, and invalidated before the host does: an application's, and that
// of an update and of counts, which are the driver's own.
void NotCoherent(Witness& witness) {
  const Hidden hidden("HOST_COHERENT");
  const Device device = witness.Open();
  const auto kernels = device.LoadKernels("basic");
  const auto counts = device.CreateBufferOf(Words{1, 1, 1}, cts::Mappable());
  const auto buffer = device.CreateBufferOf(Words(64, 5), cts::Mappable());
  const Words update(64, 7);
  const auto recording = device.Record([&](const cts::CommandBuffer& commands) {
    cts::Check(commands.Update(update.data(), buffer), "record update");
    cts::Check(commands.Barrier(), "record barrier");
    cts::Check(commands.Dispatch(kernels, "add_one", cts::Dispatch().Indirect(counts).Bind(buffer)), "record dispatch");
  });
  const auto done = device.CreateSemaphore();
  if (!witness.Ok(device.QueueExecute(cts::kNoWaits, {{done, 1}}, recording), "execute")) return;
  if (witness.Reached(done, 1, "execution")) witness.Expect(device.Download<uint32_t>(buffer) == Words(64, 8), "words");
}

void LoadAndRun(Witness& witness, const Device& device, const hal_blob_store_t& blobs) {
  const cts::KernelSource source(device, "basic");
  hal_executable_params_t params = source.params();
  params.blobs = &blobs;
  cts::Executable kernels;
  if (!witness.Ok(hal_executable_create(device, &params, kernels.out()), "executable")) return;
  const auto buffer = device.CreateBufferOf(Words(64, 1), cts::Mappable());
  const auto done = device.CreateSemaphore();
  const auto dispatch = cts::Dispatch().Workgroups(1).Bind(buffer);
  if (!witness.Ok(device.QueueDispatch(cts::kNoWaits, {{done, 1}}, kernels, "add_one", dispatch), "dispatch")) return;
  if (witness.Reached(done, 1, "dispatch")) {
    witness.Expect(device.Download<uint32_t>(buffer) == Words(64, 2), "words of a kernel that was kept");
  }
}

// Pipelines that are kept beyond the process, and come from there.
void PipelineCaches(Witness& witness) {
  const Device device = witness.Open();
  cts::MemoryBlobs store;
  const hal_blob_store_t blobs = store.Interface();
  for (int i = 0; i < 2; ++i) LoadAndRun(witness, device, blobs);
}

constexpr Scenario kVulkanScenarios[] = {{"NotCoherent", NotCoherent}, {"PipelineCaches", PipelineCaches}};

}  // namespace

std::span<const Scenario> VulkanScenarios() { return kVulkanScenarios; }

}  // namespace halyard::fault_injection
