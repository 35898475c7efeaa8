// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Properties of devices, by two functions: one for each layout.
#include "hip/call.h"
#include "hip/entry_points.h"
#include "hip/properties.h"

namespace halyard::hip::abi {
namespace {

hipError_t Fill(const char* call, const PropertiesLayout& layout, void* properties, int device) {
  return Call(call, [&] {
    if (properties == nullptr) return Error::kInvalidValue;
    if (FindDevice(device) == nullptr) return Error::kInvalidDevice;
    FillProperties(layout, kDeviceName, Runtime::Get().settings.architecture, properties);
    return Error::kSuccess;
  });
}

// Named like the function that the library exports, for what counts calls.
hipError_t FillNewLayout(void* properties, int device) {
  return Fill("hipGetDevicePropertiesR0600", kNewLayout, properties, device);
}

}  // namespace

hipError_t hipGetDeviceProperties(void* properties, int device) {
  return Fill(__func__, Version() < kVersion7_15 ? kOldLayout : kNewLayout, properties, device);
}

extern "C" {

// What dlsym() finds: nothing in libraries that are older than the function, or newer than its last declaration. Of
// 7.15 (ROCm 10) it is known that no header declares it; here it is gone from the library, too, which is the worst
// case.
__attribute__((used)) static PFN_hipGetDevicePropertiesR0600 HalyardSimFindNewLayout() {
  return Version() < kVersion6 || Version() >= kVersion7_15 ? nullptr : FillNewLayout;
}

hipError_t hipGetDevicePropertiesR0600(void* properties, int device) __attribute__((ifunc("HalyardSimFindNewLayout")));
}

}  // namespace halyard::hip::abi
