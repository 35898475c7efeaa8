// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the operating system tells of itself and of the machine.
#ifndef HALYARD_PLATFORM_SYSTEM_FACTS_H_
#define HALYARD_PLATFORM_SYSTEM_FACTS_H_

#include <array>
#include <cstdint>

#include "halyard/device_properties.h"

namespace halyard {

/// Bytes that programs can still take without swapping, now; UINT64_MAX if unknown.
uint64_t AvailableHostMemory();

/// The NUMA node of all processors; -1 if there are several, or if unknown.
int32_t OnlyNumaNode();

/// The NUMA node that a device on the PCI bus is next to; -1 if unknown.
int32_t NumaNodeOf(const hal_pci_address_t& address);

/// The most that the processors run at, or what they run at now if that is all that is known; 0 if unknown.
uint32_t ProcessorClockKhz();

/// The processors that the system lets this thread run on; 1 if unknown.
uint32_t ProcessorsOfThread();

/// The processors of the machine, and the threads of all its programs that run or wait for one, now. All 0 if unknown.
struct MachineLoad {
  uint32_t processors = 0;
  uint32_t runnable = 0;
};
/// Takes one to two microseconds.
MachineLoad ReadMachineLoad() noexcept;

/// Bytes of the first processor's caches for data: levels 1, 2, 3. 0 if unknown.
std::array<uint64_t, 3> CacheSizes();

/// What the processor has, as the kernel's words of bits for AArch64 (AT_HWCAP, AT_HWCAP2) say; 0 elsewhere.
std::array<uint64_t, 2> ProcessorFeatureWords();

/// The system's name and its version, which end in a zero; empty if unknown.
struct SystemVersion {
  std::array<char, 256> name{};
  std::array<char, 256> version{};
};
SystemVersion ReadSystemVersion();

}  // namespace halyard

#endif  // HALYARD_PLATFORM_SYSTEM_FACTS_H_
