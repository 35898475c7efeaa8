// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// hipDeviceProp_t in its two layouts, of which programs read the name and the architecture.
#include <cstring>

#include "hip/call.h"
#include "hip/entry_points.h"

namespace halyard::hip::abi {
namespace {

struct Layout {
  size_t size;          // bytes of all
  size_t architecture;  // where it lies
};

hipError_t Fill(const char* call, const Layout& layout, void* properties, int device) {
  return Call(call, [&] {
    if (properties == nullptr) return Error::kInvalidValue;
    if (FindDevice(device) == nullptr) return Error::kInvalidDevice;
    auto* const bytes = static_cast<char*>(properties);
    std::memset(bytes, 0, layout.size);
    std::memcpy(bytes, kDeviceName, sizeof(kDeviceName));
    return CopyText(Runtime::Get().settings.architecture.c_str(), bytes + layout.architecture, kArchitectureSize);
  });
}

// Named like the function that the library exports, for what counts calls.
hipError_t FillNewLayout(void* properties, int device) {
  return Fill("hipGetDevicePropertiesR0600", {kDevicePropertiesSizeR0600, kArchitectureOffsetR0600}, properties,
              device);
}

}  // namespace

hipError_t hipGetDeviceProperties(void* properties, int device) {
  return Fill(__func__, {kDevicePropertiesSize, kArchitectureOffset}, properties, device);
}

extern "C" {

// What dlsym() finds: nothing in libraries that are older than the function.
__attribute__((used)) static PFN_hipGetDevicePropertiesR0600 HalyardSimFindNewLayout() {
  return Version() < kVersion6 ? nullptr : FillNewLayout;
}

hipError_t hipGetDevicePropertiesR0600(void* properties, int device) __attribute__((ifunc("HalyardSimFindNewLayout")));
}

}  // namespace halyard::hip::abi
