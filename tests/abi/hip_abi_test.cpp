// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares every declaration of hip_abi.h with the vendor's headers, while compiling; and every name with the installed
// library, while running.
#include "hip/abi/hip_abi.h"

#include <dlfcn.h>

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "abi/vendor_types.h"
#include "stream/native/vendor_results.h"

namespace hip = halyard::hip::abi;

// What the vendor has as macros: ours are read here, before those replace the names.
#define MACROS(X)            \
  X(hipStreamNonBlocking)    \
  X(hipEventDefault)         \
  X(hipEventBlockingSync)    \
  X(hipEventDisableTiming)   \
  X(hipHostMallocPortable)   \
  X(hipHostMallocMapped)     \
  X(hipHostMallocCoherent)   \
  X(hipHostRegisterPortable) \
  X(hipHostRegisterMapped)   \
  X(hipMemAttachGlobal)
#define READ_MACRO(name) [[maybe_unused]] constexpr auto kOur##name = hip::name;
MACROS(READ_MACRO)
READ_MACRO(hipIpcMemLazyEnablePeerAccess)

#include <gmock/gmock.h>
#include <hip/hip_runtime_api.h>

#define SAME_MACRO(name) static_assert(kOur##name == (name), #name " has a different value");
MACROS(SAME_MACRO)
#if HIP_VERSION >= 60000000  // 0 before, which HipLibrary::ipc_flags() knows
SAME_MACRO(hipIpcMemLazyEnablePeerAccess)
#endif

// What a version of the headers lacks.
#if HIP_VERSION < 50600000
extern "C" hipError_t hipStreamGetDevice(hipStream_t stream, hipDevice_t* device);
#endif

// An overload where the headers' source is not const, as in 5.7; the same function again where it is.
hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t target, const void* source, size_t bytes, hipStream_t stream);

#define SAME_VALUE(name, value) static_assert((value) == static_cast<unsigned>(::name), #name " has a different value");
#define SAME_ENUM(type) HALYARD_##type(SAME_VALUE) HALYARD_SAME_TYPE(hip, type);

HALYARD_HIP_ENUMS(SAME_ENUM)

#define SAME_RESULT(name, cuda, value, status) SAME_VALUE(name, value)
HALYARD_VENDOR_RESULTS(SAME_RESULT)

#if HIP_VERSION < 60000000
constexpr hip::MemoryTypes kExpected = hip::kMemoryTypesBefore6;
#else
constexpr hip::MemoryTypes kExpected = hip::kMemoryTypes;
#endif
static_assert(kExpected.host == hipMemoryTypeHost && kExpected.device == hipMemoryTypeDevice);

HALYARD_SAME_HANDLE(hip, hipStream_t);
HALYARD_SAME_HANDLE(hip, hipEvent_t);
HALYARD_SAME_HANDLE(hip, hipModule_t);
HALYARD_SAME_HANDLE(hip, hipFunction_t);
HALYARD_SAME_HANDLE(hip, hipMemPool_t);
HALYARD_SAME_HANDLE(hip, hipArray_t);
HALYARD_SAME_HANDLE(hip, hipGraph_t);
HALYARD_SAME_HANDLE(hip, hipGraphNode_t);
HALYARD_SAME_HANDLE(hip, hipGraphExec_t);
static_assert(std::is_same_v<hip::hipDevice_t, hipDevice_t> && std::is_same_v<hip::hipDeviceptr_t, hipDeviceptr_t>);
static_assert(std::is_same_v<hip::hipHostFn_t, hipHostFn_t>);

HALYARD_SAME_STRUCT(hip, hipUUID, bytes);
HALYARD_SAME_STRUCT(hip, hipIpcMemHandle_t, reserved);
HALYARD_SAME_STRUCT(hip, dim3, x, y, z);
HALYARD_SAME_STRUCT(hip, hipMemLocation, type, id);
HALYARD_SAME_STRUCT(hip, hipMemAccessDesc, location, flags);
HALYARD_SAME_STRUCT(hip, hipMemPoolProps, allocType, handleTypes, location, win32SecurityAttributes);
HALYARD_SAME_STRUCT(hip, hipKernelNodeParams, blockDim, extra, func, gridDim, kernelParams, sharedMemBytes);
HALYARD_SAME_STRUCT(hip, hipPos, x, y, z);
HALYARD_SAME_STRUCT(hip, hipPitchedPtr, ptr, pitch, xsize, ysize);
HALYARD_SAME_STRUCT(hip, hipExtent, width, height, depth);
HALYARD_SAME_STRUCT(hip, hipMemcpy3DParms, srcArray, srcPos, srcPtr, dstArray, dstPos, dstPtr, extent, kind);
HALYARD_SAME_STRUCT(hip, hipMemsetParams, dst, elementSize, height, pitch, value, width);

// The plain name is a macro for the new one from 6.0 on, so the struct is that of the headers' version.
#if HIP_VERSION < 60000000
static_assert(hip::kDevicePropertiesSize >= sizeof(hipDeviceProp_t));
#else
static_assert(hip::kDevicePropertiesSizeR0600 >= sizeof(hipDeviceProp_t));
static_assert(hip::kArchitectureOffsetR0600 == offsetof(hipDeviceProp_t, gcnArchName));
#endif
static_assert(hip::kArchitectureSize == sizeof(hipDeviceProp_t::gcnArchName));

// Functions. Only those that fill hipDeviceProp_t are left out.
template <class Type>
constexpr bool Same(Type /*function*/) {
  return true;
}
#define SAME_FUNCTION(name, signature) \
  static_assert(Same<halyard::abi_test::VendorType<hip::PFN_##name>>(::name), #name " has a different signature");
HALYARD_HIP_TEXT_FUNCTIONS(SAME_FUNCTION)
HALYARD_HIP_CALL_FUNCTIONS(SAME_FUNCTION)

namespace {

using ::testing::IsEmpty;

// The first version with a function that ROCm 5.2 (Debian 12) or 5.7 (Ubuntu 24.04) lacks; the driver needs 5.7, and
// from 6.0 on the new properties.
int FirstVersion(std::string_view name) {
  if (name == "hipGetDevicePropertiesR0600") return 60000000;
  return name == "hipLaunchHostFunc" || name == "hipStreamGetDevice" ? 50700000 : 0;
}

TEST(HipAbiTest, LibraryExportsEverySymbol) {
  void* library = dlopen(HALYARD_HIP_RUNTIME, RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) GTEST_SKIP() << "no HIP library is installed: " << dlerror();
  std::vector<std::string> missing;
#define NAME(name, signature) #name,
  for (const char* symbol : {HALYARD_HIP_FUNCTIONS(NAME)}) {
    if (HIP_VERSION < FirstVersion(symbol)) continue;
    if (dlsym(library, symbol) == nullptr) missing.emplace_back(symbol);
  }
  EXPECT_THAT(missing, IsEmpty());
}

}  // namespace
