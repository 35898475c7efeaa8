// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda/cuda_library.h"

#include "stream/native/vendor_results.h"

namespace halyard::cuda {

Status CudaLibrary::Load() {
#if defined(_WIN32)
  static constexpr const char* kFiles[] = {"nvcuda.dll"};
#else
  static constexpr const char* kFiles[] = {"libcuda.so.1"};
#endif
  HAL_TRY(file_.Open(kWhat, "HALYARD_CUDA_LIBRARY", kFiles));
  HAL_TRY(FindFunctions());
  return Initialise();
}

// cuGetProcAddress() gives the signature that was asked for by its version, whatever the library has as well.
Status CudaLibrary::FindFunctions() {
  auto* const get = reinterpret_cast<PFN_cuGetProcAddress_v12000>(file_.Find("cuGetProcAddress_v2"));
  if (!get) {
    return Fail(HAL_STATUS_UNAVAILABLE, "'%s' has no cuGetProcAddress_v2: a driver for CUDA 12.0 or newer is needed",
                path().c_str());
  }
  const auto resolve = [&](const FunctionInfo& info) -> void* {
    void* function = nullptr;
    if (get(info.name, &function, info.version, 0, nullptr) == CUDA_SUCCESS && function) return function;
    return file_.Find(info.symbol);
  };
  size_t index = 0;
#define HALYARD_CUDA_RESOLVE(base, suffix, version, needed, signature)                                               \
  base##suffix = reinterpret_cast<PFN_##base##_v##version>(resolve(kFunctions[index]));                              \
  if (!base##suffix && kFunctions[index].need == Need::kRequired) {                                                  \
    return Fail(HAL_STATUS_UNAVAILABLE, "'%s' has no %s: a driver for CUDA 12.0 or newer is needed", path().c_str(), \
                kFunctions[index].symbol);                                                                           \
  }                                                                                                                  \
  ++index;
  HALYARD_CUDA_FUNCTIONS(HALYARD_CUDA_RESOLVE)
#undef HALYARD_CUDA_RESOLVE
  return kOk;
}

Status CudaLibrary::Initialise() {
  if (const CUresult result = cuInit(0); result != CUDA_SUCCESS) {
    const Failure reason(Explain("cuInit", result));
    return Fail(HAL_STATUS_UNAVAILABLE, "'%s' does not work here: %s", path().c_str(), reason.message().data());
  }
  int version = 0;
  HAL_TRY(HALYARD_CUDA(*this, cuDriverGetVersion, (&version)));
  if (version >= kMinimumDriverVersion) return kOk;
  return Fail(HAL_STATUS_UNAVAILABLE, "'%s' is a driver for CUDA %d.%d; %d.%d or newer is needed", path().c_str(),
              version / 1000, version % 1000 / 10, kMinimumDriverVersion / 1000, kMinimumDriverVersion % 1000 / 10);
}

Status CudaLibrary::Explain(const char* call, CUresult result) const {
  const char* name = nullptr;
  const char* text = nullptr;
  if (cuGetErrorName) static_cast<void>(cuGetErrorName(result, &name));
  if (cuGetErrorString) static_cast<void>(cuGetErrorString(result, &text));
  return FailVendorCall(StatusOf(result), call, name, text, static_cast<int>(result));
}

hal_status_t StatusOf(CUresult result) {
  switch (result) {
    case CUDA_ERROR_INVALID_SOURCE:
      return HAL_STATUS_DATA_LOSS;
    case CUDA_ERROR_INVALID_PTX:
    case CUDA_ERROR_JIT_COMPILATION_DISABLED:
      return HAL_STATUS_ABORTED;
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
      return HAL_STATUS_INCOMPATIBLE;
    case CUDA_ERROR_NOT_PERMITTED:
      return HAL_STATUS_PERMISSION_DENIED;
    case CUDA_ERROR_STUB_LIBRARY:
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
    case CUDA_ERROR_DEVICE_NOT_LICENSED:
    case CUDA_ERROR_SYSTEM_NOT_READY:
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
    case CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
    case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
    case CUDA_ERROR_MPS_CONNECTION_FAILED:
    case CUDA_ERROR_MPS_RPC_FAILURE:
    case CUDA_ERROR_MPS_SERVER_NOT_READY:
    case CUDA_ERROR_MPS_MAX_CLIENTS_REACHED:
    case CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED:
      return HAL_STATUS_UNAVAILABLE;
    // The context does no more work after these.
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_CONTAINED:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_TENSOR_MEMORY_LEAK:
    case CUDA_ERROR_EXTERNAL_DEVICE:
    case CUDA_ERROR_MPS_CLIENT_TERMINATED:
      return HAL_STATUS_DEVICE_LOST;
    default:
      return stream::StatusOfResult(result);
  }
}

}  // namespace halyard::cuda
