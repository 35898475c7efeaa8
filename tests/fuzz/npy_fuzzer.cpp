// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feeds bytes to the .npy reader of the tools. What it accepts must be what it says: as many bytes as its shape and
// type tell, and the same array again after it was written and read.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "support/failure.h"
#include "support/npy/npy.h"
#include "support/npy/npy_dtype.h"

namespace {

using halyard::tools::NpyArray;

void Require(bool condition) {
  if (!condition) std::abort();
}

std::vector<std::byte> Serialize(const NpyArray& array) {
  const std::string header = halyard::tools::NpyHeader(array.type, array.shape);
  std::vector<std::byte> file(header.size() + array.bytes.size());
  std::memcpy(file.data(), header.data(), header.size());
  if (!array.bytes.empty()) std::memcpy(file.data() + header.size(), array.bytes.data(), array.bytes.size());
  return file;
}

void CheckArray(const NpyArray& array, size_t file_size) {
  uint64_t bytes = halyard::tools::ParseNpyDtype(halyard::tools::NpyDescr(array.type)).size;
  bool is_empty = false;
  for (const int64_t size : array.shape) {
    Require(size >= 0);
    is_empty = is_empty || size == 0;
  }
  for (const int64_t size : array.shape) bytes *= is_empty ? 0 : static_cast<uint64_t>(size);
  Require(array.bytes.size() == bytes);
  Require(array.bytes.size() < file_size);
  const NpyArray again = halyard::tools::ParseNpy(Serialize(array));
  Require(again.type == array.type && again.shape == array.shape && again.bytes == array.bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto* const begin = reinterpret_cast<const std::byte*>(data);
  try {
    CheckArray(halyard::tools::ParseNpy(std::vector<std::byte>(begin, begin + size)), size);
  } catch (const halyard::tools::Failure& failure) {
    Require(failure.code() == halyard::tools::ExitCode::kInput);
    Require(failure.what()[0] != '\0');
  }
  return 0;
}
