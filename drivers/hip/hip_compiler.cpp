// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HIP C++ to a code object, by hipRTC.
#include "hip/hip_compiler.h"

#include "stream/device/source_compiler_table.h"

namespace halyard::hip {
namespace {

struct HipRtc {
  static constexpr char kSourceFormat[] = HAL_EXECUTABLE_FORMAT_HIP_SOURCE;
  static constexpr char kImageFormat[] = "hsaco";
  static constexpr const char* kFiles[] = {"libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so.5", "libhiprtc.so"};
  static constexpr stream::RuntimeCompilerNames kNames = {"HIP compiler (hipRTC)", "HALYARD_HIPRTC_LIBRARY", kFiles,
                                                          "hiprtc", "GetCode"};

  static HostVector<HostString> OwnOptions(const stream::RuntimeCompiler&, const HipApi& api,
                                           const hal_compile_params_t& params) {
    static constexpr std::string_view kArchitecture[] = {"--gpu-architecture", "--offload-arch"};
    if (stream::HasOption(params, kArchitecture)) return {};
    return {HostString("--gpu-architecture=").append(View(api.properties().architecture))};
  }
};

}  // namespace

const hal_source_compiler_interface_t kSourceCompiler = stream::MakeSourceCompilerTable<HipRtc, HipApi>();

}  // namespace halyard::hip
