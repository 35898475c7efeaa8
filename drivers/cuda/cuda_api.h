// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One CUDA device as the stream core wants it.
#ifndef HALYARD_DRIVERS_CUDA_CUDA_API_H_
#define HALYARD_DRIVERS_CUDA_CUDA_API_H_

#include "common/host_memory.h"
#include "common/status.h"
#include "cuda/cuda_library.h"
#include "stream/native_api.h"

namespace halyard::cuda {

/// Calls the CUDA driver API in the device's primary context, which is shared with the CUDA runtime and with whatever
/// else the process does on the device.
class CudaApi final : public stream::NativeApi, public HostObject {
 public:
  CudaApi(const CudaLibrary& library, abi::Device device) : cuda_(library), device_(device) {}
  ~CudaApi() override;

  /// Retains the primary context and reads what the device can do.
  Status Open();

  Status Enter(bool* out_entered) override;
  void Leave(bool entered) override;

  Status CreateStream(stream::NativeStream* out_stream) override;
  void DestroyStream(stream::NativeStream stream) override;
  Status SynchronizeStream(stream::NativeStream stream) override;
  Status CreateEvent(bool timed, stream::NativeEvent* out_event) override;
  void DestroyEvent(stream::NativeEvent event) override;
  Status RecordEvent(stream::NativeEvent event, stream::NativeStream stream) override;
  Status WaitEvent(stream::NativeStream stream, stream::NativeEvent event) override;
  Status QueryEvent(stream::NativeEvent event, bool* out_done) override;
  Status SynchronizeEvent(stream::NativeEvent event) override;
  Status EventMilliseconds(stream::NativeEvent start, stream::NativeEvent end, float* out_milliseconds) override;
  Status WriteValue(stream::NativeStream stream, stream::NativeAddress address, uint64_t value) override;
  Status LaunchHostFunction(stream::NativeStream stream, void (*function)(void*), void* user_data) override;

  Status AllocateDevice(uint64_t length, stream::NativeAddress* out_address) override;
  Status AllocateManaged(uint64_t length, stream::NativeAddress* out_address) override;
  void FreeDevice(stream::NativeAddress address) override;
  Status AllocateHost(uint64_t length, void** out_memory) override;
  void FreeHost(void* memory) override;
  Status RegisterHost(void* memory, uint64_t length) override;
  void UnregisterHost(void* memory) override;
  Status HostAddress(void* memory, stream::NativeAddress* out_address) override;
  Status DescribePointer(uint64_t pointer, stream::NativePointerKind* out_kind) override;
  Status CreatePool(uint64_t keep, stream::NativePool* out_pool) override;
  void DestroyPool(stream::NativePool pool) override;
  Status TrimPool(stream::NativePool pool) override;
  Status AllocateFromPool(stream::NativePool pool, uint64_t length, stream::NativeStream stream,
                          stream::NativeAddress* out_address) override;
  Status FreeToPool(stream::NativeAddress address, stream::NativeStream stream) override;

  Status Fill(stream::NativeStream stream, stream::NativeAddress target, uint32_t pattern, uint32_t size,
              uint64_t count) override;
  Status Copy(stream::NativeStream stream, stream::NativeAddress target, stream::NativeAddress source,
              uint64_t length) override;
  Status Upload(stream::NativeStream stream, stream::NativeAddress target, const void* data, uint64_t length) override;
  Status Launch(stream::NativeStream stream, const stream::NativeLaunch& launch) override;

  Status RankImage(std::string_view format, std::string_view target, uint32_t* out_rank) override;
  Status LoadModule(std::string_view format, std::span<const std::byte> image,
                    stream::NativeModule* out_module) override;
  void UnloadModule(stream::NativeModule module) override;
  Status FindFunction(stream::NativeModule module, const char* symbol, stream::NativeFunction* out_function) override;
  Status DescribeFunction(stream::NativeFunction function, stream::NativeFunctionInfo* out_info) override;
  Status ParameterSize(stream::NativeFunction function, uint32_t index, uint64_t* out_size) override;
  Status AllowDynamicLocalMemory(stream::NativeFunction function, uint32_t bytes) override;

 private:
  Status ReadTraits();
  Status Attribute(abi::DeviceAttribute attribute, int* out_value) const;

  const CudaLibrary& cuda_;
  const abi::Device device_;
  abi::Context context_ = nullptr;
  int compute_capability_ = 0;  // 90 for 9.0
};

}  // namespace halyard::cuda

#endif  // HALYARD_DRIVERS_CUDA_CUDA_API_H_
