// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/host_registrations.h"

#include <algorithm>

namespace halyard::stream {

Status HostRegistrations::Acquire(void* memory, uint64_t length, void** out_registered, NativeAddress* out_address) {
  *out_registered = nullptr;
  const NativeScope scope(api_);
  if (scope.status() != kOk) return scope.status();
  const std::lock_guard lock(mutex_);
  if (length > 0) {
    if (Status status = Register(static_cast<char*>(memory), length, out_registered); status != kOk) return status;
  }
  if (Status status = api_.HostAddress(memory, out_address); status == kOk) return kOk;
  // Managed memory, and memory that is empty, is where it is.
  *out_address = reinterpret_cast<uintptr_t>(memory);
  return kOk;
}

Status HostRegistrations::Register(char* memory, uint64_t length, void** out_registered) {
  auto next = registrations_.upper_bound(memory);
  if (next != registrations_.begin()) {
    auto& [begin, registration] = *std::prev(next);
    if (memory + length <= begin + registration.length) {
      ++registration.count;
      *out_registered = begin;
      return kOk;
    }
  }
  NativePointerKind kind{};
  if (Status status = api_.DescribePointer(reinterpret_cast<uintptr_t>(memory), &kind); status != kOk) return status;
  if (kind != NativePointerKind::kUnknown) return kOk;  // the API's own memory, or registered by somebody else
  const auto [place, inserted] = registrations_.try_emplace(memory, Registration{length, 1});
  const Status status = api_.RegisterHost(memory, length);
  if (status == kOk) {
    *out_registered = memory;
  } else if (inserted) {
    registrations_.erase(place);
  }
  if (status != HAL_STATUS_ALREADY_EXISTS) return status;
  return FailWith(HAL_STATUS_INCOMPATIBLE,
                  "a part of the memory is pinned already, by an import or by somebody else: import a range that holds "
                  "all parts first, or parts that do not overlap");
}

void HostRegistrations::Release(void* registered) noexcept {
  const MessageKeeper keeper;
  const NativeScope scope(api_);
  const std::lock_guard lock(mutex_);
  const auto place = registrations_.find(static_cast<char*>(registered));
  if (place == registrations_.end() || --place->second.count > 0) return;
  if (scope.status() == kOk) api_.UnregisterHost(registered);
  registrations_.erase(place);
}

}  // namespace halyard::stream
