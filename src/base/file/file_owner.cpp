// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/file/file_owner.h"

#include <cinttypes>
#include <cstdint>
#include <cstdio>

#include "base/file/file_contents.h"
#include "base/host_memory.h"
#include "platform/process.h"

namespace halyard {
namespace {

/// Whether the namespace of this process has no user of that number; false if the system has no namespaces.
bool IsUnmapped(uint64_t user) {
  HostVector<std::byte> text;
  if (!Succeeds(ReadFile("/proc/self/uid_map", &text))) return false;
  text.push_back(std::byte{0});
  const char* rest = reinterpret_cast<const char*>(text.data());
  uint64_t first = 0;
  uint64_t outside = 0;
  uint64_t count = 0;
  int length = 0;
  while (std::sscanf(rest, "%" SCNu64 "%" SCNu64 "%" SCNu64 "%n", &first, &outside, &count, &length) == 3) {
    if (user >= first && user - first < count) return false;
    rest += length;
  }
  return true;
}

}  // namespace

bool IsOwnerTrusted(const FileFacts& facts) noexcept { return facts.owner == CurrentUser() || facts.owner == 0; }

Status CheckParentFolder(const FileFacts& facts, std::string_view what) {
  if (!IsOwnerTrusted(facts) && !IsUnmapped(facts.owner)) return FailOwner(facts, what);
  if (!facts.others_may_write || facts.protects_names) return kOk;
  return Fail(HAL_STATUS_PERMISSION_DENIED, "'%.*s': all users may replace what lies there", HALYARD_SV(what));
}

Status FailOwner(const FileFacts& facts, std::string_view what) {
  return Fail(HAL_STATUS_PERMISSION_DENIED,
              "'%.*s': belongs to user %" PRIu64 ", and this process runs as user %" PRIu64, HALYARD_SV(what),
              facts.owner, CurrentUser());
}

}  // namespace halyard
