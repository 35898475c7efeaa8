// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feeds bytes to the reader of blob files, as they are and with a hash that is right. What it accepts must be what a
// writer would have written.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "core/executable/blob_file.h"

namespace {

using halyard::kBlobHeaderSize;
using Bytes = std::vector<std::byte>;

constexpr std::string_view kKey = "cuda/13.0/sm_90/0123";

void Require(bool condition) {
  if (!condition) std::abort();
}

void Check(const Bytes& file, std::string_view key) {
  std::span<const std::byte> blob;
  const halyard::Failure failure(halyard::ParseBlobFile(file, key, &blob));
  if (failure) {
    Require(failure.code() == HAL_STATUS_DATA_LOSS || failure.code() == HAL_STATUS_NOT_FOUND);
    Require(!failure.message().empty());
    return;
  }
  Require(file.size() == kBlobHeaderSize + key.size() + blob.size());
  const auto header = halyard::MakeBlobHeader(key, blob);
  Require(std::equal(header.begin(), header.end(), file.begin()));
}

/// The bytes as key and blob behind a header that is right except for what the first bytes add to its sizes.
Bytes Framed(std::span<const std::byte> bytes) {
  const size_t key_size = bytes.empty() ? 0 : std::min<size_t>(static_cast<size_t>(bytes[0]), bytes.size());
  const std::string_view key(reinterpret_cast<const char*>(bytes.data()), key_size);
  const auto header = halyard::MakeBlobHeader(key, bytes.subspan(key_size));
  Bytes file(header.begin(), header.end());
  file.insert(file.end(), bytes.begin(), bytes.end());
  if (bytes.size() >= 3) file[8] ^= bytes[1] & bytes[2];
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  Check(Bytes(bytes.begin(), bytes.end()), kKey);
  const Bytes framed = Framed(bytes);
  const size_t key_size = size == 0 ? 0 : std::min<size_t>(data[0], size);
  Check(framed, {reinterpret_cast<const char*>(data), key_size});
  return 0;
}
