// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory in the order of a queue.
#include "overhead.h"

namespace halyard::tools {
namespace {

void AddLine(Overhead& overhead, uint64_t length, const std::string& name, const std::string& what) {
  overhead.Add({.name = name,
                .what = what,
                .turns = 50,
                .operations = kCount,
                .target = {.ratio = 1.2},
                .vulkan_target = bench::Target{.nanoseconds = 2000}},
               [length](Sides& sides, const Comparison& comparison) {
                 comparison.TakeTurns(
                     [&] {
                       const double cost = bench::Time([&] { sides.raw->AllocateAndFree(length, kCount); });
                       sides.raw->Drain();
                       return cost;
                     },
                     [&] {
                       const double cost = bench::Time([&] { sides.halyard.AllocateAndFree(length, kCount); });
                       sides.halyard.Wait();
                       return cost;
                     });
               });
}

}  // namespace

void AddMemoryLines(Overhead& overhead) {
  AddLine(overhead, uint64_t{4} << 10, "alloca_4_KiB",
          "`queue_alloca` and `queue_dealloca` of 4 KiB, host cost (raw: from a pool that keeps everything)");
  AddLine(overhead, uint64_t{64} << 20, "alloca_64_MiB", "the same of 64 MiB");
}

}  // namespace halyard::tools
