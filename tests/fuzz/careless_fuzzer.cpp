// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads its input in a way that the first byte names: with care, or as no reader may. So tests see that the measure of
// the others (input_cost.cpp) ends a run.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace {

volatile uint64_t g_sink;  // so that nothing is left out

void Sum(std::span<const uint8_t> bytes) {
  uint64_t sum = 0;
  for (const uint8_t byte : bytes) sum = byte == 0 ? sum * 3 : sum + byte;
  g_sink = sum;
}

void KeepCopies(std::span<const uint8_t> bytes) {
  std::vector<std::vector<uint8_t>> kept;
  for (size_t i = 0; i < 100; ++i) kept.emplace_back(bytes.begin(), bytes.end());
  g_sink = kept.size();
}

void Allocate(std::span<const uint8_t> bytes) {
  for (size_t i = 0; i < 100 * bytes.size(); ++i) g_sink = reinterpret_cast<uintptr_t>(std::vector<char>(100).data());
}

void CompareAll(std::span<const uint8_t> bytes) {
  const std::vector<uint8_t> same(bytes.begin(), bytes.end());
  for (size_t i = 0; i < 5 * bytes.size(); ++i) {
    g_sink = static_cast<uint64_t>(__builtin_memcmp(same.data(), bytes.data(), bytes.size()));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::span bytes(data, size);
  switch (size == 0 ? 0 : data[0]) {
    case 'k':
      KeepCopies(bytes);
      break;
    case 'l':
      for (size_t i = 0; i < size; ++i) Sum(bytes);
      break;
    case 'a':
      Allocate(bytes);
      break;
    case 'c':
      CompareAll(bytes);
      break;
    default:
      Sum(bytes);
  }
  return 0;
}
