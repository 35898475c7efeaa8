// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/host_object/code_arena.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/round_up.h"
#include "base/text/printf_number.h"

namespace halyard {
namespace {

// Of each part. Chunks double, so that a thousand times as many objects take a few more mappings. A branch of AArch64
// reaches 2^27 bytes.
constexpr size_t kFirstPartSize = size_t{1} << 20;
constexpr size_t kLargestPartSize = size_t{1} << 26;
/// Objects share no cache lines: what one thread writes is not beside what another one runs.
constexpr uint64_t kLeastAlignment = 64;

}  // namespace

struct CodeBlock::Chunk : HostObject {
  explicit Chunk(size_t part_size)
      : ranges{RangeAllocator(part_size), RangeAllocator(part_size), RangeAllocator(part_size)} {}
  ~Chunk() {
    if (mapping.base) UnmapCode(&mapping);
  }
  Chunk(const Chunk&) = delete;
  Chunk& operator=(const Chunk&) = delete;

  bool IsEmpty() const {
    return std::ranges::all_of(ranges, [](const RangeAllocator& range) { return range.IsEmpty(); });
  }

  /// False if a part has no room. May throw std::bad_alloc; then nothing is taken.
  bool Take(const CodeSizes& sizes, CodeBlock* block) {
    bool has_room = false;
    try {
      has_room = TakeParts(sizes, block);
    } catch (...) {
      Return(*block);
      throw;
    }
    if (!has_room) Return(*block);
    return has_room;
  }
  void Return(CodeBlock& block) noexcept {
    for (size_t i = 0; i < kCodeParts; ++i) {
      std::span<std::byte>& part = block.parts_[i];
      if (part.empty()) continue;
      if (static_cast<CodePart>(i) == CodePart::kData) ClearData(part.data(), part.size());
      ranges[i].Free(static_cast<uint64_t>(part.data() - mapping.PartBegin(static_cast<CodePart>(i))));
      part = {};
    }
  }

  CodeMapping mapping;
  std::array<RangeAllocator, kCodeParts> ranges;  // [CodePart]

 private:
  bool TakeParts(const CodeSizes& sizes, CodeBlock* block) {
    for (size_t i = 0; i < kCodeParts; ++i) {
      if (sizes[i].size == 0) continue;
      const auto offset = ranges[i].Allocate(sizes[i].size, std::max(sizes[i].alignment, kLeastAlignment));
      if (!offset) return false;
      block->parts_[i] = {mapping.PartBegin(static_cast<CodePart>(i)) + *offset, sizes[i].size};
    }
    return true;
  }
};

CodeBlock& CodeBlock::operator=(CodeBlock&& other) noexcept {
  std::swap(arena_, other.arena_);
  std::swap(chunk_, other.chunk_);
  std::swap(parts_, other.parts_);
  return *this;
}

CodeBlock::~CodeBlock() {
  if (arena_) arena_->Free(*this);
}

Status CodeBlock::Write(CodePart part, std::span<const std::byte> bytes) const {
  uint64_t offset = static_cast<uint64_t>(Begin(part) - chunk_->mapping.base);
  while (!bytes.empty()) {
    size_t written = 0;
    int error = chunk_->mapping.file.WriteAt(offset, bytes, &written);
    if (error == 0 && written == 0) error = ENOSPC;
    if (error != 0) return FailWithErrno(error, "no memory for the code of an object");
    offset += written;
    bytes = bytes.subspan(written);
  }
  return kOk;
}

void CodeBlock::Publish() const {
  const std::span<std::byte> code = parts_[static_cast<size_t>(CodePart::kCode)];
  if (!code.empty()) PublishCode(code.data(), code.size());
}

CodeArena::CodeArena(bool low) : low_(low) {}
CodeArena::~CodeArena() = default;

Status CodeArena::Allocate(const CodeSizes& sizes, CodeBlock* out_block) {
  uint64_t largest = 0;
  for (const CodeSize& part : sizes) largest = std::max(largest, part.size);
  if (largest > kMaxPart) {
    return Fail(HAL_STATUS_RESOURCE_EXHAUSTED, "the object takes %llu bytes of memory; at most %llu are possible",
                Number(largest), Number(kMaxPart));
  }
  const std::lock_guard lock(mutex_);
  CodeBlock block;
  const auto fits = [&](const std::unique_ptr<Chunk>& chunk) { return chunk->Take(sizes, &block); };
  // The newest one is the largest and has most room.
  auto found = std::find_if(chunks_.rbegin(), chunks_.rend(), fits);
  if (found == chunks_.rend()) {
    HAL_TRY(AddChunk(largest));
    found = std::find_if(chunks_.rbegin(), chunks_.rend(), fits);
    if (found == chunks_.rend()) return FailWith(HAL_STATUS_RESOURCE_EXHAUSTED, "no room for the code of an object");
  }
  block.arena_ = this;
  block.chunk_ = found->get();
  *out_block = std::move(block);
  return kOk;
}

Status CodeArena::AddChunk(uint64_t least_part) {
  // Finding room rounds lengths up, by 1/32 at most, and aligns.
  const size_t needed = RoundUp(least_part + least_part / 16 + 2 * kMaxAlignment, size_t{1} << 16);
  const size_t part_size = std::max(next_part_size_ == 0 ? kFirstPartSize : next_part_size_, needed);
  auto chunk = std::make_unique<Chunk>(part_size);
  if (const int error = MapCode(part_size, low_, &chunk->mapping); error != 0) {
    return FailWithErrno(
        error, low_ ? "no memory for code below the address 2^31 (compile with -fPIC)" : "no memory for code");
  }
  chunks_.push_back(std::move(chunk));
  next_part_size_ = std::min(2 * std::max(next_part_size_, kFirstPartSize), kLargestPartSize);
  return kOk;
}

// The last chunk stays, as the next object comes soon.
void CodeArena::Free(CodeBlock& block) noexcept {
  const std::lock_guard lock(mutex_);
  block.chunk_->Return(block);
  if (!block.chunk_->IsEmpty() || chunks_.size() == 1) return;
  std::erase_if(chunks_, [&](const std::unique_ptr<Chunk>& chunk) { return chunk.get() == block.chunk_; });
}

size_t CodeArena::MappingCount() const {
  const std::lock_guard lock(mutex_);
  return kCodeParts * chunks_.size();
}

}  // namespace halyard
