// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One entry of a blob directory, as it lies in its file. In the byte order of the machine, which alone can use it.
//
//   0     8 bytes   "HALBLOB1"
//   8     8 bytes   size of the key
//   16    8 bytes   size of the blob
//   24    16 bytes  XXH3-128 of the key and the blob, low half first
//   40    the key, then the blob, then nothing
#ifndef HALYARD_CORE_EXECUTABLE_BLOB_FILE_H_
#define HALYARD_CORE_EXECUTABLE_BLOB_FILE_H_

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "base/status.h"

namespace halyard {

inline constexpr size_t kBlobHeaderSize = 40;

/// What stands before the key and the blob.
std::array<std::byte, kBlobHeaderSize> MakeBlobHeader(std::string_view key, std::span<const std::byte> blob);

/// Finds the blob in the bytes of a file. NOT_FOUND (another key's), DATA_LOSS (torn, corrupt or of another kind), with
/// the field that is wrong.
Status ParseBlobFile(std::span<const std::byte> file, std::string_view key, std::span<const std::byte>* out_blob);

}  // namespace halyard

#endif  // HALYARD_CORE_EXECUTABLE_BLOB_FILE_H_
