// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unit/stream/memory_api.h"

#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "unit/stream/memory_graphs.h"

namespace halyard::stream {
namespace {

/// Streams, memory and executables; what they share, and graphs, are in its bases.
class MemoryApi final : public MemoryGraphs {
 public:
  using MemoryGraphs::MemoryGraphs;

  Status CreateStream(NativeStream* out_stream) override {
    return Call(__func__,
                [&] { Keep(runtime_.MakeStream(context_, /*blocking=*/false), world_->streams, out_stream); });
  }
  void DestroyStream(NativeStream stream) override {
    Destroy(stream, world_->streams, [](sim::Stream& last) { last.Close(); });
  }
  Status SynchronizeStream(NativeStream stream) override {
    return Call(__func__, [&](Lock& lock) {
      if (const auto last = Find(stream)->tail()) last->Wait(lock);
      return context_->lost;
    });
  }

  Status CreateEvent(NativeEventKind, NativeEvent* out_event) override {
    return Call(__func__, [&] {
      const auto event = std::make_shared<sim::Event>();
      event->context = context_;
      Keep(event, world_->events, out_event);
    });
  }
  void DestroyEvent(NativeEvent event) override {
    Destroy(event, world_->events, [](auto&) {});
  }
  Status RecordEvent(NativeEvent event, NativeStream stream) override {
    return Call(__func__, [&] { sim::RecordEvent(*Find(event), *Find(stream)); });
  }
  Status WaitEvent(NativeStream stream, NativeEvent event) override {
    return Call(__func__, [&] { sim::WaitForEvent(*Find(event), *Find(stream)); });
  }
  Status QueryEvent(NativeEvent event, bool* out_done) override {
    return Call(__func__, [&] {
      const Error error = sim::QueryEvent(*Find(event));
      *out_done = error != Error::kNotReady;
      return *out_done ? error : Error::kSuccess;
    });
  }
  Status SynchronizeEvent(NativeEvent event) override {
    return Call(__func__, [&](Lock& lock) {
      if (const auto recorded = Find(event)->recorded) recorded->Wait(lock);
      return context_->lost;
    });
  }
  Status EventMilliseconds(NativeEvent start, NativeEvent end, float* out_milliseconds) override {
    return Call(__func__, [&] { return sim::ElapsedTime(*Find(start), *Find(end), out_milliseconds); });
  }

  Status WriteValue(NativeStream stream, NativeAddress address, uint64_t value) override {
    return Call(__func__, [&] {
      if (!traits_.stream_writes) return Error::kNotSupported;
      if (world_->late_writes >> writes_++ % 32 & 1) Find(stream)->Submit(sim::HostFunctionWork(Sleep, nullptr));
      Find(stream)->Submit(sim::WriteValueWork(address, value));
      return Error::kSuccess;
    });
  }
  Status LaunchHostFunction(NativeStream stream, void (*function)(void*), void* user_data) override {
    return Call(__func__, [&] { Find(stream)->Submit(sim::HostFunctionWork(function, user_data)); });
  }

  Status AvailableMemory(uint64_t* out_bytes) override {
    return Call(__func__, [&] { *out_bytes = world_->device.MemoryFree(); });
  }
  Status AllocateDevice(uint64_t length, NativeAddress* out_address) override {
    return Allocate(__func__, sim::MemoryKind::kDevice, length, out_address);
  }
  Status AllocateManaged(uint64_t length, NativeAddress* out_address) override {
    if (!traits_.managed_memory) return Fail(HAL_STATUS_UNIMPLEMENTED, "the device has no managed memory");
    return Allocate(__func__, sim::MemoryKind::kManaged, length, out_address);
  }
  void FreeDevice(NativeAddress address) override { Free(__func__, address); }
  Status AllocateHost(uint64_t length, void** out_memory) override {
    NativeAddress address = 0;
    HAL_TRY(Allocate(__func__, sim::MemoryKind::kPinned, length, &address));
    *out_memory = reinterpret_cast<void*>(address);
    return kOk;
  }
  void FreeHost(void* memory) override { Free(__func__, reinterpret_cast<uintptr_t>(memory)); }
  Status RegisterHost(void* memory, uint64_t length) override {
    return Call(__func__, [&] {
      const auto base = reinterpret_cast<uintptr_t>(memory);
      const Error error = runtime_.memory.Register(sim::MemoryKind::kRegistered, context_, base, length);
      if (error == Error::kSuccess) ++world_->registrations;
      return error;
    });
  }
  void UnregisterHost(void* memory) override { Free(__func__, reinterpret_cast<uintptr_t>(memory)); }
  Status HostAddress(void* memory, NativeAddress* out_address) override {
    return Call(__func__, [&] { *out_address = reinterpret_cast<uintptr_t>(memory); });
  }
  Status DescribePointer(uint64_t pointer, NativePointerKind* out_kind) override {
    return Call(__func__, [&] {
      const NativePointerKind known = IsHost(pointer) ? NativePointerKind::kHost : NativePointerKind::kDevice;
      *out_kind = runtime_.memory.Find(pointer) ? known : NativePointerKind::kUnknown;
    });
  }

  Status CreatePool(uint64_t keep, NativePool* out_pool) override {
    return Call(__func__, [&] {
      if (!traits_.memory_pools) return Error::kNotSupported;
      const auto pool = std::make_shared<sim::Pool>();
      pool->device = &world_->device;
      pool->threshold = world_->pool_keeps = keep;
      Keep(pool, world_->pools, out_pool);
      return Error::kSuccess;
    });
  }
  void DestroyPool(NativePool pool) override { Destroy(pool, world_->pools, Trim); }
  Status TrimPool(NativePool pool) override {
    return Call(__func__, [&] { Trim(*Find(pool)); });
  }
  Status AllocateFromPool(NativePool pool, uint64_t length, NativeStream stream, NativeAddress* out_address) override {
    return Call(__func__, [&] {
      std::shared_ptr<sim::Allocation> made;
      std::vector<std::shared_ptr<sim::Completion>> frees;
      const Error error = runtime_.memory.AllocateFromPool(Find(pool), context_, length, &made, &frees);
      if (error != Error::kSuccess) return error;
      Find(stream)->Submit(Do([made] { made->reached = true; }), std::move(frees));
      *out_address = made->base;
      ++world_->allocations;
      return Error::kSuccess;
    });
  }
  Status FreeToPool(NativeAddress address, NativeStream stream) override {
    return Call(__func__, [&] {
      const auto allocation = runtime_.memory.FindForFree(address, "FreeToPool");
      if (!allocation) return Error::kInvalidValue;
      allocation->free_queued = true;
      allocation->freed = Find(stream)->Submit(Do([world = world_, allocation] { Release(*world, allocation); }));
      return Error::kSuccess;
    });
  }

  Status Fill(NativeStream stream, NativeAddress target, uint32_t pattern, uint32_t size, uint64_t count) override {
    return Call(__func__, [&] { return Submit(stream, NativeFill{target, pattern, size, count}); });
  }
  // As vendors do it: a copy from host memory to host memory keeps its caller waiting for all before it in the stream.
  Status Copy(NativeStream stream, NativeAddress target, NativeAddress source, uint64_t length) override {
    return Call(__func__, [&](Lock& lock) {
      const auto last = Find(stream)->tail();
      if (last && IsHost(target) && IsHost(source)) last->Wait(lock);
      return Submit(stream, NativeCopy{target, source, length});
    });
  }
  Status Upload(NativeStream stream, NativeAddress target, const void* data, uint64_t length) override {
    return Copy(stream, target, reinterpret_cast<uintptr_t>(data), length);
  }
  Status Launch(NativeStream stream, const NativeLaunch& launch) override {
    return Call(__func__, [&] { return Submit(stream, launch); });
  }
  Status PrefetchManaged(NativeStream, NativeAddress, uint64_t) override { return Call(__func__); }

  Status RankImage(const ImageKind& image, uint32_t* out_rank) override {
    *out_rank = 0;
    return image.format == "memory" ? kOk : FailWith(HAL_STATUS_INCOMPATIBLE, "only images of format 'memory'");
  }
  Status LoadModule(std::string_view, std::span<const std::byte>, const hal_blob_store_t*,
                    NativeModule* out_module) override {
    return Call(__func__, [&] {
      std::vector<sim::KernelCode> kernels;
      std::vector<sim::Entry> entries;
      for (const auto& [name, run] : MemoryKernels()) {
        kernels.push_back({name, name, run, {0, 0, 0}, 0, 0, /*binding_count=*/1, {{.is_binding = true}}});
        entries.push_back({name, sim::NaturalLayout(kernels.back()), {0, 0, 0}, 0});
      }
      std::string why;
      const auto code = sim::HostCode::Of(std::move(kernels));
      Keep(sim::MakeModule(context_, code, std::move(entries), &why), world_->modules, out_module);
    });
  }
  void UnloadModule(NativeModule module) override {
    Destroy(module, world_->modules, [&](const sim::Module& last) {
      for (const auto& [name, function] : last.functions) runtime_.functions.Remove(function.get());
    });
  }
  Status FindFunction(NativeModule module, const char* symbol, NativeFunction* out_function) override {
    return Call(__func__, [&] {
      const auto& functions = Find(module)->functions;
      const auto found = functions.find(symbol);
      if (found == functions.end()) return Error::kNotFound;
      *out_function = reinterpret_cast<NativeFunction>(found->second.get());
      return Error::kSuccess;
    });
  }
  Status FindVariable(NativeModule, const char*, NativeAddress*, uint64_t*) override {
    return Call(__func__, [] { return Error::kNotFound; });
  }
  Status DescribeCode(NativeFunction, NativeCodeInfo* out_info) override {
    *out_info = {};
    return kOk;
  }
  Status CountResident(NativeFunction, uint32_t, uint32_t, uint32_t* out_workgroups) override {
    *out_workgroups = 1;
    return kOk;
  }
  Status DescribeFunction(NativeFunction function, NativeFunctionInfo* out_info) override {
    return Call(__func__, [&] { *out_info = {Find(function)->threads_per_block, 0}; });
  }
  Status ParameterSize(NativeModule, NativeFunction function, uint32_t index, uint64_t* out_size) override {
    return Call(__func__, [&] {
      const auto& parameters = Find(function)->entry.parameters;
      if (index >= parameters.size()) return Error::kNotFound;
      *out_size = parameters[index].size;
      return Error::kSuccess;
    });
  }
  Status AllowDynamicLocalMemory(NativeFunction, uint32_t) override { return Call(__func__); }
  Status CheckExternalStream(NativeStream) override { return Call(__func__); }

 private:
  template <class Params>
  Error Submit(NativeStream stream, const Params& params) {
    sim::Work work;
    const Error error = MakeWork(params, &work);
    if (error == Error::kSuccess) Find(stream)->Submit(std::move(work));
    return error;
  }
  static void Sleep(void*) { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }

  Status Allocate(const char* name, sim::MemoryKind kind, uint64_t length, NativeAddress* out_address) {
    return Call(name, [&] {
      std::shared_ptr<sim::Allocation> made;
      const Error error = runtime_.memory.Allocate(kind, context_, length, &made);
      if (error != Error::kSuccess) return error;
      *out_address = made->base;
      ++world_->allocations;
      return Error::kSuccess;
    });
  }
  /// Of any memory, registered memory of the host too.
  void Free(const char* name, uintptr_t address) {
    Lock lock(runtime_.mutex);
    const auto allocation = runtime_.memory.FindForFree(address, name);
    if (!allocation) return;
    allocation->free_queued = true;
    CheckUse(*allocation, sim::Rule::kFreeInUse, name);
    allocation->WaitUntilIdle(lock);
    Release(*world_, allocation);
  }
  static void Release(MemoryWorld& world, const std::shared_ptr<sim::Allocation>& allocation) {
    sim::Memory& memory = sim::Runtime::Get().memory;
    if (memory.Find(allocation->base) == allocation) memory.Free(allocation);  // unless its context has ended
    --(allocation->OwnsMemory() ? world.allocations : world.registrations);
  }
  static void Trim(sim::Pool& pool) {
    pool.device->memory_used -= pool.reserved - pool.used;
    pool.reserved = pool.used;
  }
  /// Pinned memory, or any that the device does not know.
  bool IsHost(NativeAddress address) const {
    const auto allocation = runtime_.memory.Find(address);
    return !allocation || allocation->kind == sim::MemoryKind::kPinned || !allocation->OwnsMemory();
  }

  uint32_t writes_ = 0;  // of values
};

}  // namespace

MemoryWorld::MemoryWorld() {
  context.before_work = [this](Lock& lock) {
    lock.unlock();
    while (paused && !broken) std::this_thread::sleep_for(std::chrono::microseconds(50));
    if (hold_up) hold_up();
    lock.lock();
    if (broken) context.Lose(Error::kHardware);
  };
}

uint64_t MemoryWorld::CallsHere() { return t_calls; }

void MemoryWorld::AwaitIdle() {
  Lock lock(sim::Runtime::Get().mutex);
  sim::Runtime::Get().Synchronize(Context(), lock);
}

std::map<std::string, hal_local_kernel_fn_t>& MemoryKernels() {
  static std::map<std::string, hal_local_kernel_fn_t> kernels;
  return kernels;
}

std::string TakeReports() {
  std::string text = sim::Runtime::Get().reports.Text();
  sim::Runtime::Get().reports.Clear();
  return text;
}

std::unique_ptr<NativeApi> MakeMemoryApi(const std::shared_ptr<MemoryWorld>& world, const NativeTraits& traits) {
  return std::make_unique<MemoryApi>(world, traits);
}

}  // namespace halyard::stream
