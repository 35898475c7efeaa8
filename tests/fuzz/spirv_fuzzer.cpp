// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feeds SPIR-V to what tells its kernels and to its translation for Metal. Half of the mutations change one word of a
// module, so that the validator of SPIRV-Tools lets some through to SPIRV-Cross; those libraries are as Debian built
// them, without sanitizers.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>

#include "image/halx/container_contents.h"
#include "reflect/spirv_reflection.h"
#include "support/failure.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace halyard::tools {
namespace {

void Require(bool condition) {
  if (!condition) std::abort();
}

void CheckKernel(const ReflectedKernel& kernel) {
  Require(kernel.constants_size.value_or(0) <= ContainerLimits::kConstantsSize);
  for (const ReflectedParameter& parameter : kernel.parameters) {
    if (parameter.kind == HAL_PARAMETER_KIND_BINDING) {
      Require(parameter.set && parameter.binding && parameter.access);
    } else {
      Require(parameter.offset && uint64_t{*parameter.offset} + parameter.size <= *kernel.constants_size);
    }
  }
}

/// Fails with a message or not at all.
template <class Read>
void Try(Read&& read) {
  try {
    read();
  } catch (const Failure& failure) {
    Require(failure.code() == ExitCode::kInput && failure.what()[0] != '\0');
  }
}

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
}  // namespace halyard::tools

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  using namespace halyard::tools;
  std::minstd_rand random(seed);
  const size_t words = size / sizeof(uint32_t);
  if (words <= kHeadWords || random() % 2 == 0) return LLVMFuzzerMutate(data, size, max_size);
  for (size_t i = 0; i <= random() % 3; ++i) ChangeWord(data, words, random);
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace halyard::tools;
  const auto image = std::as_bytes(std::span(data, size));
  Try([&] {
    for (const ReflectedKernel& kernel : ReflectSpirv("module", image)) CheckKernel(kernel);
    Try([&] { Require(!TranslateSpirvToMsl("module", image, {}).text.empty()); });
  });
  return 0;
}
