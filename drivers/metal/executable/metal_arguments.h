// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a kernel takes its bindings: an argument buffer for each set, as the pipeline's reflection lays it out, or each
// buffer for itself.
#ifndef HALYARD_METAL_EXECUTABLE_METAL_ARGUMENTS_H_
#define HALYARD_METAL_EXECUTABLE_METAL_ARGUMENTS_H_

#include <cstdint>
#include <mutex>
#include <span>

#include "base/host_memory.h"
#include "base/status.h"
#include "driver_kit/device/binding_table.h"
#include "halyard/driver_api.h"
#include "metal/memory/metal_buffer.h"
#include "metal/native/metal_types.h"

namespace halyard::metal {

/// Sets that a kernel can use, at buffer indices 0 to 7.
inline constexpr uint32_t kMaxSets = 8;
/// What their numbers are below. A kernel with numbers above 7 has its sets numbered again, see docs/executables.md.
inline constexpr uint32_t kMaxSetNumber = 16;
/// The buffer index of the constants.
inline constexpr uint32_t kConstantsIndex = 8;
/// Buffer indices of a kernel.
inline constexpr uint32_t kBufferIndices = 31;
/// Offsets at which a buffer may be an argument for itself.
inline constexpr uint64_t kPlainAlignment = 4;  // bytes
/// Offsets at which an argument buffer may be bound.
inline constexpr uint64_t kArgumentAlignment = 256;  // bytes

/// A binding that the kernel uses.
struct ArgumentMember {
  uint32_t binding;  ///< its place in the flat list of a dispatch
  uint32_t id;       ///< its [[id(n)]]
  uint32_t offset;   ///< bytes; of its address in the argument buffer. For addresses alone
};

/// An argument buffer that the kernel takes.
struct ArgumentSet {
  uint32_t index;   ///< its buffer index
  uint64_t length;  ///< bytes
  HostVector<ArgumentMember> members;
  Owned<NativeArgumentEncoder> encoder;  ///< what writes it, unless addresses do
};

/// A buffer that the kernel takes for itself.
struct PlainArgument {
  uint32_t binding;  ///< its place in the flat list of a dispatch
  uint32_t index;    ///< its buffer index
  uint64_t length;   ///< bytes that it must have, as its type says
};

/// A range of a Metal buffer, for a binding or an argument buffer.
struct NativeRange {
  const MetalBuffer* buffer = nullptr;
  uint64_t offset = 0;  ///< in buffer's native()
  uint64_t length = 0;  ///< bytes
};

/// Finds a binding's memory, now. FAILED_PRECONDITION if it has none.
Status Locate(const BufferRange& range, NativeRange* out);

/// Memory for argument buffers and the data of updates.
struct StagedBytes {
  NativeBuffer buffer = nullptr;
  uint64_t offset = 0;
  char* data = nullptr;  ///< for the host
};

/// Writes one set: addresses at the offsets that reflection told, or through the set's encoder.
class ArgumentWriter {
 public:
  /// @param encode_mutex  protects the encoders of one executable, which one thread at a time may use
  static Status Write(const ArgumentSet& set, std::span<const NativeRange> bindings, const StagedBytes& target,
                      std::mutex& encode_mutex);
};

}  // namespace halyard::metal

#endif  // HALYARD_METAL_EXECUTABLE_METAL_ARGUMENTS_H_
