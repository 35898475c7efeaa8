// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fills and copies inside the memory of the device, recorded and submitted again and again.
#include "overhead.h"

namespace halyard::tools {
namespace {

constexpr uint64_t kKiB = 1024;
constexpr uint64_t kMiB = 1024 * kKiB;

/// Nanoseconds until it is done.
template <class Graph>
double Run(Graph& graph) {
  return bench::Time([&] {
    graph.Launch();
    graph.Wait();
  });
}

void AddLine(Overhead& overhead, const Line& line, const RecordedTransfer& transfer) {
  overhead.Add(line, [transfer](Sides& sides, const Comparison& comparison) {
    const std::unique_ptr<CounterpartGraph> raw = sides.raw->MakeTransfer(transfer);
    Recording halyard(sides.halyard.device(), transfer);
    comparison.TakeTurns([&] { return Run(*raw); }, [&] { return Run(halyard); });
    halyard.CheckArrived(transfer);
  });
}

}  // namespace

void AddTransferLines(Overhead& overhead) {
  using Kind = RecordedTransfer::Kind;
  const uint64_t large = overhead.is_quick() ? 16 : 256;  // MiB
  AddLine(overhead,
          {.name = Concat("fill_", large, "_MiB"),
           .what = Concat("fill of ", large, " MiB"),
           .turns = 50,
           .target = {.ratio = 1 / 0.99}},
          {.kind = Kind::kFill, .length = large * kMiB});
  const auto copy = [&](const std::string& name, const std::string& what, uint64_t turns, double vulkan_ratio,
                        const RecordedTransfer& transfer) {
    AddLine(overhead,
            {.name = name,
             .what = what,
             .turns = turns,
             .target = {.ratio = 1 / 0.98},
             .vulkan_target = bench::Target{.ratio = vulkan_ratio}},
            transfer);
  };
  copy("copy_4_KiB", "copy of 4 KiB", 1000, 1 / 0.98, {.kind = Kind::kCopy, .length = 4 * kKiB});
  copy("copy_1_MiB", "copy of 1 MiB", 500, 1 / 0.98, {.kind = Kind::kCopy, .length = kMiB});
  // Vulkan's own copies are slow inside some GPUs.
  copy(Concat("copy_", large, "_MiB"), Concat("copy of ", large, " MiB"), 50, 0.25,
       {.kind = Kind::kCopy, .length = large * kMiB});
  copy(Concat("copy_", large, "_MiB_odd"), "the same from offset 1 to offset 3", 10, 0.25,
       {.kind = Kind::kCopy, .length = large * kMiB, .source_offset = 1, .target_offset = 3});
}

}  // namespace halyard::tools
