// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is not asked for yet: each answers that it does not know.
#include "platform/system_facts.h"

#include <algorithm>
#include <bit>
#include <thread>
#include <vector>

#include "platform/windows/system_headers.h"

namespace halyard {

uint64_t AvailableHostMemory() {
  MEMORYSTATUSEX status = {};
  status.dwLength = sizeof(status);
  return GlobalMemoryStatusEx(&status) ? status.ullAvailPhys : UINT64_MAX;
}

int32_t OnlyNumaNode() {
  ULONG highest = 0;
  return GetNumaHighestNodeNumber(&highest) && highest == 0 ? 0 : -1;
}

int32_t NumaNodeOf(const hal_pci_address_t&) { return -1; }

uint32_t ProcessorClockKhz() { return 0; }

// Of the thread's group of processors, which has 64 at most.
uint32_t ProcessorsOfThread() {
  DWORD_PTR process = 0;
  DWORD_PTR system = 0;
  if (GetProcessAffinityMask(GetCurrentProcess(), &process, &system) && process != 0) {
    return static_cast<uint32_t>(std::popcount(process));
  }
  return std::max(1u, std::thread::hardware_concurrency());
}

MachineLoad ReadMachineLoad() noexcept { return {}; }

std::array<uint64_t, 3> CacheSizes() {
  std::array<uint64_t, 3> sizes = {};
  DWORD size = 0;
  GetLogicalProcessorInformation(nullptr, &size);
  std::vector<SYSTEM_LOGICAL_PROCESSOR_INFORMATION> entries(size / sizeof(SYSTEM_LOGICAL_PROCESSOR_INFORMATION));
  if (entries.empty() || !GetLogicalProcessorInformation(entries.data(), &size)) return sizes;
  for (const SYSTEM_LOGICAL_PROCESSOR_INFORMATION& entry : entries) {
    const CACHE_DESCRIPTOR& cache = entry.Cache;
    const bool is_for_data = entry.Relationship == RelationCache && cache.Type != CacheInstruction;
    if (!is_for_data || cache.Level < 1 || cache.Level > sizes.size() || sizes[cache.Level - 1] != 0) continue;
    sizes[cache.Level - 1] = cache.Size;
  }
  return sizes;
}

std::array<uint64_t, 2> ProcessorFeatureWords() { return {}; }

}  // namespace halyard
