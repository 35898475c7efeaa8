// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/npy/npy.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "support/failure.h"
#include "support/input_file.h"
#include "support/npy/npy_header.h"

namespace halyard::tools {
namespace {

constexpr size_t kHeaderAlignment = 64;
constexpr size_t kPreambleSize = 10;  // magic, version 1.0, 16 bits of length

// The bytes of an array; nothing if there are more than can be counted.
std::optional<uint64_t> ByteCount(std::span<const int64_t> shape, size_t element_size) {
  if (std::ranges::find(shape, 0) != shape.end()) return 0;
  uint64_t bytes = element_size;
  for (const int64_t size : shape) {
    if (bytes > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) / static_cast<uint64_t>(size)) {
      return std::nullopt;
    }
    bytes *= static_cast<uint64_t>(size);
  }
  return bytes;
}

void CheckDataSize(const NpyHeaderInfo& info, size_t available) {
  const std::optional<uint64_t> needed = ByteCount(info.shape, info.dtype.size);
  if (needed == available) return;
  const std::string array =
      Concat("an array of shape ", ShapeText(info.shape), " with ", info.dtype.size, " bytes to an element");
  if (!needed) Fail(ExitCode::kInput, "its header lies: ", array, " has more than 2^63 bytes");
  if (*needed > available) {
    Fail(ExitCode::kInput, "the file is cut short: ", array, " has ", *needed, " bytes, but only ", available,
         " follow the header");
  }
  Fail(ExitCode::kInput, "the file is too long: ", array, " has ", *needed, " bytes, but ", available,
       " follow the header");
}

// Moves what follows the first `count` bytes to the front, within the memory that is there.
void DropFront(std::vector<std::byte>* bytes, size_t count) {
  const size_t left = bytes->size() - count;
  if (left > 0) std::memmove(bytes->data(), bytes->data() + count, left);
  bytes->resize(left);
}

void SwapBytes(std::span<std::byte> bytes, size_t component_size) {
  for (size_t i = 0; i < bytes.size(); i += component_size) {
    std::reverse(bytes.begin() + static_cast<ptrdiff_t>(i), bytes.begin() + static_cast<ptrdiff_t>(i + component_size));
  }
}

// How far apart neighbours in each dimension are in a row-major array, in elements.
std::vector<size_t> RowMajorStrides(std::span<const int64_t> shape) {
  std::vector<size_t> strides(shape.size());
  size_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= static_cast<size_t>(shape[i]);
  }
  return strides;
}

// Moves the elements of a column-major array to their places in a row-major one.
std::vector<std::byte> ToRowMajor(std::span<const std::byte> source, std::span<const int64_t> shape, size_t size) {
  std::vector<std::byte> result(source.size());
  const std::vector<size_t> strides = RowMajorStrides(shape);
  std::vector<int64_t> index(shape.size(), 0);
  size_t target = 0;
  for (size_t element = 0; element < source.size(); element += size) {
    std::memcpy(result.data() + target * size, source.data() + element, size);
    // The next index: the first dimension runs fastest.
    for (size_t i = 0; i < shape.size(); ++i) {
      target += strides[i];
      if (++index[i] < shape[i]) break;
      target -= strides[i] * static_cast<size_t>(shape[i]);
      index[i] = 0;
    }
  }
  return result;
}

}  // namespace

std::string ShapeText(std::span<const int64_t> shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

NpyArray ParseNpy(std::vector<std::byte> file) {
  NpyHeaderInfo info = ParseNpyHeader(file);
  CheckDataSize(info, file.size() - info.data_offset);
  DropFront(&file, info.data_offset);
  if (info.dtype.swapped) SwapBytes(file, info.dtype.component_size);
  const bool transposed = info.fortran_order && info.shape.size() > 1;
  NpyArray array;
  array.type = info.dtype.type;
  array.bytes = transposed ? ToRowMajor(file, info.shape, info.dtype.size) : std::move(file);
  array.shape = std::move(info.shape);
  return array;
}

NpyArray ReadNpyFile(const std::string& path) {
  std::vector<std::byte> file = ReadFile(path);
  try {
    return ParseNpy(std::move(file));
  } catch (const Failure& failure) {
    Fail(failure.code(), "'", path, "': ", failure.what());
  }
}

std::string NpyHeader(hal_element_type_t type, std::span<const int64_t> shape) {
  const std::string descr = NpyDescr(type);
  if (descr.empty()) Fail(ExitCode::kUsage, "NumPy has no such element type; name an integer type of the same width");
  std::string dictionary =
      Concat("{'descr': '", descr, "', 'fortran_order': False, 'shape': ", ShapeText(shape), ", }");
  // The elements begin at a multiple of 64; a line feed stands before them.
  const size_t used = kPreambleSize + dictionary.size() + 1;
  dictionary.append((kHeaderAlignment - used % kHeaderAlignment) % kHeaderAlignment, ' ');
  dictionary += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(dictionary.size() & 0xFF);
  header += static_cast<char>(dictionary.size() >> 8);
  return header + dictionary;
}

void WriteNpy(const NpyArray& array, OutputFile* file) {
  const std::string header = NpyHeader(array.type, array.shape);
  file->Write(std::as_bytes(std::span(header)));
  file->Write(array.bytes);
}

void WriteNpyFile(const std::string& path, const NpyArray& array, Replace replace) {
  OutputFile file(path, kNpyFile, replace);
  WriteNpy(array, &file);
  file.Commit();
}

}  // namespace halyard::tools
