// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Command buffers of indirect dispatches, against launches of as many workgroups as the host knows. Who reads the
// counts, the host or the device, is the device's choice or its URI's (`indirect=`).
#include "overhead.h"

namespace halyard::tools {
namespace {

using bench::Time;

void Indirect(Sides& sides, const Comparison& comparison, int dispatches) {
  const Buffer counts = sides.halyard.MakeCounts();
  const CommandBuffer commands = sides.halyard.RecordIndirect(dispatches, counts);
  sides.halyard.Wait();
  comparison.TakeTurns([&] { return Time([&] { sides.raw->LaunchAndWait(dispatches); }); },
                       [&] {
                         return Time([&] {
                           sides.halyard.Execute(commands.get());
                           sides.halyard.Wait();
                         });
                       });
}

}  // namespace

void AddIndirectLines(Overhead& overhead) {
  const auto add = [&](int dispatches, const char* name, const char* what) {
    overhead.Add({.name = name, .what = what, .turns = 1000},
                 [dispatches](Sides& sides, const Comparison& comparison) { Indirect(sides, comparison, dispatches); });
  };
  add(1, "indirect_1",
      "one indirect dispatch of a recording, submitted until done (raw: a launch whose counts the host knows)");
  add(10, "indirect_10", "ten of them, a barrier between any two (raw: ten launches)");
}

}  // namespace halyard::tools
