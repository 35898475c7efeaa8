// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "npy.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace examples {
namespace {

constexpr size_t kPreamble = 10;  // "\x93NUMPY", two bytes of version, two of the header's length

// "12, 20" or "20,", as far as the closing parenthesis.
std::vector<int64_t> ParseSizes(std::string_view text) {
  std::vector<int64_t> sizes;
  for (const char* at = text.data(); at != text.data() + text.size(); ++at) {
    int64_t size = 0;
    const auto [end, error] = std::from_chars(at, text.data() + text.size(), size);
    if (error == std::errc()) sizes.push_back(size);
    if (end != at) at = end - 1;
  }
  return sizes;
}

}  // namespace

Array ReadNpy(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot open '" + path.string() + "'");
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const bool is_npy = bytes.size() > kPreamble && bytes.compare(0, 8, "\x93NUMPY\x01\x00", 8) == 0;
  if (!is_npy) throw std::runtime_error("'" + path.string() + "' is no .npy file of version 1.0");
  const size_t header_size = static_cast<uint8_t>(bytes[8]) + 256u * static_cast<uint8_t>(bytes[9]);
  const std::string header = bytes.substr(kPreamble, header_size);
  const std::string data = bytes.substr(std::min(bytes.size(), kPreamble + header_size));

  constexpr std::string_view kExpected = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
  const size_t end = header.find(')');
  if (!header.starts_with(kExpected) || end == std::string::npos) {
    throw std::runtime_error("'" + path.string() + "' holds no row-major float32 array");
  }
  Array array;
  array.sizes = ParseSizes(std::string_view(header).substr(kExpected.size(), end - kExpected.size()));
  size_t count = 1;
  for (const int64_t size : array.sizes) count *= static_cast<size_t>(size);
  if (data.size() != count * sizeof(float)) throw std::runtime_error("'" + path.string() + "' is cut short");
  array.values.resize(count);
  std::memcpy(array.values.data(), data.data(), data.size());
  return array;
}

}  // namespace examples
