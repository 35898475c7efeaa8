// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/timeline/waiting_threads.h"

#include "base/process_wide.h"
#include "driver_kit/device/usable_processors.h"
#include "platform/process.h"
#include "platform/system_facts.h"

namespace halyard {

WaitingThreads::WaitingThreads() : process_(ProcessId()), room_(UsableProcessors()) {}

void WaitingThreads::ReadLoad() noexcept {
  const MachineLoad load = ReadMachineLoad();
  room_.NoteLoad(load.processors, load.runnable);
}

WaitingThreads& WaitingThreads::Get() { return ProcessWide<WaitingThreads>::Get(); }

}  // namespace halyard
