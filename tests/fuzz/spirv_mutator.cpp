// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For fuzzers of SPIR-V: half of the mutations change one to three words of a module, so that many stay well-formed.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

constexpr size_t kHeadWords = 5;

/// Puts another word of the module, a small number, or a number nearby in the place of one.
void ChangeWord(uint8_t* data, size_t words, std::minstd_rand& random) {
  const auto offset_of = [&](size_t begin) { return (begin + random() % (words - begin)) * sizeof(uint32_t); };
  uint8_t* const place = data + offset_of(kHeadWords);
  uint32_t word = 0;
  std::memcpy(&word, place, sizeof(word));
  switch (random() % 4) {
    case 0:
      std::memcpy(&word, data + offset_of(kHeadWords), sizeof(word));
      break;
    case 1:
      word = static_cast<uint32_t>(random() % 64);
      break;
    case 2:
      word += static_cast<uint32_t>(random() % 9) - 4;
      break;
    default:
      word ^= 1u << random() % 32;
  }
  std::memcpy(place, &word, sizeof(word));
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  std::minstd_rand random(seed);
  const size_t words = size / sizeof(uint32_t);
  if (words <= kHeadWords || random() % 2 == 0) return LLVMFuzzerMutate(data, size, max_size);
  for (size_t i = 0; i <= random() % 3; ++i) ChangeWord(data, words, random);
  return size;
}
