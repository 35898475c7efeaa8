// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/reflection/nvidia/fatbin.h"

#include <algorithm>
#include <cstdio>

#include "base/text/printf_number.h"
#include "image/reflection/nvidia/cubin_reflection.h"
#include "image/reflection/nvidia/ptx_reflection.h"

namespace halyard {
namespace {

// NVIDIA does not document the format either; as written by fatbinary 13.0.
constexpr uint32_t kFatbinMagic = 0xba55ed50;
constexpr uint64_t kFatbinHeaderSize = 16;
constexpr uint64_t kFatbinEntryHeaderSize = 64;
constexpr uint64_t kCompressed = 0x2000 | 0x8000;  // flags: by LZ4, by Zstandard

Status ReadEntry(Bytes entries, uint64_t at, FatbinEntry* out_entry, uint64_t* out_end) {
  if (!IsInside(entries, at, kFatbinEntryHeaderSize)) {
    return Fail(HAL_STATUS_DATA_LOSS, "its header at byte %llu exceeds the %zu bytes of all entries", Number(at),
                entries.size());
  }
  const uint64_t header_size = ReadUint<uint32_t>(entries, at + 4);
  const auto size = ReadUint<uint64_t>(entries, at + 8);
  if (header_size < kFatbinEntryHeaderSize || !IsInside(entries, at, header_size) ||
      !IsInside(entries, at + header_size, size)) {
    return Fail(HAL_STATUS_DATA_LOSS, "header size %llu + size %llu at byte %llu exceeds the %zu bytes of all entries",
                Number(header_size), Number(size), Number(at), entries.size());
  }
  out_entry->kind = static_cast<FatbinKind>(ReadUint<uint16_t>(entries, at));
  out_entry->architecture = ReadUint<uint32_t>(entries, at + 28);
  out_entry->is_compressed = (ReadUint<uint64_t>(entries, at + 40) & kCompressed) != 0;
  out_entry->contents = entries.subspan(at + header_size, size);
  *out_end = at + header_size + size;
  return kOk;
}

const FatbinEntry* FindReadable(const HostVector<FatbinEntry>& entries, FatbinKind kind) {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const FatbinEntry& entry) { return entry.kind == kind && !entry.is_compressed; });
  return found == entries.end() ? nullptr : &*found;
}

}  // namespace

bool LooksLikeFatbin(Bytes image) { return image.size() >= 4 && ReadUint<uint32_t>(image, 0) == kFatbinMagic; }

Status ReadFatbin(Bytes image, HostVector<FatbinEntry>* out_entries) {
  if (image.size() < kFatbinHeaderSize || !LooksLikeFatbin(image)) {
    return Fail(HAL_STATUS_DATA_LOSS, "the %zu bytes are no fatbin", image.size());
  }
  const uint64_t header_size = ReadUint<uint16_t>(image, 6);
  const auto size = ReadUint<uint64_t>(image, 8);
  if (header_size < kFatbinHeaderSize || !IsInside(image, header_size, size)) {
    return Fail(HAL_STATUS_DATA_LOSS, "the fatbin: header size %llu + size %llu exceeds its %zu bytes",
                Number(header_size), Number(size), image.size());
  }
  const Bytes entries = image.subspan(header_size, size);
  HostVector<FatbinEntry> result;
  uint64_t at = 0;
  for (size_t i = 0; at < entries.size(); ++i) {
    FatbinEntry entry;
    if (Status status = ReadEntry(entries, at, &entry, &at); status != kOk) {
      char prefix[64];
      std::snprintf(prefix, sizeof(prefix), "the fatbin: entry %zu: ", i);
      return Annotate(status, prefix);
    }
    if (entry.kind == FatbinKind::kPtx || entry.kind == FatbinKind::kCubin) result.push_back(entry);
  }
  *out_entries = std::move(result);
  return kOk;
}

Status ReflectFatbin(Bytes image, ReflectedImage* out_image) {
  HostVector<FatbinEntry> entries;
  HAL_TRY(ReadFatbin(image, &entries));
  ReflectedImage result;
  Status status = kOk;
  if (const FatbinEntry* const ptx = FindReadable(entries, FatbinKind::kPtx)) {
    status = ReflectPtx(AsText(ptx->contents), &result);
  } else if (const FatbinEntry* const cubin = FindReadable(entries, FatbinKind::kCubin)) {
    status = ReflectCubin(cubin->contents, &result);
  } else if (entries.empty()) {
    return FailWith(HAL_STATUS_INCOMPATIBLE,
                    "the fatbin: it has neither PTX nor machine code; LTO-IR (nvcc -dlto, code=lto_…) is for a linker");
  } else {
    return Fail(
        HAL_STATUS_INCOMPATIBLE,
        "the fatbin: none of its %zu entries can be read without decompression; make it with nvcc --no-compress",
        entries.size());
  }
  if (status != kOk) return Annotate(status, "the fatbin: ");
  result.producer = "fatbin, " + result.producer;
  result.target.clear();  // it is for several
  result.isa_version = 0;
  *out_image = std::move(result);
  return kOk;
}

}  // namespace halyard
