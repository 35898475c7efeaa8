// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "metal/executable/metal_arguments.h"

#include <cstring>

namespace halyard::metal {

Status Locate(const BufferRange& range, NativeRange* out) {
  const auto* const buffer = static_cast<const MetalBuffer*>(range.buffer);
  if (!buffer->native() && range.length > 0) return FailOutsideLife();
  *out = {buffer, buffer->offset() + range.offset, range.length};
  return kOk;
}

namespace {

// The bytes may lie in write-combined memory, so each is written once.
void WriteAddresses(const ArgumentSet& set, std::span<const NativeRange> bindings, char* target) {
  for (const ArgumentMember& member : set.members) {
    const NativeRange& range = bindings[member.binding];
    const MetalBuffer& buffer = *range.buffer;
    const uint64_t address = buffer.native() ? buffer.address() - buffer.offset() + range.offset : 0;
    std::memcpy(target + member.offset, &address, sizeof(address));
  }
}

void Encode(const ArgumentSet& set, std::span<const NativeRange> bindings, const StagedBytes& target) {
  const id<MTLArgumentEncoder> encoder = Id(set.encoder.get());
  [encoder setArgumentBuffer:Id(target.buffer) offset:target.offset];
  for (const ArgumentMember& member : set.members) {
    const NativeRange& range = bindings[member.binding];
    [encoder setBuffer:Id(range.buffer->native()) offset:range.offset atIndex:member.id];
  }
}

}  // namespace

Status ArgumentWriter::Write(const ArgumentSet& set, std::span<const NativeRange> bindings, const StagedBytes& target,
                             std::mutex& encode_mutex) {
  if (!set.encoder) {
    WriteAddresses(set, bindings, target.data);
    return kOk;
  }
  const std::lock_guard lock(encode_mutex);
  Encode(set, bindings, target);
  return kOk;
}

}  // namespace halyard::metal
