// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/npy/npy_header.h"

#include <algorithm>
#include <string>

#include "support/bytes_text.h"
#include "support/failure.h"

namespace halyard::tools {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kVersionEnd = 8;

void CheckMagic(std::string_view text) {
  if (text.starts_with(kMagic)) return;
  if (text.empty()) Fail(ExitCode::kInput, "the file is empty");
  if (kMagic.starts_with(text)) Fail(ExitCode::kInput, "the file is cut short: it has only ", text.size(), " bytes");
  if (text.starts_with("PK\x03\x04")) {
    Fail(ExitCode::kInput, "this is a .npz archive of several arrays; save the array alone, with numpy.save");
  }
  Fail(ExitCode::kInput, "this is no .npy file: it does not begin with \"\\x93NUMPY\"");
}

unsigned ByteAt(std::span<const std::byte> file, size_t index) { return std::to_integer<unsigned>(file[index]); }

// The bytes that the length of the header takes.
size_t LengthSize(std::span<const std::byte> file) {
  if (file.size() < kVersionEnd) Fail(ExitCode::kInput, "the file is cut short in its version");
  const unsigned major = ByteAt(file, 6);
  const unsigned minor = ByteAt(file, 7);
  if (minor != 0 || major < 1 || major > 3) {
    Fail(ExitCode::kInput, ".npy version ", major, ".", minor, " is unknown; known are 1.0, 2.0 and 3.0");
  }
  return major == 1 ? 2 : 4;
}

// Little-endian in every version.
size_t ReadLength(std::span<const std::byte> file, size_t size) {
  if (file.size() - kVersionEnd < size) Fail(ExitCode::kInput, "the file is cut short in the length of its header");
  size_t length = 0;
  for (size_t i = size; i-- > 0;) length = length << 8 | ByteAt(file, kVersionEnd + i);
  return length;
}

}  // namespace

NpyHeaderInfo ParseNpyHeader(std::span<const std::byte> file) {
  CheckMagic(AsText(file));
  const size_t length_size = LengthSize(file);
  const size_t length = ReadLength(file, length_size);
  const size_t begin = kVersionEnd + length_size;
  if (length > file.size() - begin) {
    Fail(ExitCode::kInput, "the file is cut short: its header should have ", length, " bytes, but only ",
         file.size() - begin, " follow");
  }
  NpyHeaderInfo info = ParseNpyDictionary(AsText(file.subspan(begin, length)));
  info.data_offset = begin + length;
  return info;
}

}  // namespace halyard::tools
