// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A native API in memory: streams are threads, and the device's memory is the host's.
#ifndef HALYARD_TESTS_UNIT_STREAM_MEMORY_API_H_
#define HALYARD_TESTS_UNIT_STREAM_MEMORY_API_H_

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "stream/native/host_registrations.h"
#include "stream/native/native_api.h"

namespace halyard::stream {

/// What all devices of a test share: what is alive, and what is to go wrong.
struct MemoryWorld {
  std::atomic<int> streams{0};
  std::atomic<int> events{0};
  std::atomic<int> allocations{0};
  std::atomic<int> registrations{0};
  std::atomic<int> pools{0};
  std::atomic<int> modules{0};
  std::atomic<int> graphs{0};            // of either kind
  std::atomic<int> contexts_entered{0};  // Enter() without Leave()
  std::atomic<int> rule_breaks{0};       // calls outside a NativeScope, from a host function, or without the trait
  std::atomic<uint64_t> calls{0};
  std::atomic<uint64_t> pool_keeps{0};  // bytes, of the pool that was made last
  std::atomic<uint64_t> pool_allocations{0};
  std::atomic<uint64_t> host_allocations{0};
  std::atomic<uint64_t> instantiations{0};
  std::atomic<uint64_t> patches{0};
  std::atomic<bool> refuse_patches{false};
  std::atomic<uint64_t> graph_launches{0};
  std::atomic<uint64_t> uploads{0};              // of graphs
  std::atomic<uint64_t> fail_call{0};            // the number of the call that fails, from 1; 0 for none
  std::atomic<const char*> fail_named{nullptr};  // the next call of that name fails, once
  hal_status_t fail_status = HAL_STATUS_INTERNAL;
  std::atomic<bool> broken{false};            // every call says DEVICE_LOST, and streams do nothing more
  std::atomic<uint32_t> write_delay_mask{0};  // streams, by number, that write their epochs late
  std::atomic<int> queued{0};                 // work that streams have not done or dropped
  std::atomic<bool> paused{false};            // streams stand still
  std::function<void()> hold_up;              // called before and after each piece of work; set before there is any

  std::mutex memory_mutex;                     // protects what follows
  std::set<void*> memory;                      // what is allocated; a device that broke leaves some
  std::map<const char*, uint64_t> registered;  // host memory and its length in bytes, for all devices

  HostRegistrations imports;

  ~MemoryWorld();
  /// Calls of this thread alone: a device's own threads poll at varying times.
  static uint64_t CallsHere();
  int alive() const { return streams + events + allocations + registrations + pools + modules + graphs; }
};

/// A kernel: its grid and the addresses of its parameters.
using MemoryKernel = std::function<void(const hal_dim3_t& count, void** parameters)>;
/// Every image has these, by name. Fill it before a test.
std::map<std::string, MemoryKernel>& MemoryKernels();

class MemoryApi final : public NativeApi {
 public:
  MemoryApi(std::shared_ptr<MemoryWorld> world, const NativeTraits& traits);
  ~MemoryApi() override;

  Status Enter(NativeCurrent* out_before) override;
  void Leave(const NativeCurrent& before) override;

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
  HostRegistrations& registrations() override { return world_->imports; }
  Status CreatePool(uint64_t keep, NativePool* out_pool) override;
  void DestroyPool(NativePool pool) override;
  Status TrimPool(NativePool pool) override;
  Status AllocateFromPool(NativePool pool, uint64_t length, NativeStream stream, NativeAddress* out_address) override;
  Status FreeToPool(NativeAddress address, NativeStream stream) override;

  Status Fill(NativeStream stream, NativeAddress target, uint32_t pattern, uint32_t size, uint64_t count) override;
  Status Copy(NativeStream stream, NativeAddress target, NativeAddress source, uint64_t length) override;
  Status Upload(NativeStream stream, NativeAddress target, const void* data, uint64_t length) override;
  Status Launch(NativeStream stream, const NativeLaunch& launch) override;
  Status PrefetchManaged(NativeStream, NativeAddress, uint64_t) override { return Call("PrefetchManaged"); }

  // In memory_graph.cpp.
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

  Status PrepareIndirectLaunches() override { return Call("PrepareIndirectLaunches"); }
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
  Status ParameterSize(NativeModule module, NativeFunction function, uint32_t index, uint64_t* out_size) override;
  Status AllowDynamicLocalMemory(NativeFunction function, uint32_t bytes) override;

  Status CheckExternalStream(NativeStream) override { return Call("CheckExternalStream"); }
  Status DescribePeer(const NativeApi& other, hal_peer_properties_t* out_properties) const override;

 private:
  class Stream;
  struct Event;

  /// Counts a call, checks that it may be made, and fails it if its turn has come.
  bool IsToFail(const char* name);  // once
  Status Call(const char* name);
  Status Enqueue(NativeStream stream, std::function<void()> work);
  Status AddNode(const char* name, NativeGraph graph, std::span<const NativeGraphNode> after, char kind,
                 std::function<void()> work, NativeGraphNode* out_node);
  Status PatchNode(const char* name, NativeGraphExec exec, NativeGraphNode node, char kind, std::function<void()> work);
  Status Allocate(const char* name, uint64_t length, void** out);
  void Free(void* memory);
  /// Counts a call that the device's traits rule out.
  void Needs(bool trait);
  bool IsHost(const void* address);
  /// As vendors do it: a copy from host memory to host memory keeps its caller waiting for all before it in the stream.
  void CopyFromHost(NativeStream stream, NativeAddress target);

  const std::shared_ptr<MemoryWorld> world_;
  std::atomic<uint32_t> next_stream_{0};
  std::mutex mutex_;                      // protects what follows
  std::map<const char*, uint64_t> host_;  // memory of the host that the device knows: bytes, by the first one
};

}  // namespace halyard::stream

#endif  // HALYARD_TESTS_UNIT_STREAM_MEMORY_API_H_
