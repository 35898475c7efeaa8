// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// halyard._native: the classes of the package.
#include <nanobind/nanobind.h>

#include "buffer.h"
#include "commands.h"
#include "device.h"
#include "errors.h"
#include "executable.h"
#include "kernel.h"
#include "points.h"
#include "process.h"
#include "profiling.h"
#include "stream.h"

namespace halyard::python {

namespace {

template <class... Classes>
void PutCounts(nb::dict& counts) {
  ((counts[Classes::kKind] = Live<Classes>::Count()), ...);
}

}  // namespace

NB_MODULE(_native, module) {
  nb::set_leak_warnings(false);  // at exit work may be in flight, which keeps what it uses
  BindErrors(module);
  BindProcess(module);
  BindDevice(module);
  BindSemaphore(module);
  BindBuffer(module);
  BindCommands(module);
  BindStream(module);
  BindKernel(module);
  BindExecutable(module);
  BindProfiling(module);
  module.def(
      "_live_objects",
      [] {
        nb::dict counts;
        PutCounts<DeviceCore, StreamCore, Memory, Buffer, Semaphore, CommandsCore, Executable, KernelCore, Profile>(
            counts);
        return counts;
      },
      nb::sig("def _live_objects() -> dict[str, int]"), "How many objects of each kind exist.");
}

}  // namespace halyard::python
