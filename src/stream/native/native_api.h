// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interface between the stream core and a stream-style GPU API. CUDA and HIP each implement it; nothing else in
// src/stream knows which of them it runs on.
#ifndef HALYARD_STREAM_NATIVE_NATIVE_API_H_
#define HALYARD_STREAM_NATIVE_NATIVE_API_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/status.h"
#include "base/vendor_gate.h"
#include "driver_kit/device/blank_properties.h"
#include "driver_kit/device/device_extension.h"
#include "driver_kit/executable/image_kind.h"
#include "driver_kit/executable/tensor_shape.h"
#include "driver_kit/queue/copy_box.h"
#include "halyard/blob_store.h"
#include "halyard/device.h"
#include "halyard/device_properties.h"

namespace halyard::stream {

// The vendor's handles, each a type of its own here.
using NativeStream = struct NativeStreamTag*;
using NativeEvent = struct NativeEventTag*;
using NativePool = struct NativePoolTag*;
using NativeModule = struct NativeModuleTag*;
using NativeFunction = struct NativeFunctionTag*;
using NativeGraph = struct NativeGraphTag*;
using NativeGraphNode = struct NativeGraphNodeTag*;
using NativeGraphExec = struct NativeGraphExecTag*;
/// An address as the device sees it.
using NativeAddress = uint64_t;

/// The properties and features of a device, read once when it is opened.
struct NativeTraits {
  bool stream_writes = false;  ///< a stream can write 64 bits to registered host memory
  bool memory_pools = false;   ///< stream-ordered allocation from pools
  /// Kinds of handle by which memory of the device leaves: AllocateShared().
  hal_peer_handles_t handles = HAL_PEER_HANDLES_NONE;
  bool managed_memory = false;  ///< memory that host and device may use at the same time
  uint64_t total_memory = 0;    ///< bytes
  uint32_t compute_units = 0;   ///< each of which runs several workgroups at the same time
  bool clusters = false;        ///< launches can have clusters
  bool cooperative = false;     ///< launches can be cooperative
  bool tensor_maps = false;     ///< kernels can take tensor maps
  hal_dim3_t max_workgroup_count{};
  hal_dim3_t max_workgroup_size{};
  uint32_t max_workgroup_volume = 0;
  uint32_t max_local_memory = 0;    ///< bytes, with the opt-in where there is one
  uint32_t max_constants_size = 0;  ///< bytes of all kernel parameters together
  /// Work-items of a launch in one dimension: workgroups times their size.
  uint64_t max_work_items = UINT64_MAX;
  bool graph_launches_overlap = false;  ///< launches of one executable graph on several streams run at the same time
  /// Chains of a graph that may run at the same time.
  uint32_t max_graph_chains = UINT32_MAX;
  /// Patches after which an executable graph is made anew, because each takes memory that only its destruction frees.
  uint64_t max_graph_patches = UINT64_MAX;
  bool patches_rows = true;        ///< PatchCopyRows() works
  bool graph_peer_copies = false;  ///< AddCopy() takes memory of devices that are opened to each other
  bool graph_fills = true;         ///< a fill in a graph keeps its pattern, whatever other graphs are made
  /// A command buffer that is executed again takes less time as a graph than as calls, for all that is known.
  bool graphs_pay = true;
  /// Patching all launches of a graph and launching it takes less time than as many launches.
  bool graphs_outrun_launches = false;
  /// Why graphs cannot hold indirect launches; NULL if they can.
  const char* no_indirect_launches = "the driver has none";
};

/// What was current on a thread before Enter(), in the terms of the API.
struct NativeCurrent {
  bool changed = false;  ///< whether Enter() changed it
  int device = 0;        ///< the device to return to, where the API needs it
};

/// The use of an event. Each kind costs only what its use needs.
enum class NativeEventKind {
  kOrder,  ///< streams wait for it and the host queries it
  kTimed,  ///< records times, for EventMilliseconds()
};

class HostRegistrations;
class NcclLibrary;

/// Where a pointer of the application points.
enum class NativePointerKind {
  kUnknown,  ///< memory that the API does not know
  kHost,     ///< host memory that the device can use
  kDevice,   ///< memory of this device, or managed memory
  kForeign,  ///< memory of another device
};

/// What a loaded kernel is.
struct NativeFunctionInfo {
  uint32_t max_workgroup_volume = 0;  ///< work-items
  uint32_t local_memory_size = 0;     ///< bytes that it declares
};

/// The resources that a loaded kernel takes for each work-item.
struct NativeCodeInfo {
  uint32_t registers = 0;
  uint32_t private_memory_size = 0;  ///< bytes
};

/// The rules of a kernel for its launches, in addition to the grid.
struct NativeLaunchRules {
  hal_dim3_t cluster_size{};  ///< workgroups; 0 in x without clusters
  bool cooperative = false;   ///< all workgroups run at once
  bool programmatic = false;  ///< it may begin before earlier work of the stream has ended

  bool any() const { return cluster_size.x > 0 || cooperative || programmatic; }
};

/// A tensor map, as kernels take it.
struct alignas(128) NativeTensorMap {
  std::byte bytes[128];
};

/// One kernel launch.
struct NativeLaunch {
  NativeFunction function = nullptr;
  hal_dim3_t workgroup_count{};
  hal_dim3_t workgroup_size{};
  uint32_t dynamic_local_memory = 0;  ///< bytes
  void** parameters = nullptr;        ///< the address of each
  NativeLaunchRules rules = {};
};

/// One fill: `count` elements of `size` bytes (1, 2 or 4) at a multiple of `size`.
struct NativeFill {
  NativeAddress target = 0;
  uint32_t pattern = 0;
  uint32_t size = 0;
  uint64_t count = 0;

  /// Whether the API can do it in one call.
  bool aligned() const { return target % size == 0; }
};

/// A launch whose workgroup count the device reads when it reaches the launch.
struct NativeIndirectLaunch {
  NativeLaunch launch;       ///< its own count is not used
  NativeAddress counts = 0;  ///< where the three counts are, 32 bits each, at any address
  NativeAddress rejection =
      0;  ///< a RejectedCounts that the host sees: nothing runs if the counts are beyond the limits
};

/// Counts that the device rejected, as it passes them to the host.
struct RejectedCounts {
  hal_dim3_t counts{};
  uint32_t code = 0;  ///< 0: none were rejected; 1: they are too large; else 1 + the vendor's error
};

/// What an indirect launch became in a graph.
struct NativeIndirectNode {
  NativeGraphNode reader = nullptr;  ///< reads the counts, after all predecessors of the launch
  NativeGraphNode launch = nullptr;  ///< runs after the reader
  uint64_t handle = 0;               ///< of the launch, for the device
};

/// One copy between any two addresses that the device can use.
struct NativeCopy {
  NativeAddress target = 0;
  NativeAddress source = 0;
  uint64_t length = 0;  ///< bytes
};

/// Kinds of handle for memory of a device that processes share.
inline constexpr hal_peer_handles_t kSharedHandles =
    HAL_PEER_HANDLE_VIRTUAL_FD | HAL_PEER_HANDLE_FABRIC | HAL_PEER_HANDLE_IPC;

/// The kind of such a handle; none for memory of other types.
constexpr hal_peer_handles_t HandleOf(hal_external_memory_type_t type) {
  switch (static_cast<uint32_t>(type)) {
    case HAL_EXTERNAL_MEMORY_TYPE_VIRTUAL_FD:
      return HAL_PEER_HANDLE_VIRTUAL_FD;
    case HAL_EXTERNAL_MEMORY_TYPE_FABRIC:
      return HAL_PEER_HANDLE_FABRIC;
    case HAL_EXTERNAL_MEMORY_TYPE_IPC:
      return HAL_PEER_HANDLE_IPC;
    default:
      return HAL_PEER_HANDLES_NONE;
  }
}

/// How memory of a device is shared.
enum class NativeSharing {
  kVirtual,   ///< virtual memory: by descriptors and fabric handles
  kIpc,       ///< a plain allocation that leaves by an IPC handle
  kIpcOpened  ///< one of another process
};

/// Memory of a device that other processes can have, too.
struct NativeShared {
  NativeSharing sharing{};
  hal_peer_handles_t handles = HAL_PEER_HANDLES_NONE;  ///< by which it leaves
  NativeAddress address = 0;
  uint64_t size = 0;    ///< bytes, whole
  uint64_t handle = 0;  ///< the vendor's, of virtual memory
};

/// The largest row pitch of a copy of rows, in bytes. CU_DEVICE_ATTRIBUTE_MAX_PITCH and hipDeviceAttributeMaxPitch are
/// that on every device.
inline constexpr uint64_t kMaxCopyPitch = INT32_MAX;

/// One copy of rows between any two addresses that the device can use. No row pitch is above kMaxCopyPitch.
struct NativeBox {
  NativeAddress target = 0;
  NativeAddress source = 0;
  CopyBox box;
};

/// One device of the API, and the calls for it.
///
/// A thread makes all calls between its Enter() and Leave(), except Enter() and the functions that say otherwise. A
/// failure is returned as a status. Its message has the call, the vendor's name for the error and its text. DEVICE_LOST
/// stands for every failure after which the device does no more work ("sticky" ones, and the API shut down at exit).
/// The core relies on that and on nothing else about vendors' errors. Functions that free something return nothing:
/// when the API is shut down there is nothing left to free. Thread-safe.
class NativeApi {
 public:
  /// @param gate  of the API's library
  explicit NativeApi(VendorGate& gate) : gate_(gate) {}
  virtual ~NativeApi() = default;
  NativeApi(const NativeApi&) = delete;
  NativeApi& operator=(const NativeApi&) = delete;

  /// The way of the library's threads to the API, for NativeScope.
  VendorGate& gate() const { return gate_; }

  const NativeTraits& traits() const { return traits_; }
  /// The properties of the device, with the formats that RankImage() knows. Their pointers are valid as long as this
  /// object.
  const hal_device_properties_t& properties() const { return properties_; }
  /// Finds out what connects the device to another one of the same API. At entry `*out_properties` says that nothing
  /// does. Needs no Enter().
  virtual Status DescribePeer(const NativeApi& other, hal_peer_properties_t* out_properties) const = 0;

  /// @name Threads
  /// @{
  /// Makes the device current on this thread. `*out_before` is what Leave() takes; pairs nest.
  virtual Status Enter(NativeCurrent* out_before) = 0;
  /// Restores what was current before.
  virtual void Leave(const NativeCurrent& before) = 0;
  /// @}

  /// @name Streams and events
  /// @{
  virtual Status CreateStream(NativeStream* out_stream) = 0;
  virtual void DestroyStream(NativeStream stream) = 0;
  virtual Status SynchronizeStream(NativeStream stream) = 0;
  virtual Status CreateEvent(NativeEventKind kind, NativeEvent* out_event) = 0;
  virtual void DestroyEvent(NativeEvent event) = 0;
  virtual Status RecordEvent(NativeEvent event, NativeStream stream) = 0;
  /// Later work in `stream` waits for the event's last record.
  virtual Status WaitEvent(NativeStream stream, NativeEvent event) = 0;
  /// Does not block.
  virtual Status QueryEvent(NativeEvent event, bool* out_done) = 0;
  /// Blocks in the vendor's library, and may keep a processor busy: for events whose end is near.
  virtual Status SynchronizeEvent(NativeEvent event) = 0;
  /// The time between two events that are done.
  virtual Status EventMilliseconds(NativeEvent start, NativeEvent end, float* out_milliseconds) = 0;
  /// Writes a value once all earlier work in the stream is done. Needs traits().stream_writes.
  virtual Status WriteValue(NativeStream stream, NativeAddress address, uint64_t value) = 0;
  /// Calls a function that must not call the API.
  virtual Status LaunchHostFunction(NativeStream stream, void (*function)(void*), void* user_data) = 0;
  /// @}

  /// @name Memory
  /// @{
  /// Bytes of the device's memory that are free now.
  virtual Status AvailableMemory(uint64_t* out_bytes) = 0;
  virtual Status AllocateDevice(uint64_t length, NativeAddress* out_address) = 0;
  virtual Status AllocateManaged(uint64_t length, NativeAddress* out_address) = 0;
  /// Frees device or managed memory; may wait for the whole device.
  virtual void FreeDevice(NativeAddress address) = 0;
  /// Pinned memory of the host, at the same address for the device.
  virtual Status AllocateHost(uint64_t length, void** out_memory) = 0;
  virtual void FreeHost(void* memory) = 0;
  /// Pins memory of the application. ALREADY_EXISTS if a part of it is registered.
  virtual Status RegisterHost(void* memory, uint64_t length) = 0;
  virtual void UnregisterHost(void* memory) = 0;
  /// Where the device finds registered memory.
  virtual Status HostAddress(void* memory, NativeAddress* out_address) = 0;
  virtual Status DescribePointer(uint64_t pointer, NativePointerKind* out_kind) = 0;
  /// The registrations of imports. All devices of the API share one object, because registrations belong to the
  /// process. Needs no Enter().
  virtual HostRegistrations& registrations() = 0;
  /// A pool that keeps up to `keep` bytes for reuse. Needs traits().memory_pools.
  virtual Status CreatePool(uint64_t keep, NativePool* out_pool) = 0;
  virtual void DestroyPool(NativePool pool) = 0;
  /// Returns unused memory to the system.
  virtual Status TrimPool(NativePool pool) = 0;
  virtual Status AllocateFromPool(NativePool pool, uint64_t length, NativeStream stream,
                                  NativeAddress* out_address) = 0;
  virtual Status FreeToPool(NativeAddress address, NativeStream stream) = 0;
  /// @}

  /// @name Memory that processes share
  /// @{
  /// Memory that leaves by each of those kinds of handle, which are of traits().handles. INCOMPATIBLE if none does.
  virtual Status AllocateShared(hal_peer_handles_t handles, uint64_t length, NativeShared* out_memory);
  /// Memory of a handle of a kind in traits().handles. A descriptor stays the caller's. INCOMPATIBLE if it is none of
  /// this device of that size.
  virtual Status ImportShared(const hal_external_memory_t& memory, NativeShared* out_memory);
  /// Sets `handle` of `*out_memory` to a new descriptor, or its `bytes`. The type is of memory.handles.
  virtual Status ExportShared(const NativeShared& memory, hal_external_memory_type_t type,
                              hal_external_memory_t* out_memory);
  /// Once no work uses it.
  virtual void FreeShared(const NativeShared&) {}
  /// @}

  /// @name Other devices of the API
  /// @{
  /// Whether both are one device of the API. Needs no Enter().
  virtual bool IsSameDevice(const NativeApi& other) const = 0;
  /// Lets the device reach memory of `peer` that is in no pool. Nothing happens if it can already.
  virtual Status OpenPeer(const NativeApi& peer) = 0;
  /// Lets `peer` reach the memory of a pool of this device.
  virtual Status OpenPool(NativePool pool, const NativeApi& peer) = 0;
  /// Copies between memory of two devices. What is not opened the API copies through the host.
  virtual Status CopyPeer(NativeStream stream, NativeAddress target, const NativeApi& target_api, NativeAddress source,
                          const NativeApi& source_api, uint64_t length) = 0;
  /// The same for rows, between devices that are opened to each other.
  virtual Status CopyRowsPeer(NativeStream stream, const NativeBox& copy, const NativeApi& target_api,
                              const NativeApi& source_api);
  /// @}

  /// The vendor's library of collectives. UNAVAILABLE if there is none. Loads it the first time. Needs no Enter().
  virtual Status FindCollectives(const NcclLibrary** out_library) const;

  /// @name Work
  /// @{
  /// Fills `count` elements of `size` bytes (1, 2 or 4) at a multiple of `size`.
  virtual Status Fill(NativeStream stream, NativeAddress target, uint32_t pattern, uint32_t size, uint64_t count) = 0;
  /// Copies between any two addresses that the device can use.
  virtual Status Copy(NativeStream stream, NativeAddress target, NativeAddress source, uint64_t length) = 0;
  /// The same for rows.
  virtual Status CopyRows(NativeStream stream, const NativeBox& copy);
  /// Copies from memory of the application, which stays unchanged until the stream has reached the copy.
  virtual Status Upload(NativeStream stream, NativeAddress target, const void* data, uint64_t length) = 0;
  virtual Status Launch(NativeStream stream, const NativeLaunch& launch) = 0;
  /// Moves managed memory to the device before later work in the stream. A hint. Needs traits().managed_memory.
  virtual Status PrefetchManaged(NativeStream stream, NativeAddress address, uint64_t length) = 0;
  /// @}

  /// @name Graphs
  /// A graph describes work and its order once; its executable graph is launched often. Patches of the executable graph
  /// change what a node does in later launches. They do not change the kind of a node, the function of a launch, or the
  /// kinds of memory of a copy or fill. Neither kind of graph is thread-safe. No node has a count or length of 0.
  /// @{
  virtual Status CreateGraph(NativeGraph* out_graph) = 0;
  /// Called after the executable graphs made of it are destroyed.
  virtual void DestroyGraph(NativeGraph graph) = 0;
  virtual Status AddLaunch(NativeGraph graph, std::span<const NativeGraphNode> after, const NativeLaunch& launch,
                           NativeGraphNode* out_node) = 0;
  virtual Status AddCopy(NativeGraph graph, std::span<const NativeGraphNode> after, const NativeCopy& copy,
                         NativeGraphNode* out_node) = 0;
  virtual Status AddCopyRows(NativeGraph graph, std::span<const NativeGraphNode> after, const NativeBox& copy,
                             NativeGraphNode* out_node);
  virtual Status AddFill(NativeGraph graph, std::span<const NativeGraphNode> after, const NativeFill& fill,
                         NativeGraphNode* out_node) = 0;
  /// A node that does nothing.
  virtual Status AddJoin(NativeGraph graph, std::span<const NativeGraphNode> after, NativeGraphNode* out_node) = 0;
  virtual Status InstantiateGraph(NativeGraph graph, NativeGraphExec* out_exec) = 0;
  /// No launch of it may be in flight.
  virtual void DestroyGraphExec(NativeGraphExec exec) = 0;
  virtual Status PatchLaunch(NativeGraphExec exec, NativeGraphNode node, const NativeLaunch& launch) = 0;
  virtual Status PatchCopy(NativeGraphExec exec, NativeGraphNode node, const NativeCopy& copy) = 0;
  virtual Status PatchCopyRows(NativeGraphExec exec, NativeGraphNode node, const NativeBox& copy);
  virtual Status PatchFill(NativeGraphExec exec, NativeGraphNode node, const NativeFill& fill) = 0;
  /// Launches of one executable graph run one after the other, whatever their streams.
  virtual Status LaunchGraph(NativeGraphExec exec, NativeStream stream) = 0;
  /// @}

  /// @name Indirect launches in graphs
  /// Need traits().no_indirect_launches to be NULL. A graph that holds some is instantiated once only, and the
  /// executable graph is uploaded before its first launch and after each patch.
  /// @{
  /// Called before the first one is added. The first call takes time. INCOMPATIBLE if the device turns out to have
  /// none.
  virtual Status PrepareIndirectLaunches();
  virtual Status AddIndirectLaunch(NativeGraph graph, std::span<const NativeGraphNode> after,
                                   const NativeIndirectLaunch& launch, NativeIndirectNode* out_node);
  virtual Status PatchIndirectLaunch(NativeGraphExec exec, const NativeIndirectNode& node,
                                     const NativeIndirectLaunch& launch);
  /// Uploads after the work in the stream, and after earlier launches.
  virtual Status UploadGraph(NativeGraphExec exec, NativeStream stream);
  /// @}

  /// @name Executables
  /// @{
  /// How well the device runs images of a kind; see hal_executable_targets_interface_t. INCOMPATIBLE.
  /// Needs no Enter().
  virtual Status RankImage(const ImageKind& image, uint32_t* out_rank) = 0;
  /// Loads an image. ABORTED with the compiler's log, DATA_LOSS, INCOMPATIBLE.
  /// @param blobs  the store for code that the API compiles; NULL for none
  virtual Status LoadModule(std::string_view format, std::span<const std::byte> image, const hal_blob_store_t* blobs,
                            NativeModule* out_module) = 0;
  virtual void UnloadModule(NativeModule module) = 0;
  /// Instead of UnloadModule() where Enter() fails, as on a lost device: frees what the host holds for a module.
  virtual void AbandonModule(NativeModule) {}
  /// NOT_FOUND.
  virtual Status FindFunction(NativeModule module, const char* symbol, NativeFunction* out_function) = 0;
  /// NOT_FOUND if the module has no such variable.
  virtual Status FindVariable(NativeModule module, const char* symbol, NativeAddress* out_address,
                              uint64_t* out_size) = 0;
  virtual Status DescribeFunction(NativeFunction function, NativeFunctionInfo* out_info) = 0;
  virtual Status DescribeCode(NativeFunction function, NativeCodeInfo* out_info) = 0;
  /// The size of a parameter in bytes; NOT_FOUND past the last one, UNIMPLEMENTED if the API does not tell.
  virtual Status ParameterSize(NativeModule module, NativeFunction function, uint32_t index, uint64_t* out_size) = 0;
  /// Allows launches with that much dynamic local memory.
  virtual Status AllowDynamicLocalMemory(NativeFunction function, uint32_t bytes) = 0;
  /// Allows launches with clusters of that many workgroups. For devices with the trait.
  virtual Status AllowClusters(NativeFunction function, uint32_t workgroups);
  /// Makes the map of a tensor at an address. For devices with the trait. Needs no Enter().
  virtual Status EncodeTensorMap(const hal_tensor_map_t& map, const TensorShape& shape, NativeAddress address,
                                 NativeTensorMap* out_map);
  /// How many workgroups of that size each compute unit runs at once.
  virtual Status CountResident(NativeFunction function, uint32_t work_items, uint32_t dynamic_local_memory,
                               uint32_t* out_workgroups) = 0;
  /// @}

  /// @name External streams, and extensions
  /// @{
  /// Checks whether the device's work may be put into an external stream. The stream must belong to this context (else
  /// INCOMPATIBLE). It must not be under capture (else FAILED_PRECONDITION). NULL is the default stream.
  virtual Status CheckExternalStream(NativeStream stream) = 0;
  /// Extensions that are the vendor's own. Needs no Enter().
  virtual std::span<const DeviceExtension> Extensions() const { return {}; }
  /// @}

 private:
  VendorGate& gate_;

 protected:
  NativeTraits traits_;                                     // filled in by the derived constructor
  hal_device_properties_t properties_ = BlankProperties();  // the same
};

/// Makes a call again if it fails. For calls whose failure no caller would see, or would leave something behind
/// permanently.
template <class Call>
Status TryTwice(const Call& call) {
  return Succeeds(call()) ? kOk : call();
}

/// Waits until an event is done, outside the vendor's library, so that the end of the process does not wait for it.
/// Within a NativeScope. DEVICE_LOST also if the process ends meanwhile.
Status AwaitEvent(NativeApi& api, NativeEvent event);

/// Makes a device current on this thread for the lifetime of the scope.
class NativeScope {
 public:
  explicit NativeScope(NativeApi& api) : gate_(api.gate()), api_(api), failure_(Enter()) {}
  ~NativeScope() {
    if (!failure_ && gate_.open()) api_.Leave(before_);
  }
  NativeScope(const NativeScope&) = delete;
  NativeScope& operator=(const NativeScope&) = delete;

  /// Whether calls can be made.
  bool entered() const { return !failure_; }
  /// Why not: DEVICE_LOST for a thread of the library once the process ends.
  Status status() const { return failure_.Share(); }

 private:
  Status Enter() {
    if (!gate_.open()) return FailAtExit();
    return TryTwice([&] { return api_.Enter(&before_); });
  }
  const VendorGate::Scope gate_;
  NativeApi& api_;
  NativeCurrent before_;
  const Failure failure_;
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_NATIVE_NATIVE_API_H_
