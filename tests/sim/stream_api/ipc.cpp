// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream_api/ipc.h"

#include <sys/mman.h>
#include <unistd.h>

#include <map>
#include <string>

namespace halyard::sim {
namespace {

struct OpenMemory {
  std::shared_ptr<Allocation> allocation;
  uint64_t inode = 0;
  size_t times = 0;
};

// By address, under the runtime's lock.
std::map<uintptr_t, OpenMemory>& AllOpen() {
  static auto* const all = new std::map<uintptr_t, OpenMemory>;
  return *all;
}

// What was open in a context that has ended is closed.
OpenMemory* FindOpen(uint64_t inode) {
  std::erase_if(AllOpen(), [](const auto& entry) {
    const Allocation& allocation = *entry.second.allocation;
    const bool gone = Runtime::Get().memory.Find(entry.first) != entry.second.allocation;
    if (gone) munmap(reinterpret_cast<void*>(allocation.base), allocation.size);
    return gone;
  });
  for (auto& [address, open] : AllOpen()) {
    if (open.inode == inode) return &open;
  }
  return nullptr;
}

Error Reach(const Device& device, Context& context) {
  if (device.ordinal == context.device.ordinal) return Error::kSuccess;
  if (!Runtime::Get().settings.peer_access) return Error::kPeerUnsupported;
  context.peers.insert(device.ordinal);
  return Error::kSuccess;
}

// The memory says that it is of the device that opened it, as on two H200.
Error OpenNew(const FileName& handle, Out address) {
  const int file = OpenNamed(handle);
  if (file < 0) return Error::kInvalidValue;
  void* const memory = MapFile(file, handle.size);
  close(file);
  if (memory == nullptr) return Error::kOutOfMemory;
  Runtime& runtime = Runtime::Get();
  const auto base = reinterpret_cast<uintptr_t>(memory);
  const Error error = runtime.memory.Register(MemoryKind::kOpened, CurrentContext(), base, handle.size);
  if (error != Error::kSuccess) {
    munmap(memory, handle.size);
    return error;
  }
  AllOpen()[base] = {runtime.memory.Find(base), handle.inode, 1};
  address.Put(base);
  return Error::kSuccess;
}

}  // namespace

Error GetIpcHandle(Word address, FileName* out_handle) {
  const auto allocation = Runtime::Get().memory.Find(address);
  if (out_handle == nullptr || allocation == nullptr || allocation->base != address) return Error::kInvalidValue;
  if (allocation->kind != MemoryKind::kDevice || allocation->free_queued) return Error::kInvalidValue;
  if (allocation->file < 0) return Error::kNotSupported;
  *out_handle = NameOf(allocation->file, allocation->device->ordinal);
  return Error::kSuccess;
}

Error OpenIpcHandle(const FileName& handle, bool opens_peers, Out address) {
  Device* const device = FindDevice(handle.device);
  if (address.IsNull() || !opens_peers || device == nullptr) return Error::kInvalidValue;
  if (IsOfThisProcess(handle)) return Error::kInvalidContext;
  const auto context = CurrentContext();
  if (OpenMemory* const open = FindOpen(handle.inode)) {
    if (open->allocation->context != context) return Error::kInvalidContext;
    ++open->times;
    address.Put(open->allocation->base);
    return Error::kSuccess;
  }
  const Error error = Reach(*device, *context);
  return error == Error::kSuccess ? OpenNew(handle, address) : error;
}

Error CloseIpcHandle(Word address, const char* call, Lock& lock) {
  auto& all = AllOpen();
  const auto found = all.find(address);
  if (found == all.end()) return Error::kInvalidValue;
  if (--found->second.times != 0) return Error::kSuccess;
  const auto allocation = found->second.allocation;
  all.erase(found);
  Runtime& runtime = Runtime::Get();
  if (IsNeeded(*allocation)) {
    runtime.reports.Add(Rule::kFreeInUse, std::string(call) + " of allocation " + std::to_string(allocation->id) +
                                              ", which submitted work needs");
  }
  allocation->WaitUntilIdle(lock);  // work of a lost context, too, may be in the midst of it
  runtime.memory.Free(allocation);
  munmap(reinterpret_cast<void*>(allocation->base), allocation->size);
  return Error::kSuccess;
}

}  // namespace halyard::sim
