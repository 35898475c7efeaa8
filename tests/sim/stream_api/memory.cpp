// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream_api/memory.h"

#include <string>

namespace halyard::sim {
namespace {

// Frees at once, which waits for the work that needs the memory: the vendors do so too, without a word.
void FreeNow(const std::shared_ptr<Allocation>& allocation, const char* call, Lock& lock) {
  Runtime& runtime = Runtime::Get();
  allocation->free_queued = true;
  if (IsNeeded(*allocation)) {
    runtime.reports.Add(Rule::kFreeInUse, std::string(call) + " of allocation " + std::to_string(allocation->id) +
                                              ", which submitted work needs; it waits for that");
  }
  allocation->WaitUntilIdle(lock);
  if (runtime.rules.frees_wait_for_device) runtime.Synchronize(allocation->context, lock);
  runtime.memory.Free(allocation);
}

Error FreeOf(uintptr_t address, bool host, const char* call, Lock& lock) {
  Runtime& runtime = Runtime::Get();
  const auto around = runtime.rules.frees_inside ? runtime.memory.Find(address) : nullptr;
  const auto allocation = runtime.memory.FindForFree(around == nullptr ? address : around->base, call);
  const bool wrong = allocation != nullptr && (IsHost(*allocation) != host || !allocation->OwnsMemory());
  if (allocation == nullptr || wrong) return Error::kInvalidValue;
  FreeNow(allocation, call, lock);
  return Error::kSuccess;
}

}  // namespace

bool IsHost(const Allocation& allocation) {
  return allocation.kind == MemoryKind::kPinned || allocation.kind == MemoryKind::kRegistered;
}

Error AllocateMemory(MemoryKind kind, size_t bytes, Out address) {
  if (address.IsNull()) return Error::kInvalidValue;
  const auto context = CurrentContext();
  if (kind == MemoryKind::kManaged && !context->device.limits.managed_memory) return Error::kNotSupported;
  std::shared_ptr<Allocation> allocation;
  const Error error = Runtime::Get().memory.Allocate(kind, context, bytes, &allocation);
  if (error == Error::kSuccess) address.Put(allocation->base);
  return error;
}

Error FreeDeviceMemory(Word address, const char* call, Lock& lock) {
  return address == 0 ? Error::kSuccess : FreeOf(address, false, call, lock);
}

Error FreeHostMemory(Word address, const char* call, Lock& lock) { return FreeOf(address, true, call, lock); }

Error RegisterHostMemory(Word address, size_t bytes) {
  Runtime& runtime = Runtime::Get();
  if (runtime.rules.registrations_replace) runtime.memory.Deregister(address, bytes);
  return runtime.memory.Register(MemoryKind::kRegistered, CurrentContext(), address, bytes);
}

Error UnregisterHostMemory(Word address, const char* call, Lock& lock) {
  const auto allocation = Runtime::Get().memory.Find(address);
  const bool begins = allocation != nullptr && allocation->base == address;
  if (!begins || allocation->kind != MemoryKind::kRegistered || allocation->free_queued) return Error::kNotRegistered;
  FreeNow(allocation, call, lock);
  return Error::kSuccess;
}

Error HostMemoryAddress(Word memory, unsigned int flags, Out address) {
  const auto allocation = Runtime::Get().memory.Find(memory);
  const bool known = allocation != nullptr && IsHost(*allocation);
  if (address.IsNull() || flags != 0 || !known) return Error::kInvalidValue;
  address.Put(uintptr_t{memory});
  return Error::kSuccess;
}

Error MemoryInfo(size_t* free, size_t* total) {
  const Device& device = CurrentContext()->device;
  if (free != nullptr) *free = device.MemoryFree();
  if (total != nullptr) *total = device.memory_size;
  return Error::kSuccess;
}

Error MemoryRange(Word address, Out base, Out bytes) {
  const auto allocation = Runtime::Get().memory.Find(address);
  if (allocation == nullptr) return Error::kNotFound;
  if (!base.IsNull()) base.Put(uint64_t{allocation->base});
  if (!bytes.IsNull()) bytes.Put(uint64_t{allocation->size});
  return Error::kSuccess;
}

Error CheckManaged(Word address, size_t bytes) {
  const auto allocation = Runtime::Get().memory.Find(address);
  if (allocation == nullptr || allocation->kind != MemoryKind::kManaged) return Error::kInvalidValue;
  return Runtime::Get().memory.CheckAtSubmission({address, bytes, false, false, "an advice"});
}

}  // namespace halyard::sim
