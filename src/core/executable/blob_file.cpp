// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/executable/blob_file.h"

#include <xxhash.h>

#include <cinttypes>
#include <cstring>

namespace halyard {
namespace {

constexpr std::string_view kMagic = "HALBLOB1";

/// The header as the machine has it in memory; it has no padding.
struct BlobHeader {
  std::array<char, 8> magic;
  uint64_t key_size;
  uint64_t blob_size;
  uint64_t hash_low;
  uint64_t hash_high;
};
static_assert(sizeof(BlobHeader) == kBlobHeaderSize);

XXH128_hash_t HashOf(std::string_view key, std::span<const std::byte> blob) {
  // Where the key ends is not hashed: with a wrong size it is another key.
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  XXH3_128bits_update(&state, key.data(), key.size());
  if (!blob.empty()) XXH3_128bits_update(&state, blob.data(), blob.size());
  return XXH3_128bits_digest(&state);
}

Status CheckSizes(const BlobHeader& header, uint64_t rest) {
  if (header.key_size <= rest && header.blob_size == rest - header.key_size) return kOk;
  return Fail(HAL_STATUS_DATA_LOSS,
              "key size %" PRIu64 " and blob size %" PRIu64 " do not add up to the %" PRIu64 " bytes after the header",
              header.key_size, header.blob_size, rest);
}

}  // namespace

std::array<std::byte, kBlobHeaderSize> MakeBlobHeader(std::string_view key, std::span<const std::byte> blob) {
  const XXH128_hash_t hash = HashOf(key, blob);
  BlobHeader header = {{}, key.size(), blob.size(), hash.low64, hash.high64};
  std::memcpy(header.magic.data(), kMagic.data(), kMagic.size());
  std::array<std::byte, kBlobHeaderSize> bytes;
  std::memcpy(bytes.data(), &header, sizeof(header));
  return bytes;
}

Status ParseBlobFile(std::span<const std::byte> file, std::string_view key, std::span<const std::byte>* out_blob) {
  BlobHeader header = {};
  if (file.size() < sizeof(header)) {
    return Fail(HAL_STATUS_DATA_LOSS, "the file has %zu bytes, fewer than its header", file.size());
  }
  std::memcpy(&header, file.data(), sizeof(header));
  if (std::string_view(header.magic.data(), header.magic.size()) != kMagic) {
    return FailWith(HAL_STATUS_DATA_LOSS, "the file does not begin with HALBLOB1");
  }
  const auto rest = file.subspan(sizeof(header));
  HAL_TRY(CheckSizes(header, rest.size()));
  const std::string_view found(reinterpret_cast<const char*>(rest.data()), header.key_size);
  const auto blob = rest.subspan(header.key_size);
  const XXH128_hash_t hash = HashOf(found, blob);
  if (hash.low64 != header.hash_low || hash.high64 != header.hash_high) {
    return FailWith(HAL_STATUS_DATA_LOSS, "the hash of key and blob is not the one in the header");
  }
  if (found != key) return FailWith(HAL_STATUS_NOT_FOUND, "the file holds the blob of another key");
  *out_blob = blob;
  return kOk;
}

}  // namespace halyard
