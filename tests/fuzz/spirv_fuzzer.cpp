// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feeds SPIR-V to what tells its kernels and to its translation for Metal. Mutations change words (spirv_mutator.cpp),
// so that the validator of SPIRV-Tools lets some through to SPIRV-Cross; those libraries are as Debian built them,
// without sanitizers.
#include <cstdint>
#include <cstdlib>

#include "image/halx/container_contents.h"
#include "reflect/spirv_reflection.h"
#include "support/failure.h"

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

}  // namespace
}  // namespace halyard::tools

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace halyard::tools;
  const auto image = std::as_bytes(std::span(data, size));
  Try([&] {
    for (const ReflectedKernel& kernel : ReflectSpirv("module", image)) CheckKernel(kernel);
    Try([&] { Require(!TranslateSpirvToMsl("module", image, {}).text.empty()); });
  });
  return 0;
}
