// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "npy.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <regex>
#include <stdexcept>
#include <string>

namespace examples {
namespace {

constexpr size_t kPreamble = 10;  // "\x93NUMPY", two bytes of version, two of the header's length

// "12, 20" or "20,".
std::vector<int64_t> ParseSizes(const std::string& text) {
  const std::regex number("[0-9]{1,9}");
  std::vector<int64_t> sizes;
  for (auto at = std::sregex_iterator(text.begin(), text.end(), number); at != std::sregex_iterator(); ++at) {
    sizes.push_back(std::stoll(at->str()));
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

  std::smatch parts;
  const std::regex expected(R"(\{'descr': '<f4', 'fortran_order': False, 'shape': \(([0-9, ]*)\), \}\s*)");
  if (!std::regex_match(header, parts, expected)) {
    throw std::runtime_error("'" + path.string() + "' holds no row-major float32 array");
  }
  Array array;
  array.sizes = ParseSizes(parts[1]);
  size_t count = 1;
  for (const int64_t size : array.sizes) count *= static_cast<size_t>(size);
  if (data.size() != count * sizeof(float)) throw std::runtime_error("'" + path.string() + "' is cut short");
  array.values.resize(count);
  std::memcpy(array.values.data(), data.data(), data.size());
  return array;
}

}  // namespace examples
