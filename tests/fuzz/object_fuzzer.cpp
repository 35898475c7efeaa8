// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feeds bytes to the linker of relocatable objects. What is linked lies in the memory that the linker asked for.
#include <cstdlib>
#include <span>
#include <vector>

#include "base/status.h"
#include "image/host_object/object_link.h"

namespace halyard {
namespace {

/// Every other name is there, at an address that is far away or near.
class FuzzedExternals final : public Externals {
 public:
  uint64_t Find(std::string_view name) override {
    if (name.size() % 3 == 0) return 0;
    return name.size() % 3 == 1 ? 0x7fff12345678 : 0x400000;
  }
  bool IsFunction(uint64_t address) override { return address != 0x400000; }
};

void Require(bool condition) {
  if (!condition) std::abort();
}

void RequireReason(const Failure& failure) {
  Require(failure.code() == HAL_STATUS_DATA_LOSS || failure.code() == HAL_STATUS_INCOMPATIBLE ||
          failure.code() == HAL_STATUS_NOT_FOUND || failure.code() == HAL_STATUS_RESOURCE_EXHAUSTED);
  Require(!failure.message().empty());
}

void Build(ObjectLink& link) {
  std::array<std::vector<std::byte>, kCodeParts> memory;
  LinkTarget target;
  for (size_t i = 0; i < kCodeParts; ++i) {
    if (link.Sizes()[i].size > 1 << 20) return;  // zeros
    memory[i].resize(link.Sizes()[i].size);
    target.bytes[i] = memory[i];
    target.addresses[i] = (link.NeedsLowMemory() ? 0x40000000 : 0x7f0000000000) + i * 0x1000000;
  }
  if (const Failure failure(link.Build(target)); failure) RequireReason(failure);
}

void Link(std::span<const std::byte> image) {
  ObjectFile file;
  if (const Failure failure(file.Read(image)); failure) return RequireReason(failure);
  FuzzedExternals externals;
  ObjectLink link(file, externals);
  if (const Failure failure(link.Plan()); failure) return RequireReason(failure);
  Build(link);
}

}  // namespace
}  // namespace halyard

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  halyard::Link(std::as_bytes(std::span(data, size)));
  return 0;
}
