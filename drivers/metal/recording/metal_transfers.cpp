// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "metal/recording/metal_transfers.h"

#include <algorithm>
#include <bit>

#include "driver_kit/object/vtable.h"
#include "metal/executable/metal_pipelines.h"
#include "metal/recording/metal_builtin_kernels.h"

namespace halyard::metal {
namespace {

// Shorter transfers of a command buffer run as kernels, between the dispatches, and spare a switch of encoders.
constexpr uint64_t kMinBlit = uint64_t{64} << 10;  // bytes
// What one kernel moves at most: its numbers have 31 bits.
constexpr uint64_t kMaxPiece = uint64_t{1} << 30;  // bytes
constexpr uint64_t kMaxRows = uint64_t{1} << 28;
constexpr uint32_t kGroupSize = 256;  // work-items
constexpr uint64_t kBytesPerItem = 16;

// As in builtin/transfers.metal.
struct FillParams {
  uint32_t skip;
  uint32_t length;
  uint32_t pattern;
};
struct CopyParams {
  uint32_t target_skip;
  uint32_t source_skip;
  uint32_t length;
};

struct CopyRowsParams {
  uint64_t target_begin;
  uint64_t target_row;
  uint64_t target_slice;
  uint64_t source_begin;
  uint64_t source_row;
  uint64_t source_slice;
  uint32_t width;
  uint32_t height;
  uint32_t items_per_row;
  uint32_t items;
};

bool IsAligned(uint64_t a, uint64_t b) { return ((a | b) & 3) == 0; }

void RunItems(MetalEncoding& encoding, uint64_t bytes) {
  const uint64_t items = (bytes + kBytesPerItem - 1) / kBytesPerItem;
  const auto groups = static_cast<uint32_t>((items + kGroupSize - 1) / kGroupSize);
  encoding.Dispatch({groups, 1, 1}, {kGroupSize, 1, 1});
}

}  // namespace

void MetalTransfers::Run() noexcept {
  Guard([this] { return Prepare(); }).Ignore();  // a transfer that needs the kernels says why there are none
}

Status MetalTransfers::Prepare() {
  if (ready_.load(std::memory_order_acquire)) return kOk;
  const std::lock_guard lock(mutex_);
  if (ready_.load(std::memory_order_relaxed)) return kOk;
  HAL_TRY(Compile());
  ready_.store(true, std::memory_order_release);
  return kOk;
}

Status MetalTransfers::Compile() {
  Owned<NativeLibrary> library;
  HAL_TRY(MakeLibraryFromSource(device_, kBuiltinTransfers, {}, &library));
  HAL_TRY(MakeBuiltinPipeline(device_, library.get(), "halyard_fill", &fill_));
  HAL_TRY(MakeBuiltinPipeline(device_, library.get(), "halyard_copy", &copy_));
  return MakeBuiltinPipeline(device_, library.get(), "halyard_copy_rows", &copy_rows_);
}

PassKind MetalTransfers::Choose(bool fits_blit, uint64_t length, bool alone) const {
  if (!fits_blit || mode_ == TransferMode::kKernel) return PassKind::kCompute;
  return alone || mode_ == TransferMode::kBlit || length >= kMinBlit ? PassKind::kBlit : PassKind::kCompute;
}

// A blit fills with one byte.
PassKind MetalTransfers::KindOfFill(const NativeBytes& target, uint32_t pattern, bool alone) const {
  const bool one_byte = pattern == (pattern & 0xff) * 0x01010101u;
  return Choose(one_byte && IsAligned(target.offset, target.length), target.length, alone);
}

PassKind MetalTransfers::KindOfCopy(const NativeBytes& target, uint64_t source_offset, bool alone) const {
  return Choose(IsAligned(target.offset, target.length) && IsAligned(source_offset, 0), target.length, alone);
}

Status MetalTransfers::Fill(MetalEncoding& encoding, const NativeBytes& target, uint32_t pattern) {
  if (encoding.kind() == PassKind::kBlit) {
    encoding.Fill(target.buffer, target.offset, target.length, static_cast<uint8_t>(pattern));
    return kOk;
  }
  HAL_TRY(Prepare());
  encoding.SetPipeline(fill_.get());
  for (uint64_t done = 0; done < target.length; done += kMaxPiece) {
    const uint64_t at = target.offset + done;
    const auto skip = static_cast<uint32_t>(at & 3);
    const auto length = static_cast<uint32_t>(std::min(kMaxPiece, target.length - done));
    const FillParams params{skip, length, std::rotl(pattern, static_cast<int>(skip * 8))};
    encoding.SetBuffer(0, target.buffer, at - skip);
    encoding.SetBytes(1, &params, sizeof(params));
    RunItems(encoding, uint64_t{skip} + length);
  }
  return kOk;
}

Status MetalTransfers::Copy(MetalEncoding& encoding, const NativeBytes& target, NativeBuffer source,
                            uint64_t source_offset) {
  if (encoding.kind() == PassKind::kBlit) {
    encoding.Copy(target.buffer, target.offset, source, source_offset, target.length);
    return kOk;
  }
  HAL_TRY(Prepare());
  encoding.SetPipeline(copy_.get());
  for (uint64_t done = 0; done < target.length; done += kMaxPiece) {
    const uint64_t to = target.offset + done;
    const uint64_t from = source_offset + done;
    const CopyParams params{static_cast<uint32_t>(to & 3), static_cast<uint32_t>(from & 3),
                            static_cast<uint32_t>(std::min(kMaxPiece, target.length - done))};
    encoding.SetBuffer(0, target.buffer, to - params.target_skip);
    encoding.SetBuffer(1, source, from - params.source_skip);
    encoding.SetBytes(2, &params, sizeof(params));
    RunItems(encoding, uint64_t{params.target_skip} + params.length);
  }
  return kOk;
}

// A row takes one item more than its bytes if it does not begin with a word of the target.
Status MetalTransfers::CopyRows(MetalEncoding& encoding, const NativeBytes& target, const NativeBytes& source,
                                const CopyBox& box) {
  HAL_TRY(Prepare());
  encoding.SetPipeline(copy_rows_.get());
  return ForEachPiece(box, kMaxPiece, kMaxRows, [&](const CopyPiece& piece) {
    const uint64_t to = target.offset + piece.target;
    const uint64_t from = source.offset + piece.source;
    const CopyBox& part = piece.box;
    const uint64_t per_row = (part.width + 3 + kBytesPerItem - 1) / kBytesPerItem;
    const uint64_t items = per_row * part.height * part.depth;
    const CopyRowsParams params{to & 3,
                                part.target.row,
                                part.target.slice,
                                from & 3,
                                part.source.row,
                                part.source.slice,
                                static_cast<uint32_t>(part.width),
                                static_cast<uint32_t>(part.height),
                                static_cast<uint32_t>(per_row),
                                static_cast<uint32_t>(items)};
    encoding.SetBuffer(0, target.buffer, to - params.target_begin);
    encoding.SetBuffer(1, source.buffer, from - params.source_begin);
    encoding.SetBytes(2, &params, sizeof(params));
    RunItems(encoding, items * kBytesPerItem);
    return kOk;
  });
}

}  // namespace halyard::metal
