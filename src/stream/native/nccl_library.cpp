// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/native/nccl_library.h"

#include <array>
#include <cstdio>

#include "submission/exit_drain.h"

namespace halyard::stream {
namespace {

hal_status_t StatusOf(nccl::ncclResult_t result) {
  switch (result) {
    case nccl::ncclInvalidArgument:
    case nccl::ncclInvalidUsage:
      return HAL_STATUS_INVALID_ARGUMENT;
    case nccl::ncclSystemError:
    case nccl::ncclRemoteError:
      return HAL_STATUS_UNAVAILABLE;
    default:
      return HAL_STATUS_INTERNAL;
  }
}

// Handlers of exit() keep them.
constinit VendorGate g_opening_gate;
constinit VendorGate g_gate;

}  // namespace

VendorGate& NcclLibrary::OpeningGate() { return g_opening_gate; }
VendorGate& NcclLibrary::Gate() { return g_gate; }
void NcclLibrary::HasOpened() noexcept { DrainsAtExit::ComeBeforeEarlierHandlers(g_gate); }

Status NcclLibrary::Load(const CollectiveNames& names) {
  const std::array<const char*, 1> files = {names.file};
  HAL_TRY(file_.Open(names.name, names.variable, files));
  for (VendorGate* const gate : {&g_opening_gate, &g_gate}) DrainsAtExit::Adopt(*gate);
  DrainsAtExit::ComeBeforeEarlierHandlers(g_opening_gate);
// NOLINTBEGIN(bugprone-macro-parentheses): names of members
#define HALYARD_NCCL_FIND(function, result, signature)                                                                 \
  function = reinterpret_cast<decltype(function)>(file_.Find(#function));                                              \
  if (!function) {                                                                                                     \
    return Fail(HAL_STATUS_UNAVAILABLE, "'%s' has no %s: %s 2.18 or newer is needed", file_.path().c_str(), #function, \
                names.name);                                                                                           \
  }
  HALYARD_NCCL_FUNCTIONS(HALYARD_NCCL_FIND)
#undef HALYARD_NCCL_FIND
  // NOLINTEND(bugprone-macro-parentheses)
  int version = 0;
  HAL_TRY(HALYARD_NCCL(*this, ncclGetVersion, (&version)));
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%s %d.%d.%d", names.name, version / 10000, version / 100 % 100,
                version % 100);
  name_ = text.data();
  if (version >= nccl::kMinimumNcclVersion) return kOk;
  return Fail(HAL_STATUS_UNAVAILABLE, "'%s' is %s; 2.18 or newer is needed", file_.path().c_str(), name_.c_str());
}

Status NcclLibrary::Explain(const char* call, nccl::ncclResult_t result) const {
  const char* const text = ncclGetErrorString(result);
  const char* const last = ncclGetLastError(nullptr);
  return Fail(StatusOf(result), "%s: %s: %s (%s)", call, name_.c_str(), text ? text : "unknown error",
              last && *last ? last : "no further words");
}

}  // namespace halyard::stream
