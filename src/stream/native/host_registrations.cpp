// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/native/host_registrations.h"

#include <algorithm>

namespace halyard::stream {
namespace {

Status FailOverlap() {
  return FailWith(
      HAL_STATUS_INCOMPATIBLE,
      "a part of the memory is pinned already, by an import or by another library: import a range that holds "
      "all parts first, or parts that do not overlap");
}

// Whether the memory is the API's own, or was registered by another library.
Status LookUp(NativeApi& api, char* memory, uint64_t length, bool* out_known) {
  NativePointerKind first{};
  NativePointerKind last{};
  Status status = api.DescribePointer(reinterpret_cast<uintptr_t>(memory), &first);
  *out_known = first != NativePointerKind::kUnknown;
  if (status != kOk || !*out_known) return status;
  status = api.DescribePointer(reinterpret_cast<uintptr_t>(memory + length - 1), &last);
  return status == kOk && last == NativePointerKind::kUnknown ? FailOverlap() : status;
}

}  // namespace

Status HostRegistrations::Acquire(const std::shared_ptr<NativeApi>& api, void* memory, uint64_t length,
                                  void** out_registered, NativeAddress* out_address) {
  *out_registered = nullptr;
  const NativeScope scope(*api);
  if (!scope.entered()) return scope.status();
  const std::lock_guard lock(mutex_);
  if (length > 0) HAL_TRY(Register(api, static_cast<char*>(memory), length, out_registered));
  if (Succeeds(api->HostAddress(memory, out_address))) return kOk;
  // Managed memory, and memory that is empty, is where it is. A device that is lost says so where it is used.
  *out_address = reinterpret_cast<uintptr_t>(memory);
  return kOk;
}

Status HostRegistrations::Register(const std::shared_ptr<NativeApi>& api, char* memory, uint64_t length,
                                   void** out_registered) {
  const auto next = registrations_.upper_bound(memory);
  if (next != registrations_.begin()) {
    auto& [begin, registration] = *std::prev(next);
    if (memory + length <= begin + registration.length) {
      ++registration.count;
      *out_registered = begin;
      return kOk;
    }
    if (memory < begin + registration.length) return FailOverlap();
  }
  if (next != registrations_.end() && next->first < memory + length) return FailOverlap();
  bool known = false;
  if (Status status = LookUp(*api, memory, length, &known); status != kOk || known) return status;
  const auto place = registrations_.try_emplace(memory, Registration{length, 1, api}).first;
  const Status status = api->RegisterHost(memory, length);
  if (status == kOk) {
    *out_registered = memory;
    return kOk;
  }
  registrations_.erase(place);
  if (status.code() != HAL_STATUS_ALREADY_EXISTS) return status;
  status.Ignore();
  return FailOverlap();
}

void HostRegistrations::Release(void* registered) noexcept {
  std::shared_ptr<NativeApi> owner;  // may end with this call, after the lock
  const std::lock_guard lock(mutex_);
  const auto place = registrations_.find(static_cast<char*>(registered));
  if (place == registrations_.end() || --place->second.count > 0) return;
  owner = std::move(place->second.owner);
  registrations_.erase(place);
  const NativeScope scope(*owner);
  if (scope.entered()) owner->UnregisterHost(registered);
}

}  // namespace halyard::stream
