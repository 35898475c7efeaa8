// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/object/handle_calls.h"

#include <atomic>
#include <string_view>
#include <utility>

#include "platform/environment.h"

namespace halyard {
namespace {

template <size_t kKind>
void RetainHandle(hal_object_t* object) noexcept {
  if (object && HandleTable::Retained(object, static_cast<hal_object_kind_t>(kKind))) RetainObject(object);
}

template <size_t kKind>
void ReleaseHandle(hal_object_t* object) noexcept {
  if (object && HandleTable::Released(object, static_cast<hal_object_kind_t>(kKind))) ReleaseObject(object);
}

template <size_t... kKinds>
constexpr HandleCalls PlainCalls(std::index_sequence<kKinds...>) {
  return {{((void)kKinds, RetainObject)...}, {((void)kKinds, ReleaseObject)...}, DestroyObject};
}

template <size_t... kKinds>
constexpr HandleCalls ValidatedCalls(std::index_sequence<kKinds...>) {
  return {{RetainHandle<kKinds>...}, {ReleaseHandle<kKinds>...}, DestroyValidatedObject};
}

constexpr HandleCalls kPlainCalls = PlainCalls(std::make_index_sequence<kObjectKinds>());
constexpr HandleCalls kValidatedCalls = ValidatedCalls(std::make_index_sequence<kObjectKinds>());

// Within the first allocation of host memory.
void Decide() noexcept {
  const char* const value = EnvironmentVariable("HALYARD_VALIDATION");
  if (!value || std::string_view(value) == "0") return;
  g_handle_calls = kValidatedCalls;
  InterceptFrees(HandleTable::KeepBlock);
}

const struct LoadTime {
  LoadTime() noexcept { SetFirstUse(Decide); }
} g_load_time;

}  // namespace

constinit HandleCalls g_handle_calls = kPlainCalls;

void EndValidation() noexcept {
  if (!ValidationIsOn()) return;
  g_handle_calls = kPlainCalls;
  HandleTable::Clear();
}

}  // namespace halyard
