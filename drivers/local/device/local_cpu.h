// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the host's processors are.
#ifndef HALYARD_DRIVERS_LOCAL_DEVICE_LOCAL_CPU_H_
#define HALYARD_DRIVERS_LOCAL_DEVICE_LOCAL_CPU_H_

#include <string_view>

#include "base/host_memory.h"
#include "halyard/device_properties.h"

namespace halyard::local {

/// The instructions that the processors have and that the system lets programs use.
struct CpuInstructions {
  const char* vendor = "";  // for people
  uint32_t vendor_id = 0;   // as PCI-SIG numbers it
  const char* architecture = "";
  HostVector<hal_string_view_t> features;

  bool Has(std::string_view feature) const;
};

/// Asks the processor that this thread runs on; all of a host are taken to be alike. In local_cpu_instructions.cpp.
CpuInstructions ReadCpuInstructions();

/// What a local device is made of, except formats and extensions. Read once; lives until hal_shutdown().
const hal_device_properties_t& HostCpuProperties();

}  // namespace halyard::local

#endif  // HALYARD_DRIVERS_LOCAL_DEVICE_LOCAL_CPU_H_
