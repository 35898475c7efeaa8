// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of NativeApi that are one vendor call each. CUDA and HIP share them, except for the names.
#ifndef HALYARD_STREAM_NATIVE_VENDOR_API_H_
#define HALYARD_STREAM_NATIVE_VENDOR_API_H_

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/host_memory.h"
#include "base/process_wide.h"
#include "platform/system_facts.h"
#include "stream/native/host_registrations.h"
#include "stream/native/native_api.h"
#include "stream/native/nccl_library.h"
#include "stream/native/vendor_call.h"

namespace halyard::stream {

/// The calls for one device. A Vendor names the function for each operation (kRecordEvent and so on), the constants
/// that are passed, and the types of what they fill; see vendor_call.h.
template <class Vendor>
class VendorApi : public NativeApi, public HostObject {
 public:
  using Library = typename Vendor::Library;
  using Result = typename Vendor::Result;

  VendorApi(const Library& library, int device) : NativeApi(g_gate), library_(library), device_(device) {}

  /// The vendor's ordinal.
  int device() const { return device_; }

  Status DescribePeer(const NativeApi& other, hal_peer_properties_t* out_properties) const override {
    const int peer = AsVendor(other).device_;
    // Any device of the API waits for any other's events, and all of them share what is pinned.
    out_properties->native_waits = true;
    out_properties->memory_handles = HAL_PEER_HANDLE_HOST_POINTER;
    if (peer == device_) {
      out_properties->memory_handles |= HAL_PEER_HANDLE_DEVICE_POINTER;
      out_properties->memory_handles |= traits_.handles;
      out_properties->copy_route = HAL_COPY_ROUTE_DIRECT;
      out_properties->share = HAL_PEER_SHARE_ALL;
      return kOk;
    }
    int can = 0;
    HAL_TRY(Call(Vendor::kCanAccessPeer, &can, device_, peer));
    if (can == 0) return kOk;
    out_properties->copy_route = HAL_COPY_ROUTE_DIRECT;
    int atomics = 0;
    int rank = 0;
    HAL_TRY(Call(Vendor::kPeerAttribute, &atomics, Vendor::kPeerAtomics, device_, peer));
    HAL_TRY(Call(Vendor::kPeerAttribute, &rank, Vendor::kPeerRank, device_, peer));
    out_properties->relation = HAL_PEER_RELATION_ACCESS;
    out_properties->share = HAL_PEER_SHARE_ALL;
    out_properties->native_atomics = atomics != 0;
    out_properties->performance_rank = rank;
    if (Vendor::kFabricHasAtomics) out_properties->link = atomics != 0 ? HAL_PEER_LINK_FABRIC : HAL_PEER_LINK_PCIE;
    return kOk;
  }

  Status CreateStream(NativeStream* out_stream) override {
    return ExemptCall(Vendor::kCreateStream, out_stream, Vendor::kStreamFlags);
  }
  void DestroyStream(NativeStream stream) override { Free(Vendor::kDestroyStream, stream); }
  Status SynchronizeStream(NativeStream stream) override { return ExemptCall(Vendor::kSynchronizeStream, stream); }
  Status CreateEvent(NativeEventKind kind, NativeEvent* out_event) override {
    return Call(Vendor::kCreateEvent, out_event, kind == NativeEventKind::kTimed ? 0 : Vendor::kEventWithoutTimes);
  }
  void DestroyEvent(NativeEvent event) override { Drop(Vendor::kDestroyEvent, event); }
  Status RecordEvent(NativeEvent event, NativeStream stream) override {
    return Call(Vendor::kRecordEvent, event, stream);
  }
  Status WaitEvent(NativeStream stream, NativeEvent event) override {
    return Call(Vendor::kWaitEvent, stream, event, 0);
  }
  // A query that is refused because of a capture says nothing about the event.
  Status QueryEvent(NativeEvent event, bool* out_done) override {
    const Exemption exempt(library_);
    const Result result = CallVendor(library_, Vendor::kQueryEvent, event);
    *out_done = result == Vendor::kSuccess;
    if (result != Vendor::kNotReady && !Vendor::IsForCaptures(result)) {
      return library_.Check(Vendor::kQueryEvent.name, result);
    }
    library_.Ignore(result);
    return kOk;
  }
  Status SynchronizeEvent(NativeEvent event) override { return ExemptCall(Vendor::kSynchronizeEvent, event); }
  Status EventMilliseconds(NativeEvent start, NativeEvent end, float* out_milliseconds) override {
    return ExemptCall(Vendor::kEventMilliseconds, out_milliseconds, start, end);
  }
  Status WriteValue(NativeStream stream, NativeAddress address, uint64_t value) override {
    return Call(Vendor::kWriteValue, stream, address, value, 0);
  }
  Status LaunchHostFunction(NativeStream stream, void (*function)(void*), void* user_data) override {
    return Call(Vendor::kLaunchHostFunction, stream, function, user_data);
  }

  Status AvailableMemory(uint64_t* out_bytes) override {
    size_t total = 0;
    return ExemptCall(Vendor::kMemoryInfo, out_bytes, &total);
  }
  Status AllocateDevice(uint64_t length, NativeAddress* out_address) override {
    return ExemptCall(Vendor::kAllocateDevice, out_address, length);
  }
  Status AllocateManaged(uint64_t length, NativeAddress* out_address) override {
    return ExemptCall(Vendor::kAllocateManaged, out_address, length, Vendor::kManagedFlags);
  }
  void FreeDevice(NativeAddress address) override { Free(Vendor::kFreeDevice, address); }
  Status AllocateHost(uint64_t length, void** out_memory) override {
    return ExemptCall(Vendor::kAllocateHost, out_memory, length, Vendor::kHostFlags);
  }
  void FreeHost(void* memory) override { Free(Vendor::kFreeHost, memory); }
  Status RegisterHost(void* memory, uint64_t length) override {
    return ExemptCall(Vendor::kRegisterHost, memory, length, Vendor::kRegisterFlags);
  }
  void UnregisterHost(void* memory) override { Free(Vendor::kUnregisterHost, memory); }
  Status HostAddress(void* memory, NativeAddress* out_address) override {
    return Call(Vendor::kHostAddress, out_address, memory, 0);
  }
  HostRegistrations& registrations() override { return ProcessWide<Registrations>::Get(); }

  Status CreatePool(uint64_t keep, NativePool* out_pool) override {
    const Exemption exempt(library_);
    typename Vendor::PoolProperties properties{};
    properties.allocType = Vendor::kPinnedAllocation;
    properties.location = {Vendor::kOnDevice, device_};
    NativePool pool = nullptr;
    HAL_TRY(Call(Vendor::kCreatePool, &pool, &properties));
    const Status status = Call(Vendor::kSetPoolAttribute, pool, Vendor::kReleaseThreshold, &keep);
    if (status == kOk) {
      *out_pool = pool;
    } else {
      Drop(Vendor::kDestroyPool, pool);
    }
    return status;
  }
  void DestroyPool(NativePool pool) override { Free(Vendor::kDestroyPool, pool); }
  Status TrimPool(NativePool pool) override { return ExemptCall(Vendor::kTrimPool, pool, 0); }
  Status AllocateFromPool(NativePool pool, uint64_t length, NativeStream stream, NativeAddress* out_address) override {
    return ExemptCall(Vendor::kAllocateFromPool, out_address, length, pool, stream);
  }
  Status FreeToPool(NativeAddress address, NativeStream stream) override {
    return ExemptCall(Vendor::kFreeToPool, address, stream);
  }

  // IPC handles, which both APIs have alike. In vendor_ipc.h.
  Status AllocateShared(hal_peer_handles_t handles, uint64_t length, NativeShared* out_memory) override;
  Status ImportShared(const hal_external_memory_t& memory, NativeShared* out_memory) override;
  Status ExportShared(const NativeShared& memory, hal_external_memory_type_t type,
                      hal_external_memory_t* out_memory) override;
  void FreeShared(const NativeShared& memory) override;

  Status FindCollectives(const NcclLibrary** out_library) const override {
    const VendorNccl<Vendor>* library = nullptr;
    HAL_TRY(LoadOnce(&library));
    *out_library = library;
    return kOk;
  }

  bool IsSameDevice(const NativeApi& other) const override { return AsVendor(other).device_ == device_; }
  Status OpenPeer(const NativeApi& peer) override {
    const Exemption exempt(library_);
    const Result result = CallVendor(library_, Vendor::kEnablePeer, AsVendor(peer).PeerName(), 0U);
    if (result != Vendor::kPeerIsEnabled) return library_.Check(Vendor::kEnablePeer.name, result);
    library_.Ignore(result);
    return kOk;
  }
  Status OpenPool(NativePool pool, const NativeApi& peer) override {
    const typename Vendor::PoolAccess access = {{Vendor::kOnDevice, AsVendor(peer).device_}, Vendor::kReadsAndWrites};
    return ExemptCall(Vendor::kSetPoolAccess, pool, &access, size_t{1});
  }
  Status CopyPeer(NativeStream stream, NativeAddress target, const NativeApi& target_api, NativeAddress source,
                  const NativeApi& source_api, uint64_t length) override {
    return Call(Vendor::kCopyPeer, target, AsVendor(target_api).PeerName(), source, AsVendor(source_api).PeerName(),
                length, stream);
  }

  Status Fill(NativeStream stream, NativeAddress target, uint32_t pattern, uint32_t size, uint64_t count) override {
    if (size == 1) return Call(Vendor::kFill8, target, pattern, count, stream);
    if (size == 2) return Call(Vendor::kFill16, target, pattern, count, stream);
    return Call(Vendor::kFill32, target, pattern, count, stream);
  }
  Status Upload(NativeStream stream, NativeAddress target, const void* data, uint64_t length) override {
    return Call(Vendor::kUpload, target, data, length, stream);
  }
  Status Launch(NativeStream stream, const NativeLaunch& launch) override {
    const hal_dim3_t& count = launch.workgroup_count;
    const hal_dim3_t& size = launch.workgroup_size;
    return Call(Vendor::kLaunch, launch.function, count.x, count.y, count.z, size.x, size.y, size.z,
                launch.dynamic_local_memory, stream, launch.parameters, nullptr);
  }

  Status CreateGraph(NativeGraph* out_graph) override { return Call(Vendor::kCreateGraph, out_graph, 0); }
  void DestroyGraph(NativeGraph graph) override { Drop(Vendor::kDestroyGraph, graph); }
  Status AddLaunch(NativeGraph graph, std::span<const NativeGraphNode> after, const NativeLaunch& launch,
                   NativeGraphNode* out_node) override {
    const auto params = LaunchParams(launch);
    return Call(Vendor::kAddLaunch, out_node, graph, after.data(), after.size(), &params);
  }
  Status AddFill(NativeGraph graph, std::span<const NativeGraphNode> after, const NativeFill& fill,
                 NativeGraphNode* out_node) override {
    const auto params = FillParams(fill);
    return CallInContext(Vendor::kAddFill, out_node, graph, after.data(), after.size(), &params);
  }
  Status AddJoin(NativeGraph graph, std::span<const NativeGraphNode> after, NativeGraphNode* out_node) override {
    return Call(Vendor::kAddJoin, out_node, graph, after.data(), after.size());
  }
  void DestroyGraphExec(NativeGraphExec exec) override { Free(Vendor::kDestroyGraphExec, exec); }
  Status PatchLaunch(NativeGraphExec exec, NativeGraphNode node, const NativeLaunch& launch) override {
    const auto params = LaunchParams(launch);
    return Call(Vendor::kPatchLaunch, exec, node, &params);
  }
  Status PatchFill(NativeGraphExec exec, NativeGraphNode node, const NativeFill& fill) override {
    const auto params = FillParams(fill);
    return CallInContext(Vendor::kPatchFill, exec, node, &params);
  }
  Status LaunchGraph(NativeGraphExec exec, NativeStream stream) override {
    return Call(Vendor::kLaunchGraph, exec, stream);
  }

  void UnloadModule(NativeModule module) override { Free(Vendor::kUnloadModule, module); }
  Status FindFunction(NativeModule module, const char* symbol, NativeFunction* out_function) override {
    const Exemption exempt(library_);  // the vendor may load the code only now
    const Result result = CallVendor(library_, Vendor::kFindFunction, out_function, module, symbol);
    if (result != Vendor::kNotFound) return library_.Check(Vendor::kFindFunction.name, result);
    library_.Ignore(result);
    return Fail(HAL_STATUS_NOT_FOUND, "the image has no kernel '%s'", symbol);
  }
  Status FindVariable(NativeModule module, const char* symbol, NativeAddress* out_address,
                      uint64_t* out_size) override {
    const Exemption exempt(library_);  // as above
    size_t size = 0;
    const Result result = CallVendor(library_, Vendor::kFindVariable, out_address, &size, module, symbol);
    *out_size = size;
    if (result == Vendor::kSuccess) return kOk;
    if (result != Vendor::kNotFound && !HasFunction(module, symbol)) {
      return library_.Check(Vendor::kFindVariable.name, result);
    }
    library_.Ignore(result);  // that of a kernel's name is not kNotFound
    return Fail(HAL_STATUS_NOT_FOUND, "the image has no variable '%s'", symbol);
  }
  Status DescribeFunction(NativeFunction function, NativeFunctionInfo* out_info) override {
    const Exemption exempt(library_);  // as above
    HAL_TRY(Call(Vendor::kFunctionAttribute, &out_info->max_workgroup_volume, Vendor::kFunctionVolume, function));
    return Call(Vendor::kFunctionAttribute, &out_info->local_memory_size, Vendor::kFunctionLocalMemory, function);
  }
  Status DescribeCode(NativeFunction function, NativeCodeInfo* out_info) override {
    const Exemption exempt(library_);  // as above
    HAL_TRY(Call(Vendor::kFunctionAttribute, &out_info->registers, Vendor::kFunctionRegisters, function));
    return Call(Vendor::kFunctionAttribute, &out_info->private_memory_size, Vendor::kFunctionPrivateMemory, function);
  }
  Status CountResident(NativeFunction function, uint32_t work_items, uint32_t dynamic_local_memory,
                       uint32_t* out_workgroups) override {
    return Call(Vendor::kCountResident, out_workgroups, function, work_items, dynamic_local_memory);
  }

 protected:
  using Exemption = CaptureExemption<Vendor>;
  using Attribute = decltype(Vendor::kAttributeUnits);

  template <class Function, class... Arguments>
  Status Call(const Function& function, Arguments... arguments) const {
    return library_.Check(function.name, CallVendor(library_, function, arguments...));
  }
  /// The same, exempt from captures.
  template <class Function, class... Arguments>
  Status ExemptCall(const Function& function, Arguments... arguments) const {
    const Exemption exempt(library_);
    return Call(function, arguments...);
  }
  /// CUDA's copies and fills in graphs name the context that they run in. HIP has none.
  template <class Function, class... Arguments>
  Status CallInContext(const Function& function, Arguments... arguments) const {
    if constexpr (std::is_null_pointer_v<typename Vendor::Context>) {
      return Call(function, arguments...);
    } else {
      return Call(function, arguments..., context_);
    }
  }
  /// A call that frees something: no caller could do anything about its failure.
  template <class Function, class... Arguments>
  void Drop(const Function& function, Arguments... arguments) const {
    library_.Ignore(CallVendor(library_, function, arguments...));
  }
  template <class Function, class... Arguments>
  void Free(const Function& function, Arguments... arguments) const {
    const Exemption exempt(library_);
    Drop(function, arguments...);
  }

  /// Finds the size of what an IPC handle opened.
  Status DescribeOpened(NativeShared* opened);

  static const VendorApi& AsVendor(const NativeApi& other) { return static_cast<const VendorApi&>(other); }
  /// What calls about other devices call this one: CUDA its context, HIP its ordinal.
  auto PeerName() const {
    if constexpr (std::is_null_pointer_v<typename Vendor::Context>) {
      return device_;
    } else {
      return context_;
    }
  }

  Status CheckNotCaptured(NativeStream stream) const {
    auto capture = Vendor::kNotCaptured;
    HAL_TRY(Call(Vendor::kIsCapturing, stream, &capture));
    if (capture == Vendor::kNotCaptured) return kOk;
    return FailWith(HAL_STATUS_FAILED_PRECONDITION, "the stream is being captured; end the capture first");
  }

  /// Reads an attribute of the device into a number of any type.
  template <class Number>
  Status Read(Attribute attribute, Number* out_value) const {
    int value = 0;
    HAL_TRY(Call(Vendor::kDeviceAttribute, &value, attribute, device_));
    *out_value = static_cast<Number>(value);
    return kOk;
  }
  Status Read(const Attribute (&attributes)[3], hal_dim3_t* out_values) const {
    HAL_TRY(Read(attributes[0], &out_values->x));
    HAL_TRY(Read(attributes[1], &out_values->y));
    return Read(attributes[2], &out_values->z);
  }

  /// Reads the traits that are attributes in both APIs.
  Status ReadTraits() {
    HAL_TRY(Read(Vendor::kAttributePools, &traits_.memory_pools));
    HAL_TRY(Read(Vendor::kAttributeManaged, &traits_.managed_memory));
    HAL_TRY(Read(Vendor::kAttributeUnits, &traits_.compute_units));
    HAL_TRY(Read(Vendor::kAttributeVolume, &traits_.max_workgroup_volume));
    HAL_TRY(Read(Vendor::kAttributeLocalMemory, &traits_.max_local_memory));
    HAL_TRY(Read(Vendor::kAttributesCount, &traits_.max_workgroup_count));
    HAL_TRY(Read(Vendor::kAttributesSize, &traits_.max_workgroup_size));
    return Call(Vendor::kTotalMemory, &traits_.total_memory, device_);
  }
  /// Reads the properties that are attributes in both APIs, after the traits.
  Status ReadProperties() {
    hal_device_properties_t& p = properties_;
    bool integrated = false;
    HAL_TRY(Read(Vendor::kAttributeIntegrated, &integrated));
    HAL_TRY(Read(Vendor::kAttributeClock, &p.max_clock_khz));
    HAL_TRY(Read(Vendor::kAttributeSubgroup, &p.min_subgroup_size));
    HAL_TRY(Read(Vendor::kAttributeL2Cache, &p.l2_cache_size));
    HAL_TRY(Read(Vendor::kAttributePciDomain, &p.pci_address.domain));
    HAL_TRY(Read(Vendor::kAttributePciBus, &p.pci_address.bus));
    HAL_TRY(Read(Vendor::kAttributePciDevice, &p.pci_address.device));
    typename Vendor::Uuid uuid{};
    HAL_TRY(Call(Vendor::kDeviceUuid, &uuid, device_));
    static_assert(sizeof(uuid.bytes) == sizeof(p.uuid));
    std::memcpy(p.uuid, uuid.bytes, sizeof(p.uuid));
    p.has_uuid = true;
    p.has_pci_address = true;
    if (!integrated) traits_.handles |= HAL_PEER_HANDLE_IPC;
    p.kind = integrated ? HAL_DEVICE_KIND_INTEGRATED : HAL_DEVICE_KIND_DISCRETE;
    p.numa_node = NumaNodeOf(p.pci_address);
    p.compute_units = traits_.compute_units;
    p.max_subgroup_size = p.min_subgroup_size;
    return kOk;
  }

  const Library& library_;
  const int device_;
  typename Vendor::Context context_{};

 private:
  bool HasFunction(NativeModule module, const char* symbol) {
    NativeFunction function = nullptr;
    const Result result = CallVendor(library_, Vendor::kFindFunction, &function, module, symbol);
    library_.Ignore(result);
    return result == Vendor::kSuccess;
  }

  static typename Vendor::LaunchParams LaunchParams(const NativeLaunch& launch) {
    typename Vendor::LaunchParams params{};
    Vendor::SetSizes(launch.workgroup_count, launch.workgroup_size, &params);
    params.func = ToVendor<decltype(params.func)>(launch.function);
    params.kernelParams = launch.parameters;
    params.sharedMemBytes = launch.dynamic_local_memory;
    return params;
  }
  static typename Vendor::FillParams FillParams(const NativeFill& fill) {
    typename Vendor::FillParams params{};
    params.dst = ToVendor<decltype(params.dst)>(fill.target);
    params.value = fill.size == 4 ? fill.pattern : fill.pattern & ((1u << (8 * fill.size)) - 1);
    params.elementSize = fill.size;
    params.width = fill.count;
    params.height = 1;
    return params;
  }

  /// One for all devices of the vendor, as the library is.
  static constinit inline VendorGate g_gate;
  /// One for all devices of the vendor.
  struct Registrations : HostRegistrations {};
};

}  // namespace halyard::stream

#include "stream/native/vendor_ipc.h"

#endif  // HALYARD_STREAM_NATIVE_VENDOR_API_H_
