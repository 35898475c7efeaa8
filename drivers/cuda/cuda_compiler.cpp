// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUDA C++ to PTX, by NVRTC.
#include "cuda/cuda_compiler.h"

#include <string>

#include "stream/device/source_compiler_table.h"

namespace halyard::cuda {
namespace {

struct Nvrtc {
  static constexpr char kSourceFormat[] = HAL_EXECUTABLE_FORMAT_CUDA_SOURCE;
  static constexpr char kImageFormat[] = "ptx";
  static constexpr const char* kFiles[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"};
  static constexpr stream::RuntimeCompilerNames kNames = {"CUDA compiler (NVRTC)", "HALYARD_NVRTC_LIBRARY", kFiles,
                                                          "nvrtc", "GetPTX"};

  static HostVector<HostString> OwnOptions(const stream::RuntimeCompiler& compiler, const CudaApi& api,
                                           const hal_compile_params_t& params) {
    static constexpr std::string_view kArchitecture[] = {"--gpu-architecture", "-arch"};
    if (stream::HasOption(params, kArchitecture)) return {};
    const int newest = compiler.NewestArchitecture(api.compute_capability());
    return {HostString("--gpu-architecture=compute_").append(std::to_string(newest))};
  }
};

}  // namespace

const hal_source_compiler_interface_t kSourceCompiler = stream::MakeSourceCompilerTable<Nvrtc, CudaApi>();

}  // namespace halyard::cuda
