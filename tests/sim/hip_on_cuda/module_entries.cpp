// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules, functions and launches. A code object stands for the PTX of the same executable file, which the build puts
// into the folder HALYARD_HIP_ON_CUDA_KERNELS by the code object's hash.
#include <elf.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <span>
#include <string>

#include "hip/entry_points.h"
#include "hip_on_cuda/call.h"
#include "hip_on_cuda/launch_limits.h"
#include "host_code/kernel_code.h"
#include "stream_api/elf_image.h"

namespace halyard::hip::abi {
namespace {

// Empty if there is no such file.
std::string PtxOf(const void* image) {
  const char* const folder = std::getenv("HALYARD_HIP_ON_CUDA_KERNELS");
  const std::span bytes(static_cast<const std::byte*>(image), sim::ElfSize(image));
  const std::string path = std::string(folder == nullptr ? "." : folder) + "/" + sim::ImageName(bytes) + ".ptx";
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (text.empty()) std::fprintf(stderr, "hip_on_cuda: hipModuleLoadData: there is no '%s'\n", path.c_str());
  return text;
}

// Lets launches have the dynamic memory that HIP's kernels may take.
CUresult AllowLocalMemory(const CudaFunctions& cuda, CUfunction function) {
  int declared = 0;
  const CUresult result = cuda.cuFuncGetAttribute(&declared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function);
  if (result != CUDA_SUCCESS || declared >= kMostLocalMemory) return result;
  return cuda.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                 kMostLocalMemory - declared);
}

}  // namespace

hipError_t hipModuleLoadData(hipModule_t* module, const void* image) {
  return Call([&](const CudaFunctions& cuda) {
    if (module == nullptr || image == nullptr) return hipErrorInvalidValue;
    if (!sim::BeginsAs(image, ELFMAG, SELFMAG)) return hipErrorInvalidImage;
    const std::string ptx = PtxOf(image);
    if (ptx.empty()) return hipErrorNoBinaryForGpu;
    return ToHip(cuda.cuModuleLoadDataEx(ToVendor<CUmodule*>(module), ptx.c_str(), 0, nullptr, nullptr));
  });
}

hipError_t hipModuleUnload(hipModule_t module) { return Forward(&CudaFunctions::cuModuleUnload, module); }

hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t module, const char* name) {
  return Call([&](const CudaFunctions& cuda) {
    auto* const out = ToVendor<CUfunction*>(function);
    const CUresult result = cuda.cuModuleGetFunction(out, ToVendor<CUmodule>(module), name);
    return result == CUDA_SUCCESS ? AllowLocalMemory(cuda, *out) : result;
  });
}

hipError_t hipModuleGetGlobal(hipDeviceptr_t* address, size_t* bytes, hipModule_t module, const char* name) {
  return Forward(&CudaFunctions::cuModuleGetGlobal_v2, reinterpret_cast<CUdeviceptr*>(address), bytes, module, name);
}

hipError_t hipFuncGetAttribute(int* value, hipFunction_attribute attribute, hipFunction_t function) {
  static_assert(HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES == unsigned{CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES});
  static_assert(HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES == unsigned{CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES});
  static_assert(HIP_FUNC_ATTRIBUTE_NUM_REGS == unsigned{CU_FUNC_ATTRIBUTE_NUM_REGS});
  return Forward(&CudaFunctions::cuFuncGetAttribute, value, attribute, function);
}

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, hipFunction_t function, int block_size,
                                                              size_t dynamic_shared_bytes) {
  return Forward(&CudaFunctions::cuOccupancyMaxActiveBlocksPerMultiprocessor, blocks, function, block_size,
                 dynamic_shared_bytes);
}

hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                                 unsigned int block_x, unsigned int block_y, unsigned int block_z,
                                 unsigned int shared_bytes, hipStream_t stream, void** parameters, void** extra) {
  if (!CountsFit({grid_x, grid_y, grid_z}, {block_x, block_y, block_z})) return Noted(hipErrorInvalidConfiguration);
  return Forward(&CudaFunctions::cuLaunchKernel, function, grid_x, grid_y, grid_z, block_x, block_y, block_z,
                 shared_bytes, stream, parameters, extra);
}

}  // namespace halyard::hip::abi
