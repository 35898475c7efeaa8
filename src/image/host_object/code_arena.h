// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory in which the code of many objects lies side by side, so that their number does not count for the system.
#ifndef HALYARD_IMAGE_HOST_OBJECT_CODE_ARENA_H_
#define HALYARD_IMAGE_HOST_OBJECT_CODE_ARENA_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

#include "base/host_memory.h"
#include "base/range_allocator.h"
#include "base/status.h"
#include "platform/code_memory.h"

namespace halyard {

/// What an object takes of one part.
struct CodeSize {
  uint64_t size = 0;       ///< bytes
  uint64_t alignment = 1;  ///< a power of two, CodeArena::kMaxAlignment at most
};
using CodeSizes = std::array<CodeSize, kCodeParts>;  // [CodePart]

/// The memory of one object. Move-only; goes back to the arena, which must outlive it.
class CodeBlock {
 public:
  CodeBlock() = default;
  CodeBlock(CodeBlock&& other) noexcept { *this = static_cast<CodeBlock&&>(other); }
  CodeBlock& operator=(CodeBlock&& other) noexcept;
  ~CodeBlock();

  /// Where a part begins; NULL if the object has none of it.
  std::byte* Begin(CodePart part) const { return parts_[static_cast<size_t>(part)].data(); }

  /// Puts bytes into code or constants, which no mapping lets the process write.
  Status Write(CodePart part, std::span<const std::byte> bytes) const;
  /// Once all is written: the code can be called.
  void Publish() const;

 private:
  friend class CodeArena;
  struct Chunk;

  class CodeArena* arena_ = nullptr;
  CodeBlock::Chunk* chunk_ = nullptr;
  std::array<std::span<std::byte>, kCodeParts> parts_ = {};
};

/// Chunks of code memory, three mappings each, that are divided among objects. Objects of a chunk are within 2^31 bytes
/// of each other. Thread-safe.
class CodeArena {
 public:
  static constexpr uint64_t kMaxAlignment = 4096;          // bytes
  static constexpr uint64_t kMaxPart = uint64_t{1} << 29;  // bytes of one part: so that parts reach each other

  /// @param low  all of it is below the address 2^31: only on x86-64
  explicit CodeArena(bool low = false);
  ~CodeArena();
  CodeArena(const CodeArena&) = delete;
  CodeArena& operator=(const CodeArena&) = delete;

  /// RESOURCE_EXHAUSTED if a part is larger than kMaxPart, or at a limit of the system; UNAVAILABLE if the system has
  /// no such memory, or does not let the process have it. Data are zero.
  Status Allocate(const CodeSizes& sizes, CodeBlock* out_block);

  /// Of the system, three for each chunk.
  size_t MappingCount() const;

 private:
  friend class CodeBlock;
  using Chunk = CodeBlock::Chunk;

  Status AddChunk(uint64_t least_part);
  void Free(CodeBlock& block) noexcept;

  const bool low_;
  mutable std::mutex mutex_;  // protects what follows, and the ranges of each chunk
  HostVector<std::unique_ptr<Chunk>> chunks_;
  size_t next_part_size_ = 0;  // of the next chunk; 0 before the first
};

}  // namespace halyard

#endif  // HALYARD_IMAGE_HOST_OBJECT_CODE_ARENA_H_
