// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// hipDeviceProp_t in its two layouts, of which programs read the name and the architecture.
#ifndef HALYARD_TESTS_SIM_HIP_PROPERTIES_H_
#define HALYARD_TESTS_SIM_HIP_PROPERTIES_H_

#include <string>
#include <string_view>

#include "hip/abi/hip_abi.h"

namespace halyard::hip::abi {

struct PropertiesLayout {
  size_t size;          // bytes of all
  size_t architecture;  // where it lies
};
inline constexpr PropertiesLayout kOldLayout = {kDevicePropertiesSize, kArchitectureOffset};
inline constexpr PropertiesLayout kNewLayout = {kDevicePropertiesSizeR0600, kArchitectureOffsetR0600};

// Fills the struct at `properties`. The texts are cut to the room that they have there.
void FillProperties(const PropertiesLayout& layout, std::string_view name, std::string_view architecture,
                    void* properties);

}  // namespace halyard::hip::abi

#endif  // HALYARD_TESTS_SIM_HIP_PROPERTIES_H_
