// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/executable/variant_ranking.h"

#include "core/validation/checks.h"

namespace halyard {
namespace {

// What a device without the extension is taken to prefer.
constexpr uint32_t kForThisMachine = 0;
constexpr uint32_t kForAny = 1;
constexpr uint32_t kUnknown = 2;

const hal_executable_targets_interface_t* FindExtension(hal_device_t* device) {
  const void* table = nullptr;
  const hal_string_view_t name = hal_string_view(HAL_EXECUTABLE_TARGETS_INTERFACE);
  if (!Succeeds(FromC(VtableOf(device)->query_interface(device, name, 1, &table)))) return nullptr;
  return static_cast<const hal_executable_targets_interface_t*>(table);
}

bool LooksAtVersions(const hal_executable_targets_interface_t& extension) {
  constexpr size_t kEnd =
      offsetof(hal_executable_targets_interface_t, rank_isa) + sizeof(hal_executable_targets_interface_t::rank_isa);
  return extension.struct_size >= kEnd && extension.rank_isa;
}

Status RankHostCode(std::string_view target, uint32_t* out_rank) {
  const std::string_view host = HostArchitecture();
  if (target != host) {
    return Fail(HAL_STATUS_INCOMPATIBLE, "it is for '%.*s', and this host is '%.*s'", HALYARD_SV(target),
                HALYARD_SV(host));
  }
  *out_rank = kForThisMachine;
  return kOk;
}

}  // namespace

std::string_view HostArchitecture() {
#if defined(__x86_64__) && defined(_WIN32)
  return "x86_64-windows";
#elif defined(__x86_64__)
  return "x86_64";
#elif defined(__aarch64__)
  return "aarch64";
#elif defined(__riscv) && __riscv_xlen == 64
  return "riscv64";
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
  return "ppc64le";
#else
  return "";
#endif
}

DeviceRanker::DeviceRanker(hal_device_t* device) : device_(device), extension_(FindExtension(device)) {}

Status DeviceRanker::Rank(std::string_view format, std::string_view target, uint32_t isa_version,
                          uint32_t* out_rank) const {
  if (extension_) {
    const LastMessageScope scope(kOk);  // the application may call the extension, which sets its thread's message
    return FromC(LooksAtVersions(*extension_)
                     ? extension_->rank_isa(device_, ToC(format), ToC(target), isa_version, out_rank)
                     : extension_->rank(device_, ToC(format), ToC(target), out_rank));
  }
  HAL_TRY(VtableOf(device_)->query_format(device_, ToC(format)));
  *out_rank = target.empty() ? kForAny : kUnknown;
  if (target.empty() || !format.starts_with("host-")) return kOk;
  return RankHostCode(target, out_rank);
}

}  // namespace halyard
