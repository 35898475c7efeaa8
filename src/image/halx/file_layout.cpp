// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/halx/file_layout.h"

#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "image/shared_object/bytes.h"

namespace halyard {
namespace {

constexpr char kIdentifier[] = {'H', 'A', 'L', 'X'};
constexpr size_t kIdentifierOffset = 8;  // behind the size and the offset of the root table
constexpr size_t kLeastSize = kIdentifierOffset + sizeof(kIdentifier) + kMetadataHashSize;

/// Little-endian, as everything in the file.
template <class T>
T ReadNumber(Bytes bytes) {
  T number = 0;
  for (size_t i = 0; i < sizeof(T); ++i) number |= static_cast<T>(static_cast<T>(bytes[i]) << (8 * i));
  return number;
}

uint64_t HashMetadata(Bytes metadata) { return XXH3_64bits(metadata.data(), metadata.size()); }

unsigned long long Wide(uint64_t number) { return number; }

Status CheckPlace(size_t variant, const ImagePlace& place, uint64_t metadata_end, uint64_t file_size) {
  if (place.offset % kImageAlignment != 0) {
    return Fail(HAL_STATUS_DATA_LOSS, "variants[%zu].image: offset %llu is no multiple of %llu", variant,
                Wide(place.offset), Wide(kImageAlignment));
  }
  if (place.offset < metadata_end) {
    return Fail(HAL_STATUS_DATA_LOSS, "variants[%zu].image: offset %llu lies in the metadata, which ends at %llu",
                variant, Wide(place.offset), Wide(metadata_end));
  }
  if (place.size == 0) return Fail(HAL_STATUS_DATA_LOSS, "variants[%zu].image: size is 0", variant);
  if (place.offset <= file_size && place.size <= file_size - place.offset) return kOk;
  return Fail(HAL_STATUS_DATA_LOSS, "variants[%zu].image: offset %llu + size %llu exceeds the file's %llu bytes",
              variant, Wide(place.offset), Wide(place.size), Wide(file_size));
}

Status CheckDisjoint(std::span<const ImagePlace> places) {
  HostVector<size_t> order(places.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto key = [&](size_t i) { return std::tuple(places[i].offset, places[i].size, i); };
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return key(a) < key(b); });
  for (size_t i = 1; i < order.size(); ++i) {
    const ImagePlace& first = places[order[i - 1]];
    const ImagePlace& second = places[order[i]];
    const bool same = first.offset == second.offset && first.size == second.size;
    if (same || second.offset - first.offset >= first.size) continue;
    return Fail(HAL_STATUS_DATA_LOSS, "variants[%zu].image: [%llu, %llu) overlaps variants[%zu].image, [%llu, %llu)",
                order[i], Wide(second.offset), Wide(second.offset + second.size), order[i - 1], Wide(first.offset),
                Wide(first.offset + first.size));
  }
  return kOk;
}

}  // namespace

bool LooksLikeContainer(Bytes file) noexcept {
  return file.size() >= kLeastSize &&
         std::memcmp(file.data() + kIdentifierOffset, kIdentifier, sizeof(kIdentifier)) == 0;
}

ImageHash HashImage(Bytes image) {
  const XXH128_hash_t hash = XXH3_128bits(image.data(), image.size());
  return {hash.low64, hash.high64};
}

Status FindMetadata(Bytes file, Bytes* out_metadata) {
  if (!LooksLikeContainer(file)) {
    return Fail(HAL_STATUS_DATA_LOSS, "not an executable file (.halx): %s",
                file.size() < kLeastSize ? "too short" : "the bytes from 8 to 12 are not 'HALX'");
  }
  const auto size = ReadNumber<uint32_t>(file);
  if (size > ContainerLimits::kMetadataSize) {
    return Fail(HAL_STATUS_DATA_LOSS, "metadata: %u bytes; at most %zu are possible", size,
                ContainerLimits::kMetadataSize);
  }
  if (size > file.size() - kSizePrefixSize - kMetadataHashSize) {
    return Fail(HAL_STATUS_DATA_LOSS, "metadata: its %u bytes and their hash exceed the file's %zu bytes", size,
                file.size());
  }
  const Bytes metadata = file.first(kSizePrefixSize + size);
  if (metadata.size() % kMetadataAlignment != 0) {
    return Fail(HAL_STATUS_DATA_LOSS, "metadata: its %u bytes and the %zu of their size are no multiple of %zu", size,
                kSizePrefixSize, kMetadataAlignment);
  }
  const auto hash = ReadNumber<uint64_t>(file.subspan(metadata.size()));
  if (hash != HashMetadata(metadata)) {
    return Fail(HAL_STATUS_DATA_LOSS, "metadata: its %u bytes do not match their hash; the file is corrupt", size);
  }
  *out_metadata = metadata;
  return kOk;
}

void AppendMetadataHash(HostVector<std::byte>* metadata) {
  const uint64_t hash = HashMetadata(*metadata);
  for (size_t i = 0; i < kMetadataHashSize; ++i) metadata->push_back(static_cast<std::byte>(hash >> (8 * i)));
}

Status CheckPlaces(std::span<const ImagePlace> places, uint64_t metadata_end, uint64_t file_size) {
  for (size_t i = 0; i < places.size(); ++i) HAL_TRY(CheckPlace(i, places[i], metadata_end, file_size));
  return CheckDisjoint(places);
}

}  // namespace halyard
