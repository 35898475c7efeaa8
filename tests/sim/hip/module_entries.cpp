// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules, functions and launches.
#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>

#include "hip/call.h"
#include "hip/code_object.h"
#include "hip/entry_points.h"
#include "hip/target.h"
#include "stream_api/launches.h"
#include "stream_api/modules.h"

namespace halyard::hip::abi {
namespace {

Error LoadModule(const void* image, std::shared_ptr<Module>* module, std::string* why) {
  const Settings& settings = Runtime::Get().settings;
  CodeObject object;
  const Error error = ReadCodeObject(image, &object, why);
  if (error != Error::kSuccess) return error;
  if (!Runs(settings.architecture, object.target)) {
    *why = "the code object is for " + object.target + ", the device is " + settings.architecture;
    return Error::kNoHostCode;
  }
  const auto code = HostCode::Load(settings.kernels, ImageName(object.bytes), why);
  if (code == nullptr) return Error::kNoHostCode;
  *module = MakeModule(CurrentContext(), code, std::move(object.kernels), why);
  return *module == nullptr ? Error::kInvalidImage : Error::kSuccess;
}

std::optional<uint32_t> AttributeValue(hipFunction_attribute attribute, const Function& function) {
  switch (attribute) {
    case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      return function.threads_per_block;
    case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      return function.code->local_memory;
    case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      return 0;
    case HIP_FUNC_ATTRIBUTE_NUM_REGS:
      return 32;
  }
  return std::nullopt;
}

// As many blocks as the threads and the shared memory of a compute unit allow.
int ActiveBlocks(const Function& function, int block_size, size_t dynamic_shared) {
  constexpr int kThreads = 2048;
  const size_t shared = function.code->local_memory + dynamic_shared;
  const int blocks = kThreads / block_size;
  if (shared == 0) return blocks;
  return std::min(blocks, static_cast<int>(function.context->device.limits.shared_memory / shared));
}

}  // namespace

// There is no log for a caller, so the reason goes to stderr.
hipError_t hipModuleLoadData(hipModule_t* module, const void* image) {
  return Call(__func__, [&] {
    if (module == nullptr || image == nullptr) return Error::kInvalidValue;
    std::shared_ptr<Module> made;
    std::string why;
    const Error error = LoadModule(image, &made, &why);
    if (error == Error::kSuccess) {
      Out(module).Put(Runtime::Get().modules.Add(std::move(made)));
    } else {
      std::fprintf(stderr, "halyard sim: hipModuleLoadData: %s\n", why.c_str());
    }
    return error;
  });
}

hipError_t hipModuleUnload(hipModule_t module) {
  return Call(__func__, [&](Lock& lock) { return UnloadModule(module, lock); });
}

hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t module, const char* name) {
  return Call(__func__, [&] { return ModuleFunction(function, module, name); });
}

hipError_t hipModuleGetGlobal(hipDeviceptr_t* address, size_t* bytes, hipModule_t module, const char* name) {
  return Call(__func__, [&] { return ModuleVariable(address, bytes, module, name); });
}

hipError_t hipFuncGetAttribute(int* value, hipFunction_attribute attribute, hipFunction_t function) {
  return Call(__func__, [&] {
    const auto found = FindFunction(function);
    if (found == nullptr) return Error::kInvalidHandle;
    const auto known = AttributeValue(attribute, *found);
    if (value == nullptr || !known) return Error::kInvalidValue;
    *value = static_cast<int>(*known);
    return Error::kSuccess;
  });
}

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, hipFunction_t function, int block_size,
                                                              size_t dynamic_shared_bytes) {
  return Call(__func__, [&] {
    const auto found = FindFunction(function);
    if (found == nullptr) return Error::kInvalidHandle;
    if (blocks == nullptr || block_size <= 0) return Error::kInvalidValue;
    *blocks = ActiveBlocks(*found, block_size, dynamic_shared_bytes);
    return Error::kSuccess;
  });
}

hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                                 unsigned int block_x, unsigned int block_y, unsigned int block_z,
                                 unsigned int shared_bytes, hipStream_t stream, void** parameters, void** extra) {
  return Call(__func__, [&] {
    const std::array grid = {grid_x, grid_y, grid_z};
    const std::array block = {block_x, block_y, block_z};
    return SubmitLaunch({function, grid, block, shared_bytes, parameters, extra}, stream);
  });
}

}  // namespace halyard::hip::abi
