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

using stream::HostRegistrations;
using stream::NativeAddress;
using stream::NativeApi;
using stream::NativeCopy;
using stream::NativeEvent;
using stream::NativeEventKind;
using stream::NativeFill;
using stream::NativeFunction;
using stream::NativeFunctionInfo;
using stream::NativeGraph;
using stream::NativeGraphExec;
using stream::NativeGraphNode;
using stream::NativeIndirectLaunch;
using stream::NativeIndirectNode;
using stream::NativeLaunch;
using stream::NativeModule;
using stream::NativePointerKind;
using stream::NativePool;
using stream::NativeStream;

/// Calls the CUDA driver API in the device's primary context, which is shared with the CUDA runtime and with whatever
/// else the process does on the device.
class CudaApi final : public NativeApi, public HostObject {
 public:
  CudaApi(const CudaLibrary& library, CUdevice device) : cuda_(library), device_(device) {}
  ~CudaApi() override;

  /// Retains the primary context and reads what the device can do.
  Status Open();

  Status Enter(bool* out_entered) override;
  void Leave(bool entered) override;

  Status CreateStream(NativeStream* out_stream) override;
  void DestroyStream(NativeStream stream) override;
  Status SynchronizeStream(NativeStream stream) override;
  Status CreateEvent(NativeEventKind kind, NativeEvent* out_event) override;
  void DestroyEvent(NativeEvent event) override;
  Status RecordEvent(NativeEvent event, NativeStream stream) override;
  Status WaitEvent(NativeStream stream, NativeEvent event) override;
  Status QueryEvent(NativeEvent event, bool* out_done) override;
  Status SynchronizeEvent(NativeEvent event) override;
  Status EventMilliseconds(NativeEvent start, NativeEvent end, float* out_milliseconds) override;
  Status WriteValue(NativeStream stream, NativeAddress address, uint64_t value) override;
  Status LaunchHostFunction(NativeStream stream, void (*function)(void*), void* user_data) override;

  // In cuda_properties.cpp.
  Status DescribePeer(const NativeApi& other, hal_peer_properties_t* out_properties) const override;
  Status AvailableMemory(uint64_t* out_bytes) override;

  Status AllocateDevice(uint64_t length, NativeAddress* out_address) override;
  Status AllocateManaged(uint64_t length, NativeAddress* out_address) override;
  void FreeDevice(NativeAddress address) override;
  Status AllocateHost(uint64_t length, void** out_memory) override;
  void FreeHost(void* memory) override;
  Status RegisterHost(void* memory, uint64_t length) override;
  void UnregisterHost(void* memory) override;
  Status HostAddress(void* memory, NativeAddress* out_address) override;
  Status DescribePointer(uint64_t pointer, NativePointerKind* out_kind) override;
  HostRegistrations& registrations() override;
  Status CreatePool(uint64_t keep, NativePool* out_pool) override;
  void DestroyPool(NativePool pool) override;
  Status TrimPool(NativePool pool) override;
  Status AllocateFromPool(NativePool pool, uint64_t length, NativeStream stream, NativeAddress* out_address) override;
  Status FreeToPool(NativeAddress address, NativeStream stream) override;

  Status Fill(NativeStream stream, NativeAddress target, uint32_t pattern, uint32_t size, uint64_t count) override;
  Status Copy(NativeStream stream, NativeAddress target, NativeAddress source, uint64_t length) override;
  Status Upload(NativeStream stream, NativeAddress target, const void* data, uint64_t length) override;
  Status Launch(NativeStream stream, const NativeLaunch& launch) override;
  Status PrefetchManaged(NativeStream stream, NativeAddress address, uint64_t length) override;

  // In cuda_graphs.cpp.
  Status CreateGraph(NativeGraph* out_graph) override;
  void DestroyGraph(NativeGraph graph) override;
  Status AddLaunch(NativeGraph graph, std::span<const NativeGraphNode> after, const NativeLaunch& launch,
                   NativeGraphNode* out_node) override;
  Status AddCopy(NativeGraph graph, std::span<const NativeGraphNode> after, const NativeCopy& copy,
                 NativeGraphNode* out_node) override;
  Status AddFill(NativeGraph graph, std::span<const NativeGraphNode> after, const NativeFill& fill,
                 NativeGraphNode* out_node) override;
  Status AddJoin(NativeGraph graph, std::span<const NativeGraphNode> after, NativeGraphNode* out_node) override;
  Status InstantiateGraph(NativeGraph graph, NativeGraphExec* out_exec) override;
  void DestroyGraphExec(NativeGraphExec exec) override;
  Status PatchLaunch(NativeGraphExec exec, NativeGraphNode node, const NativeLaunch& launch) override;
  Status PatchCopy(NativeGraphExec exec, NativeGraphNode node, const NativeCopy& copy) override;
  Status PatchFill(NativeGraphExec exec, NativeGraphNode node, const NativeFill& fill) override;
  Status LaunchGraph(NativeGraphExec exec, NativeStream stream) override;

  // In cuda_indirect.cpp.
  Status PrepareIndirectLaunches() override;
  Status AddIndirectLaunch(NativeGraph graph, std::span<const NativeGraphNode> after,
                           const NativeIndirectLaunch& launch, NativeIndirectNode* out_node) override;
  Status PatchIndirectLaunch(NativeGraphExec exec, const NativeIndirectNode& node,
                             const NativeIndirectLaunch& launch) override;
  Status UploadGraph(NativeGraphExec exec, NativeStream stream) override;

  Status RankImage(std::string_view format, std::string_view target, uint32_t* out_rank) override;
  Status LoadModule(std::string_view format, std::span<const std::byte> image, const hal_blob_store_t* blobs,
                    NativeModule* out_module) override;
  void UnloadModule(NativeModule module) override;
  Status FindFunction(NativeModule module, const char* symbol, NativeFunction* out_function) override;
  Status DescribeFunction(NativeFunction function, NativeFunctionInfo* out_info) override;
  Status ParameterSize(NativeFunction function, uint32_t index, uint64_t* out_size) override;
  Status AllowDynamicLocalMemory(NativeFunction function, uint32_t bytes) override;

  Status CheckExternalStream(NativeStream stream) override;
  std::span<const DeviceExtension> Extensions() const override;

  CUcontext context() const { return context_; }
  CUdevice device() const { return device_; }

 private:
  Status ReadTraits(int version);
  Status ReadProperties(int version);
  void SetIndirectTraits(int version);
  Status MakeUpdatable(NativeGraphNode node, uint64_t* out_handle);
  void UnloadCountReader() noexcept;
  Status LoadImage(const void* image, NativeModule* out_module);
  Status LoadPtx(const HostString& text, const hal_blob_store_t& blobs, NativeModule* out_module);
  Status LoadKept(std::string_view key, const hal_blob_store_t& blobs, NativeModule* out_module);
  Status CompilePtx(const HostString& text, std::string_view key, const hal_blob_store_t& blobs,
                    NativeModule* out_module);
  /// An attribute, and where its value goes.
  struct AttributeValue {
    CUdevice_attribute attribute;
    int* value;
  };
  Status ReadAttributes(std::span<const AttributeValue> wanted) const;

  const CudaLibrary& cuda_;
  const CUdevice device_;
  CUcontext context_ = nullptr;
  int compute_capability_ = 0;  // 90 for 9.0
  HostString architecture_;     // what properties_ points to, as the next
  HostString driver_version_;

  // The kernel that reads counts, and its module. Set once, by PrepareIndirectLaunches(); who uses it comes after that.
  std::mutex count_reader_mutex_;  // for setting it; native calls are made under it
  NativeModule count_reader_module_ = nullptr;
  NativeFunction count_reader_ = nullptr;
};

}  // namespace halyard::cuda

#endif  // HALYARD_DRIVERS_CUDA_CUDA_API_H_
