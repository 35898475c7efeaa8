// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feeds SPIR-V to the validator and to its translation for Metal. Mutations change words (spirv_mutator.cpp),
// so that the validator of SPIRV-Tools lets some through to SPIRV-Cross; those libraries are as Debian built them,
// without sanitizers.
#include <cstdint>
#include <cstdlib>
#include <span>

#include "reflect/spirv_reflection.h"
#include "support/failure.h"

namespace halyard::tools {
namespace {

void Require(bool condition) {
  if (!condition) std::abort();
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

}  // namespace
}  // namespace halyard::tools

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace halyard::tools;
  const auto image = std::as_bytes(std::span(data, size));
  Try([&] {
    ValidateSpirv("module", image);
    Try([&] { Require(!TranslateSpirvToMsl("module", image, {}).text.empty()); });
  });
  return 0;
}
