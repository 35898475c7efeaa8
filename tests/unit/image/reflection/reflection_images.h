// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The images of the reflection tests (see make_images.sh), and short ways to say what is expected of them.
#ifndef HALYARD_TESTS_UNIT_IMAGE_REFLECTION_REFLECTION_IMAGES_H_
#define HALYARD_TESTS_UNIT_IMAGE_REFLECTION_REFLECTION_IMAGES_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "image/reflection/reflection.h"

namespace halyard::testing {

using ReflectionImage = std::vector<std::byte>;

inline ReflectionImage ReadReflectionImage(const std::string& name) {
  std::ifstream file(std::string(HALYARD_REFLECTION_IMAGES "/") + name, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_FALSE(text.empty()) << name;
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

inline ReflectedImage ReflectFile(std::string_view format, const std::string& name) {
  ReflectedImage image;
  EXPECT_EQ(Reflect(format, ReadReflectionImage(name), &image), kOk) << name << ": " << LastErrorMessage();
  return image;
}

inline ReflectedKernel KernelOf(const ReflectedImage& image, std::string_view name) {
  for (const ReflectedKernel& kernel : image.kernels) {
    if (kernel.name == name) return kernel;
  }
  ADD_FAILURE() << "no kernel " << name;
  return {};
}

/// "r b0 c4@0 c8@8? rw b1?": the parameters of a kernel; a question mark behind what is guessed.
inline std::string ParametersText(const ReflectedKernel& kernel) {
  constexpr const char* kAccess[] = {"rw", "r", "w"};
  std::string text;
  for (const ReflectedParameter& parameter : kernel.parameters) {
    if (!text.empty()) text += " ";
    const hal_parameter_t& value = parameter.value;
    if (value.kind == HAL_PARAMETER_KIND_CONSTANT) {
      text += "c" + std::to_string(value.size) + "@" + std::to_string(value.offset);
    } else {
      if (parameter.is_access_known) text += std::string(kAccess[value.access]) + ":";
      text += "b" + std::to_string(value.binding);
    }
    if (parameter.is_guess) text += "?";
  }
  return text;
}

inline std::string WorkgroupText(const ReflectedKernel& kernel) {
  const hal_dim3_t& size = kernel.workgroup_size;
  return std::to_string(size.x) + "," + std::to_string(size.y) + "," + std::to_string(size.z);
}

/// Reads what must be refused. Its message.
inline std::string Refusal(std::string_view format, std::span<const std::byte> image, hal_status_t expected) {
  ReflectedImage reflected;
  EXPECT_EQ(Publish(Reflect(format, image, &reflected)), expected) << LastErrorMessage();
  EXPECT_TRUE(reflected.kernels.empty());
  return std::string(LastErrorMessage());
}

/// Every prefix of an image must be refused or read, and every image with a byte changed: nothing crashes, and what is
/// refused says why. (The fuzzers look further.)
inline void ExpectSurvivesDamage(std::string_view format, const ReflectionImage& image) {
  const auto try_it = [&](std::span<const std::byte> bytes) {
    ReflectedImage reflected;
    const Failure failure(Reflect(format, bytes, &reflected));
    if (failure) {
      EXPECT_FALSE(failure.message().empty());
    }
    return failure.code();
  };
  size_t refused = 0;
  for (size_t size = 0; size < image.size(); size += 7) {
    refused += try_it(std::span(image).first(size)) != HAL_STATUS_OK ? 1 : 0;
  }
  EXPECT_GT(refused, 0u);
  ReflectionImage changed = image;
  for (size_t i = 0; i < changed.size(); i += 3) {
    changed[i] = ~changed[i];
    (void)try_it(changed);
    changed[i] = image[i];
  }
}

}  // namespace halyard::testing

#endif  // HALYARD_TESTS_UNIT_IMAGE_REFLECTION_REFLECTION_IMAGES_H_
