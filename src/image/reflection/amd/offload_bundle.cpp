// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/reflection/amd/offload_bundle.h"

#include <algorithm>
#include <cstdio>

#include "base/text/printf_number.h"
#include "image/reflection/amd/amd_target.h"
#include "image/reflection/amd/bundle_compression.h"
#include "image/reflection/amd/hsaco_reflection.h"

namespace halyard {
namespace {

constexpr std::string_view kBundleMagic = "__CLANG_OFFLOAD_BUNDLE__";
constexpr uint64_t kMostEntries = 1024;
constexpr uint64_t kMostIdBytes = 256;
constexpr uint64_t kBundleEntryHeaderSize = 24;  // offset, size, size of the id

Status ReadEntry(Bytes image, uint64_t* at, OffloadBundleEntry* out_entry) {
  if (!IsInside(image, *at, kBundleEntryHeaderSize)) {
    return Fail(HAL_STATUS_DATA_LOSS, "its header at byte %llu exceeds the %zu bytes", Number(*at), image.size());
  }
  const auto offset = ReadUint<uint64_t>(image, *at);
  const auto size = ReadUint<uint64_t>(image, *at + 8);
  const auto id_size = ReadUint<uint64_t>(image, *at + 16);
  *at += kBundleEntryHeaderSize;
  if (id_size > kMostIdBytes || !IsInside(image, *at, id_size)) {
    return Fail(HAL_STATUS_DATA_LOSS, "an id of %llu bytes at byte %llu; at most %llu are possible, in %zu bytes",
                Number(id_size), Number(*at), Number(kMostIdBytes), image.size());
  }
  if (!IsInside(image, offset, size)) {
    return Fail(HAL_STATUS_DATA_LOSS, "offset %llu + size %llu exceeds the %zu bytes", Number(offset), Number(size),
                image.size());
  }
  out_entry->id = AsText(image.subspan(*at, id_size));
  out_entry->target = AmdProcessorOf(out_entry->id);  // none of "host-x86_64-unknown-linux-gnu-"
  out_entry->contents = image.subspan(offset, size);
  *at += id_size;
  return kOk;
}

Status ListEntries(Bytes image, HostVector<OffloadBundleEntry>* out_entries) {
  if (!AsText(image).starts_with(kBundleMagic) || !IsInside(image, kBundleMagic.size(), 8)) {
    return Fail(HAL_STATUS_DATA_LOSS, "the %zu bytes are no offload bundle", image.size());
  }
  const auto count = ReadUint<uint64_t>(image, kBundleMagic.size());
  if (count > kMostEntries) {
    return Fail(HAL_STATUS_DATA_LOSS, "the offload bundle: there are %llu entries; at most %llu are possible",
                Number(count), Number(kMostEntries));
  }
  HostVector<OffloadBundleEntry> entries(count);
  uint64_t at = kBundleMagic.size() + 8;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (Status status = ReadEntry(image, &at, &entries[i]); status != kOk) {
      char prefix[64];
      std::snprintf(prefix, sizeof(prefix), "the offload bundle: entry %zu: ", i);
      return Annotate(status, prefix);
    }
  }
  *out_entries = std::move(entries);
  return kOk;
}

}  // namespace

bool LooksLikeOffloadBundle(Bytes image) {
  return AsText(image).starts_with(kBundleMagic) || LooksLikeCompressedBundle(image);
}

Status ReadOffloadBundle(Bytes image, OffloadBundle* out_bundle) {
  OffloadBundle bundle;
  if (LooksLikeCompressedBundle(image)) {
    HAL_TRY(UnpackBundle(image, &bundle.unpacked));
    image = bundle.unpacked;
  }
  HAL_TRY(ListEntries(image, &bundle.entries));
  *out_bundle = std::move(bundle);
  return kOk;
}

Status ReflectOffloadBundle(Bytes image, ReflectedImage* out_image) {
  OffloadBundle bundle;
  HAL_TRY(ReadOffloadBundle(image, &bundle));
  const auto& entries = bundle.entries;
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [](const OffloadBundleEntry& entry) { return !entry.target.empty(); });
  if (found == entries.end()) {
    return Fail(HAL_STATUS_NOT_FOUND, "the offload bundle: none of its %zu entries is for an AMD GPU", entries.size());
  }
  if (Status status = ReflectHsaco(found->contents, out_image); status != kOk) {
    return Annotate(status, "the offload bundle: ");
  }
  out_image->target.clear();  // it is for several
  return kOk;
}

}  // namespace halyard
