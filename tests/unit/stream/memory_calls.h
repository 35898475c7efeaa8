// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the calls of the native API in memory have in common: the way in, handles, and work from its description.
#ifndef HALYARD_TESTS_UNIT_STREAM_MEMORY_CALLS_H_
#define HALYARD_TESTS_UNIT_STREAM_MEMORY_CALLS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "engine/runtime.h"
#include "engine/transfer.h"
#include "unit/stream/memory_api.h"

namespace halyard::stream {

using sim::Error;
using sim::Lock;

inline thread_local uint64_t t_calls = 0;  // of this thread

/// The calls of one device, which is a context of the engine.
class MemoryCalls : public NativeApi {
 public:
  static constinit inline VendorGate g_gate;
  MemoryCalls(const std::shared_ptr<MemoryWorld>& world, const NativeTraits& traits)
      : NativeApi(g_gate), world_(world), context_(world->Context()) {
    traits_ = traits;
    sim::Limits& limits = world->device.limits;
    limits.grid = Array(traits.max_workgroup_count);
    limits.block = Array(traits.max_workgroup_size);
    limits.threads_per_block = traits.max_workgroup_volume;
    limits.shared_memory = limits.shared_memory_opt_in = traits.max_local_memory;
    world->device.memory_size = traits.total_memory;
    const Lock lock(runtime_.mutex);
    runtime_.rules.graph_launches_overlap = traits.graph_launches_overlap;
    if (!runtime_.started()) runtime_.Start();  // prints its seed
  }
  ~MemoryCalls() override {
    const Lock lock(runtime_.mutex);
    runtime_.DestroyContext(context_);
  }

  Status Enter(NativeCurrent* out_before) override {
    if (sim::InHostFunction()) runtime_.reports.Add(sim::Rule::kCallInHostFunction, __func__);
    out_before->changed = true;
    sim::ContextStack().push_back(context_);
    ++world_->contexts_entered;
    return kOk;
  }
  void Leave(const NativeCurrent&) override {
    sim::ContextStack().pop_back();
    --world_->contexts_entered;
  }
  HostRegistrations& registrations() override { return world_->imports; }
  bool IsSameDevice(const NativeApi&) const override { return true; }
  Status OpenPeer(const NativeApi&) override { return kOk; }
  Status OpenPool(NativePool, const NativeApi&) override { return kOk; }
  Status CopyPeer(NativeStream stream, NativeAddress target, const NativeApi&, NativeAddress source, const NativeApi&,
                  uint64_t length) override {
    return Copy(stream, target, source, length);
  }
  Status DescribePeer(const NativeApi&, hal_peer_properties_t*) const override { return kOk; }

 protected:
  /// Runs a body under the engine's lock, unless the device is broken or the call is to fail.
  template <class Body>
  Status Call(const char* name, const Body& body) {
    HAL_TRY(Admit(name));
    Lock lock(runtime_.mutex);
    if constexpr (std::is_invocable_v<Body, Lock&>) {
      return Result(name, body(lock));
    } else if constexpr (std::is_void_v<std::invoke_result_t<Body>>) {
      body();
      return kOk;
    } else {
      return Result(name, body());
    }
  }
  Status Call(const char* name) { return Admit(name); }
  static Status Result(const char* name, Error error) {
    switch (error) {
      case Error::kSuccess:
        return kOk;
      case Error::kOutOfMemory:
        return Fail(HAL_STATUS_RESOURCE_EXHAUSTED, "%s: no memory", name);
      case Error::kAlreadyRegistered:
        return FailWith(HAL_STATUS_ALREADY_EXISTS, "registered before");
      case Error::kInvalidValue:
        return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s: the device cannot do that", name);
      case Error::kNotSupported:
        return Fail(HAL_STATUS_UNIMPLEMENTED, "%s: the device was made without it", name);
      case Error::kNotFound:
        return Fail(HAL_STATUS_NOT_FOUND, "%s: no such thing", name);
      default:
        return Fail(HAL_STATUS_DEVICE_LOST, "%s: the device is broken", name);
    }
  }

  // The objects of the engine that a kind of handle stands for.
  auto& Objects(NativeStream) const { return runtime_.streams; }
  auto& Objects(NativeEvent) const { return runtime_.events; }
  auto& Objects(NativePool) const { return runtime_.pools; }
  auto& Objects(NativeModule) const { return runtime_.modules; }
  auto& Objects(NativeFunction) const { return runtime_.functions; }
  auto& Objects(NativeGraph) const { return runtime_.graphs; }
  auto& Objects(NativeGraphNode) const { return runtime_.nodes; }
  auto& Objects(NativeGraphExec) const { return runtime_.execs; }

  template <class Native>
  auto Find(Native native) const {
    return Objects(native).Find(native);
  }
  template <class Object, class Native>
  void Keep(std::shared_ptr<Object> object, std::atomic<int>& alive, Native* out_native) const {
    *out_native = reinterpret_cast<Native>(Objects(*out_native).Add(std::move(object)));
    ++alive;
  }
  /// Calls `last` with the object before it goes.
  template <class Native, class Last>
  void Destroy(Native native, std::atomic<int>& alive, const Last& last) const {
    const Lock lock(runtime_.mutex);
    const auto found = Find(native);
    last(*found);
    Objects(native).Remove(found.get());
    --alive;
  }

  /// Reports what goes although submitted work needs it. A device that has failed is given up with work in flight.
  void CheckUse(const sim::Needed& last, sim::Rule rule, const char* name) const {
    const bool failed = context_->lost != Error::kSuccess || world_->faults.Failures() != 0;
    if (last.pending != 0 && !failed) runtime_.reports.Add(rule, name);
  }

  /// What the engine does for a description; an error if it is wrong.
  Error MakeWork(const NativeLaunch& launch, sim::Work* out_work) const {
    sim::Launch made;
    made.function = Find(launch.function);
    made.grid = Array(launch.workgroup_count);
    made.block = Array(launch.workgroup_size);
    made.dynamic_shared = launch.dynamic_local_memory;
    const auto* const argument = static_cast<const std::byte*>(launch.parameters[0]);  // kernels here take one
    made.arguments.assign(argument, argument + made.function->ArgumentSize());
    if (const Error error = sim::CheckLaunch(made); error != Error::kSuccess) return error;
    *out_work = sim::LaunchWork(made);
    out_work->launch = std::make_shared<const sim::Launch>(std::move(made));
    return Error::kSuccess;
  }
  static Error MakeWork(const NativeCopy& copy, sim::Work* out_work) {
    const sim::Copy made = {copy.target, copy.source, copy.length, /*host_target=*/false, /*host_source=*/true};
    *out_work = sim::CopyWork(made);
    return copy.length == 0 ? Error::kInvalidValue : sim::CheckCopy(made);
  }
  static Error MakeWork(const NativeFill& fill, sim::Work* out_work) {
    const sim::Fill made = {fill.target, fill.pattern, fill.size, fill.count};
    *out_work = sim::FillWork(made);
    return fill.count == 0 ? Error::kInvalidValue : sim::CheckFill(made);
  }
  /// Runs under the engine's lock.
  static sim::Work Do(std::function<void()> function) {
    sim::Work work;
    work.run = [function = std::move(function)](Lock&, sim::Context&) { return function(), Error::kSuccess; };
    return work;
  }

  const std::shared_ptr<MemoryWorld> world_;
  const std::shared_ptr<sim::Context> context_;
  sim::Runtime& runtime_ = sim::Runtime::Get();

 private:
  static std::array<uint32_t, 3> Array(const hal_dim3_t& size) { return {size.x, size.y, size.z}; }

  /// Counts a call, checks that it may be made, and fails it if its turn has come.
  Status Admit(const char* name) {
    ++t_calls;
    const auto& stack = sim::ContextStack();
    if (sim::InHostFunction()) runtime_.reports.Add(sim::Rule::kCallInHostFunction, name);
    if (stack.empty() || stack.back() != context_) runtime_.reports.Add(sim::Rule::kNoContext, name);
    const Lock lock(runtime_.mutex);
    if (world_->broken) context_->Lose(Error::kHardware);
    if (context_->lost != Error::kSuccess) return Result(name, context_->lost);
    const std::optional<int> fault = world_->faults.Count(name);
    if (!fault) return kOk;
    if (*fault == HAL_STATUS_DEVICE_LOST) world_->broken = true;
    return Fail(static_cast<hal_status_t>(*fault), "%s: told to fail", name);
  }
};

}  // namespace halyard::stream

#endif  // HALYARD_TESTS_UNIT_STREAM_MEMORY_CALLS_H_
