// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unit/stream/memory_api.h"

#include <chrono>
#include <cstring>
#include <deque>
#include <new>

namespace halyard::stream {
namespace {

using Clock = std::chrono::steady_clock;

thread_local int t_entered = 0;             // contexts on this thread
thread_local bool t_host_function = false;  // this is a stream's thread inside a host function
thread_local uint64_t t_calls = 0;          // of this thread

void* Pointer(NativeAddress address) { return reinterpret_cast<void*>(static_cast<uintptr_t>(address)); }

}  // namespace

std::map<std::string, MemoryKernel>& MemoryKernels() {
  static std::map<std::string, MemoryKernel> kernels;
  return kernels;
}

/// Runs work in order on a thread of its own. Once the world is broken it drops what it has.
class MemoryApi::Stream {
 public:
  Stream(std::shared_ptr<MemoryWorld> world, uint32_t number)
      : number_(number), world_(std::move(world)), thread_([this] { Loop(); }) {
    ++world_->streams;
  }
  ~Stream() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
    --world_->streams;
  }

  uint32_t number() const { return number_; }

  void Push(std::function<void()> work) {
    ++world_->queued;
    {
      const std::lock_guard lock(mutex_);
      work_.push_back(std::move(work));
    }
    changed_.notify_all();
  }

  void Synchronize() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return work_.empty() && !busy_; });
  }

 private:
  void Loop() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return stop_ || !work_.empty(); });
      if (work_.empty()) return;
      const std::function<void()> work = std::move(work_.front());
      work_.pop_front();
      busy_ = true;
      lock.unlock();
      while (world_->paused && !world_->broken) std::this_thread::yield();
      if (world_->hold_up) world_->hold_up();
      if (!world_->broken) work();
      if (world_->hold_up) world_->hold_up();
      --world_->queued;
      lock.lock();
      busy_ = false;
      changed_.notify_all();
    }
  }

  const uint32_t number_;
  const std::shared_ptr<MemoryWorld> world_;
  std::mutex mutex_;  // protects what follows
  std::condition_variable changed_;
  std::deque<std::function<void()>> work_;
  bool busy_ = false;
  bool stop_ = false;
  std::thread thread_;
};

/// The last record of an event, shared with the streams that wait for it: an event may be recorded again meanwhile.
struct MemoryApi::Event {
  struct Record {
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;
    Clock::time_point time;
  };
  std::mutex mutex;
  std::shared_ptr<Record> record;  // NULL before the first record, which counts as done

  std::shared_ptr<Record> Last() {
    const std::lock_guard lock(mutex);
    return record;
  }
};

namespace {

template <class Record>
void WaitFor(Record& record, const MemoryWorld& world) {
  std::unique_lock lock(record.mutex);
  while (!record.done && !world.broken) record.changed.wait_for(lock, std::chrono::milliseconds(1));
}

}  // namespace

MemoryApi::MemoryApi(std::shared_ptr<MemoryWorld> world, const NativeTraits& traits) : world_(std::move(world)) {
  traits_ = traits;
}

MemoryApi::~MemoryApi() = default;

// Devices of one world reach each other.
Status MemoryApi::DescribePeer(const NativeApi& other, hal_peer_properties_t* out_properties) const {
  if (static_cast<const MemoryApi&>(other).world_ == world_) out_properties->relation = HAL_PEER_RELATION_ACCESS;
  return kOk;
}

Status MemoryApi::AvailableMemory(uint64_t* out_bytes) {
  *out_bytes = traits_.total_memory / 2;
  return Call("AvailableMemory");
}

void MemoryApi::Needs(bool trait) {
  if (!trait) ++world_->rule_breaks;
}

uint64_t MemoryWorld::CallsHere() { return t_calls; }

bool MemoryApi::IsToFail(const char* name) {
  const char* named = world_->fail_named;
  return named && std::strcmp(named, name) == 0 && world_->fail_named.compare_exchange_strong(named, nullptr);
}

Status MemoryApi::Call(const char* name) {
  ++t_calls;
  if (t_entered == 0 || t_host_function) ++world_->rule_breaks;
  if (world_->broken) return Fail(HAL_STATUS_DEVICE_LOST, "%s: the device is broken", name);
  const bool is_named = IsToFail(name);
  if (++world_->calls == world_->fail_call || is_named) {
    if (world_->fail_status == HAL_STATUS_DEVICE_LOST) world_->broken = true;
    return Fail(world_->fail_status, "%s: told to fail", name);
  }
  return kOk;
}

Status MemoryApi::Enter(NativeCurrent* out_before) {
  if (t_host_function) ++world_->rule_breaks;
  out_before->changed = true;
  ++t_entered;
  ++world_->contexts_entered;
  return kOk;
}

void MemoryApi::Leave(const NativeCurrent&) {
  --t_entered;
  --world_->contexts_entered;
}

Status MemoryApi::CreateStream(NativeStream* out_stream) {
  if (Status status = Call("CreateStream"); status != kOk) return status;
  *out_stream = reinterpret_cast<NativeStream>(new Stream(world_, next_stream_++));
  return kOk;
}

void MemoryApi::DestroyStream(NativeStream stream) { delete reinterpret_cast<Stream*>(stream); }

Status MemoryApi::Enqueue(NativeStream stream, std::function<void()> work) {
  reinterpret_cast<Stream*>(stream)->Push(std::move(work));
  return kOk;
}

Status MemoryApi::SynchronizeStream(NativeStream stream) {
  if (Status status = Call("SynchronizeStream"); status != kOk) return status;
  reinterpret_cast<Stream*>(stream)->Synchronize();
  return kOk;
}

Status MemoryApi::CreateEvent(NativeEventKind, NativeEvent* out_event) {
  if (Status status = Call("CreateEvent"); status != kOk) return status;
  ++world_->events;
  *out_event = reinterpret_cast<NativeEvent>(new Event());
  return kOk;
}

void MemoryApi::DestroyEvent(NativeEvent event) {
  --world_->events;
  delete reinterpret_cast<Event*>(event);
}

Status MemoryApi::RecordEvent(NativeEvent event, NativeStream stream) {
  if (Status status = Call("RecordEvent"); status != kOk) return status;
  auto record = std::make_shared<Event::Record>();
  auto* const target = reinterpret_cast<Event*>(event);
  {
    const std::lock_guard lock(target->mutex);
    target->record = record;
  }
  return Enqueue(stream, [record] {
    const std::lock_guard lock(record->mutex);
    record->time = Clock::now();
    record->done = true;
    record->changed.notify_all();
  });
}

Status MemoryApi::WaitEvent(NativeStream stream, NativeEvent event) {
  if (Status status = Call("WaitEvent"); status != kOk) return status;
  const std::shared_ptr<Event::Record> record = reinterpret_cast<Event*>(event)->Last();
  if (!record) return kOk;
  return Enqueue(stream, [record, world = world_] { WaitFor(*record, *world); });
}

Status MemoryApi::QueryEvent(NativeEvent event, bool* out_done) {
  if (Status status = Call("QueryEvent"); status != kOk) return status;
  const std::shared_ptr<Event::Record> record = reinterpret_cast<Event*>(event)->Last();
  *out_done = true;
  if (!record) return kOk;
  const std::lock_guard lock(record->mutex);
  *out_done = record->done;
  return kOk;
}

Status MemoryApi::SynchronizeEvent(NativeEvent event) {
  if (Status status = Call("SynchronizeEvent"); status != kOk) return status;
  if (const std::shared_ptr<Event::Record> record = reinterpret_cast<Event*>(event)->Last()) WaitFor(*record, *world_);
  return world_->broken ? Fail(HAL_STATUS_DEVICE_LOST, "SynchronizeEvent: the device is broken") : kOk;
}

Status MemoryApi::EventMilliseconds(NativeEvent start, NativeEvent end, float* out_milliseconds) {
  if (Status status = Call("EventMilliseconds"); status != kOk) return status;
  const auto time = [](NativeEvent event) {
    const std::shared_ptr<Event::Record> record = reinterpret_cast<Event*>(event)->Last();
    const std::lock_guard lock(record->mutex);
    return record->time;
  };
  *out_milliseconds = std::chrono::duration<float, std::milli>(time(end) - time(start)).count();
  return kOk;
}

Status MemoryApi::WriteValue(NativeStream stream, NativeAddress address, uint64_t value) {
  Needs(traits_.stream_writes);
  if (Status status = Call("WriteValue"); status != kOk) return status;
  const uint32_t number = reinterpret_cast<Stream*>(stream)->number();
  return Enqueue(stream, [=, world = world_] {
    if (world->write_delay_mask >> number & 1) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    std::atomic_ref(*static_cast<uint64_t*>(Pointer(address))).store(value);
  });
}

Status MemoryApi::LaunchHostFunction(NativeStream stream, void (*function)(void*), void* user_data) {
  if (Status status = Call("LaunchHostFunction"); status != kOk) return status;
  return Enqueue(stream, [=] {
    t_host_function = true;
    function(user_data);
    t_host_function = false;
  });
}

Status MemoryApi::Allocate(const char* name, uint64_t length, void** out) {
  if (Status status = Call(name); status != kOk) return status;
  *out = ::operator new(length, std::align_val_t(4096), std::nothrow);
  if (!*out) return Fail(HAL_STATUS_RESOURCE_EXHAUSTED, "%s: no memory", name);
  ++world_->allocations;
  const std::lock_guard lock(world_->memory_mutex);
  world_->memory.insert(*out);
  return kOk;
}

MemoryWorld::~MemoryWorld() {
  for (void* left : memory) ::operator delete(left, std::align_val_t(4096));
}

void MemoryApi::Free(void* memory) {
  --world_->allocations;
  {
    const std::lock_guard lock(world_->memory_mutex);
    world_->memory.erase(memory);
  }
  ::operator delete(memory, std::align_val_t(4096));
}

Status MemoryApi::AllocateDevice(uint64_t length, NativeAddress* out_address) {
  void* memory = nullptr;
  const Status status = Allocate("AllocateDevice", length, &memory);
  *out_address = reinterpret_cast<uintptr_t>(memory);
  return status;
}
Status MemoryApi::AllocateManaged(uint64_t length, NativeAddress* out_address) {
  Needs(traits_.managed_memory);
  return AllocateDevice(length, out_address);
}
void MemoryApi::FreeDevice(NativeAddress address) { Free(Pointer(address)); }
Status MemoryApi::AllocateHost(uint64_t length, void** out_memory) {
  ++world_->host_allocations;
  if (Status status = Allocate("AllocateHost", length, out_memory); status != kOk) return status;
  const std::lock_guard lock(mutex_);
  host_[static_cast<const char*>(*out_memory)] = length;
  return kOk;
}
void MemoryApi::FreeHost(void* memory) {
  {
    const std::lock_guard lock(mutex_);
    host_.erase(static_cast<const char*>(memory));
  }
  Free(memory);
}

bool MemoryApi::IsHost(const void* address) {
  const auto* const byte = static_cast<const char*>(address);
  {
    const std::lock_guard lock(mutex_);
    const auto next = host_.upper_bound(byte);
    if (next != host_.begin() && byte < std::prev(next)->first + std::prev(next)->second) return true;
  }
  const std::lock_guard lock(world_->memory_mutex);
  const auto next = world_->registered.upper_bound(byte);
  return next != world_->registered.begin() && byte < std::prev(next)->first + std::prev(next)->second;
}

void MemoryApi::CopyFromHost(NativeStream stream, NativeAddress target) {
  if (IsHost(Pointer(target))) reinterpret_cast<Stream*>(stream)->Synchronize();
}

Status MemoryApi::RegisterHost(void* memory, uint64_t length) {
  if (Status status = Call("RegisterHost"); status != kOk) return status;
  const auto* const begin = static_cast<const char*>(memory);
  const std::lock_guard lock(world_->memory_mutex);
  const auto next = world_->registered.lower_bound(begin + length);
  if (next == world_->registered.begin() || std::prev(next)->first + std::prev(next)->second <= begin) {
    ++world_->registrations;
    world_->registered[begin] = length;
    return kOk;
  }
  return FailWith(HAL_STATUS_ALREADY_EXISTS, "RegisterHost: registered before");
}

void MemoryApi::UnregisterHost(void* memory) {
  const std::lock_guard lock(world_->memory_mutex);
  if (world_->registered.erase(static_cast<const char*>(memory)) == 0) {
    ++world_->rule_breaks;
    return;
  }
  --world_->registrations;
}

Status MemoryApi::HostAddress(void* memory, NativeAddress* out_address) {
  if (Status status = Call("HostAddress"); status != kOk) return status;
  *out_address = reinterpret_cast<uintptr_t>(memory);
  return kOk;
}

Status MemoryApi::DescribePointer(uint64_t pointer, NativePointerKind* out_kind) {
  *out_kind = IsHost(Pointer(pointer)) ? NativePointerKind::kHost : NativePointerKind::kUnknown;
  return Call("DescribePointer");
}

Status MemoryApi::CreatePool(uint64_t keep, NativePool* out_pool) {
  Needs(traits_.memory_pools);
  if (Status status = Call("CreatePool"); status != kOk) return status;
  world_->pool_keeps = keep;
  ++world_->pools;
  *out_pool = reinterpret_cast<NativePool>(this);
  return kOk;
}
void MemoryApi::DestroyPool(NativePool) { --world_->pools; }
Status MemoryApi::TrimPool(NativePool) { return Call("TrimPool"); }

Status MemoryApi::AllocateFromPool(NativePool, uint64_t length, NativeStream, NativeAddress* out_address) {
  ++world_->pool_allocations;
  return AllocateDevice(length, out_address);
}

Status MemoryApi::FreeToPool(NativeAddress address, NativeStream stream) {
  if (IsToFail("FreeToPool")) return Fail(world_->fail_status, "FreeToPool: told to fail");
  // Else always frees: a test that makes one call after the other fail has nothing to find out about memory.
  Enqueue(stream, [] {});
  reinterpret_cast<Stream*>(stream)->Push([this, address] { Free(Pointer(address)); });
  return kOk;
}

Status MemoryApi::Fill(NativeStream stream, NativeAddress target, uint32_t pattern, uint32_t size, uint64_t count) {
  if (Status status = Call("Fill"); status != kOk) return status;
  return Enqueue(stream, [=] {
    for (uint64_t i = 0; i < count; ++i) std::memcpy(static_cast<char*>(Pointer(target)) + i * size, &pattern, size);
  });
}

Status MemoryApi::Copy(NativeStream stream, NativeAddress target, NativeAddress source, uint64_t length) {
  if (Status status = Call("Copy"); status != kOk) return status;
  if (IsHost(Pointer(source))) CopyFromHost(stream, target);
  return Enqueue(stream, [=] { std::memcpy(Pointer(target), Pointer(source), length); });
}

Status MemoryApi::Upload(NativeStream stream, NativeAddress target, const void* data, uint64_t length) {
  if (Status status = Call("Upload"); status != kOk) return status;
  CopyFromHost(stream, target);
  return Enqueue(stream, [=] { std::memcpy(Pointer(target), data, length); });
}

Status MemoryApi::Launch(NativeStream stream, const NativeLaunch& launch) {
  if (Status status = Call("Launch"); status != kOk) return status;
  // Kernels of these tests take one address.
  const auto& kernel = *reinterpret_cast<const MemoryKernel*>(launch.function);
  const auto binding = *static_cast<const NativeAddress*>(launch.parameters[0]);
  return Enqueue(stream, [&kernel, count = launch.workgroup_count, binding] {
    NativeAddress copy = binding;
    void* parameters[] = {&copy};
    kernel(count, parameters);
  });
}

Status MemoryApi::RankImage(std::string_view format, std::string_view, uint32_t* out_rank) {
  *out_rank = 0;
  if (format == "memory") return kOk;
  return FailWith(HAL_STATUS_INCOMPATIBLE, "only images of format 'memory'");
}

Status MemoryApi::LoadModule(std::string_view, std::span<const std::byte>, const hal_blob_store_t*,
                             NativeModule* out_module) {
  if (Status status = Call("LoadModule"); status != kOk) return status;
  ++world_->modules;
  *out_module = reinterpret_cast<NativeModule>(this);
  return kOk;
}
void MemoryApi::UnloadModule(NativeModule) { --world_->modules; }

Status MemoryApi::FindFunction(NativeModule, const char* symbol, NativeFunction* out_function) {
  if (Status status = Call("FindFunction"); status != kOk) return status;
  const auto found = MemoryKernels().find(symbol);
  if (found == MemoryKernels().end()) return Fail(HAL_STATUS_NOT_FOUND, "no kernel '%s'", symbol);
  *out_function = reinterpret_cast<NativeFunction>(&found->second);
  return kOk;
}

Status MemoryApi::DescribeFunction(NativeFunction, NativeFunctionInfo* out_info) {
  *out_info = {1024, 0};
  return Call("DescribeFunction");
}

Status MemoryApi::ParameterSize(NativeModule, NativeFunction, uint32_t index, uint64_t* out_size) {
  if (Status status = Call("ParameterSize"); status != kOk) return status;
  *out_size = sizeof(NativeAddress);
  return index == 0 ? kOk : FailWith(HAL_STATUS_NOT_FOUND, "no such parameter");
}

Status MemoryApi::AllowDynamicLocalMemory(NativeFunction, uint32_t) { return Call("AllowDynamicLocalMemory"); }

}  // namespace halyard::stream
