// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Not asked for yet: each answers that it does not know.
#include "platform/system_facts.h"

#include <algorithm>
#include <thread>

namespace halyard {

uint64_t AvailableHostMemory() { return UINT64_MAX; }

int32_t OnlyNumaNode() { return -1; }

int32_t NumaNodeOf(const hal_pci_address_t&) { return -1; }

uint32_t ProcessorClockKhz() { return 0; }

uint32_t ProcessorsOfThread() { return std::max(1u, std::thread::hardware_concurrency()); }

MachineLoad ReadMachineLoad() noexcept { return {}; }

std::array<uint64_t, 3> CacheSizes() { return {}; }

std::array<uint64_t, 2> ProcessorFeatureWords() { return {}; }

}  // namespace halyard
