// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One CUDA device as the stream core wants it.
#ifndef HALYARD_DRIVERS_CUDA_CUDA_API_H_
#define HALYARD_DRIVERS_CUDA_CUDA_API_H_

#include <mutex>

#include "base/host_memory.h"
#include "base/status.h"
#include "cuda/cuda_library.h"
#include "stream/native/native_api.h"

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
  Status CreateEvent(stream::NativeEventKind kind, stream::NativeEvent* out_event) override;
  void DestroyEvent(stream::NativeEvent event) override;
  Status RecordEvent(stream::NativeEvent event, stream::NativeStream stream) override;
  Status WaitEvent(stream::NativeStream stream, stream::NativeEvent event) override;
  Status QueryEvent(stream::NativeEvent event, bool* out_done) override;
  Status SynchronizeEvent(stream::NativeEvent event) override;
  Status EventMilliseconds(stream::NativeEvent start, stream::NativeEvent end, float* out_milliseconds) override;
  Status WriteValue(stream::NativeStream stream, stream::NativeAddress address, uint64_t value) override;
  Status LaunchHostFunction(stream::NativeStream stream, void (*function)(void*), void* user_data) override;

  // In cuda_properties.cpp.
  Status DescribePeer(const stream::NativeApi& other, hal_peer_properties_t* out_properties) const override;
  Status AvailableMemory(uint64_t* out_bytes) override;

  Status AllocateDevice(uint64_t length, stream::NativeAddress* out_address) override;
  Status AllocateManaged(uint64_t length, stream::NativeAddress* out_address) override;
  void FreeDevice(stream::NativeAddress address) override;
  Status AllocateHost(uint64_t length, void** out_memory) override;
  void FreeHost(void* memory) override;
  Status RegisterHost(void* memory, uint64_t length) override;
  void UnregisterHost(void* memory) override;
  Status HostAddress(void* memory, stream::NativeAddress* out_address) override;
  Status DescribePointer(uint64_t pointer, stream::NativePointerKind* out_kind) override;
  stream::HostRegistrations& registrations() override;
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
  Status PrefetchManaged(stream::NativeStream stream, stream::NativeAddress address, uint64_t length) override;

  // In cuda_graphs.cpp.
  Status CreateGraph(stream::NativeGraph* out_graph) override;
  void DestroyGraph(stream::NativeGraph graph) override;
  Status AddLaunch(stream::NativeGraph graph, std::span<const stream::NativeGraphNode> after,
                   const stream::NativeLaunch& launch, stream::NativeGraphNode* out_node) override;
  Status AddCopy(stream::NativeGraph graph, std::span<const stream::NativeGraphNode> after,
                 const stream::NativeCopy& copy, stream::NativeGraphNode* out_node) override;
  Status AddFill(stream::NativeGraph graph, std::span<const stream::NativeGraphNode> after,
                 const stream::NativeFill& fill, stream::NativeGraphNode* out_node) override;
  Status AddJoin(stream::NativeGraph graph, std::span<const stream::NativeGraphNode> after,
                 stream::NativeGraphNode* out_node) override;
  Status InstantiateGraph(stream::NativeGraph graph, stream::NativeGraphExec* out_exec) override;
  void DestroyGraphExec(stream::NativeGraphExec exec) override;
  Status PatchLaunch(stream::NativeGraphExec exec, stream::NativeGraphNode node,
                     const stream::NativeLaunch& launch) override;
  Status PatchCopy(stream::NativeGraphExec exec, stream::NativeGraphNode node, const stream::NativeCopy& copy) override;
  Status PatchFill(stream::NativeGraphExec exec, stream::NativeGraphNode node, const stream::NativeFill& fill) override;
  Status LaunchGraph(stream::NativeGraphExec exec, stream::NativeStream stream) override;

  // In cuda_indirect.cpp.
  Status PrepareIndirectLaunches() override;
  Status AddIndirectLaunch(stream::NativeGraph graph, std::span<const stream::NativeGraphNode> after,
                           const stream::NativeIndirectLaunch& launch, stream::NativeIndirectNode* out_node) override;
  Status PatchIndirectLaunch(stream::NativeGraphExec exec, const stream::NativeIndirectNode& node,
                             const stream::NativeIndirectLaunch& launch) override;
  Status UploadGraph(stream::NativeGraphExec exec, stream::NativeStream stream) override;

  Status RankImage(std::string_view format, std::string_view target, uint32_t* out_rank) override;
  Status LoadModule(std::string_view format, std::span<const std::byte> image, const hal_blob_store_t* blobs,
                    stream::NativeModule* out_module) override;
  void UnloadModule(stream::NativeModule module) override;
  Status FindFunction(stream::NativeModule module, const char* symbol, stream::NativeFunction* out_function) override;
  Status DescribeFunction(stream::NativeFunction function, stream::NativeFunctionInfo* out_info) override;
  Status ParameterSize(stream::NativeFunction function, uint32_t index, uint64_t* out_size) override;
  Status AllowDynamicLocalMemory(stream::NativeFunction function, uint32_t bytes) override;

  Status CheckExternalStream(stream::NativeStream stream) override;
  std::span<const DeviceExtension> Extensions() const override;

  abi::Context context() const { return context_; }
  abi::Device device() const { return device_; }

 private:
  Status ReadTraits(int version);
  Status ReadProperties(int version);
  void SetIndirectTraits(int version);
  Status MakeUpdatable(stream::NativeGraphNode node, uint64_t* out_handle);
  void UnloadCountReader() noexcept;
  Status LoadImage(const void* image, stream::NativeModule* out_module);
  Status LoadPtx(const HostString& text, const hal_blob_store_t& blobs, stream::NativeModule* out_module);
  Status LoadKept(std::string_view key, const hal_blob_store_t& blobs, stream::NativeModule* out_module);
  Status CompilePtx(const HostString& text, std::string_view key, const hal_blob_store_t& blobs,
                    stream::NativeModule* out_module);
  /// An attribute, and where its value goes.
  struct AttributeValue {
    abi::DeviceAttribute attribute;
    int* value;
  };
  Status ReadAttributes(std::span<const AttributeValue> wanted) const;

  const CudaLibrary& cuda_;
  const abi::Device device_;
  abi::Context context_ = nullptr;
  int compute_capability_ = 0;  // 90 for 9.0
  HostString architecture_;     // what properties_ points to, as the next
  HostString driver_version_;

  // The kernel that reads counts, and its module. Set once, by PrepareIndirectLaunches(); who uses it comes after that.
  std::mutex count_reader_mutex_;  // for setting it; native calls are made under it
  stream::NativeModule count_reader_module_ = nullptr;
  stream::NativeFunction count_reader_ = nullptr;
};

}  // namespace halyard::cuda

#endif  // HALYARD_DRIVERS_CUDA_CUDA_API_H_
