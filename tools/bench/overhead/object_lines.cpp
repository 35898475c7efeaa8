// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the application makes and releases on the host, again and again.
#include "overhead.h"

namespace halyard::tools {
namespace {

void Semaphores(Sides& sides, const Comparison& comparison) {
  comparison.TakeTurns([&] { return bench::Time([&] { sides.raw->MakeSignals(kCount); }); },
                       [&] {
                         return bench::Time([&] {
                           for (int i = 0; i < kCount; ++i) sides.halyard.device().MakeSemaphore();
                         });
                       });
}

void AddBufferLine(Overhead& overhead, uint64_t length, const std::string& name, const std::string& what) {
  overhead.Add({.name = name,
                .what = what,
                .turns = 50,
                .operations = kCount,
                .vulkan_target = bench::Target{.nanoseconds = 2000}},
               [length](Sides& sides, const Comparison& comparison) {
                 comparison.TakeTurns(
                     [&] {
                       const double cost = bench::Time([&] { sides.raw->AllocateAndFree(length, kCount); });
                       sides.raw->Drain();
                       return cost;
                     },
                     [&] {
                       return bench::Time([&] {
                         for (int i = 0; i < kCount; ++i) sides.halyard.device().Allocate(length);
                       });
                     });
               });
}

}  // namespace

void AddObjectLines(Overhead& overhead) {
  overhead.Add({.name = "semaphore",
                .what = "a semaphore, made and released (raw: an event or a timeline)",
                .turns = 50,
                .operations = kCount,
                .vulkan_target = bench::Target{.nanoseconds = 500}},
               Semaphores);
  AddBufferLine(overhead, 4 * kKiB, "buffer_4_KiB",
                "a buffer of 4 KiB, allocated and freed (raw: memory from a pool that keeps everything)");
  AddBufferLine(overhead, kMiB, "buffer_1_MiB", "the same of 1 MiB");
  AddBufferLine(overhead, 16 * kMiB, "buffer_16_MiB", "the same of 16 MiB");
}

}  // namespace halyard::tools
