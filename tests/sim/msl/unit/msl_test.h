// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tests of texts have in common.
#ifndef HALYARD_SIM_MSL_UNIT_MSL_TEST_H_
#define HALYARD_SIM_MSL_UNIT_MSL_TEST_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "msl/msl_host.h"

namespace halyard::msl_host {

// What most texts begin with: two lines.
inline constexpr std::string_view kBegin = "#include <metal_stdlib>\nusing namespace metal;\n";

class MslTest : public testing::Test {
 protected:
  // Compiles a text behind kBegin. Where that fails, the test ends.
  void Use(std::string_view text) {
    CompileResult result = Compile(std::string(kBegin) + std::string(text));
    if (result.library == nullptr) throw std::runtime_error(result.messages);
    library_ = std::move(result.library);
    program_ = library_->Specialise({});
  }

  // What the compiler says of a text behind kBegin that it refuses.
  static std::string Refusal(std::string_view text) {
    const CompileResult result = Compile(std::string(kBegin) + std::string(text));
    EXPECT_EQ(result.library, nullptr) << text;
    return result.messages;
  }

  // Puts a vector's memory at a buffer index of the next launch.
  template <typename T>
  void Bind(size_t index, std::vector<T>* data) {
    launch_.buffers[index] = data->data();
  }

  void Run(std::string_view kernel, std::array<uint32_t, 3> groups, std::array<uint32_t, 3> threads) {
    launch_.threadgroups = groups;
    launch_.threads_per_threadgroup = threads;
    program_->Run(kernel, launch_);
  }

  const Kernel* FindKernel(std::string_view name) const {
    for (const Kernel& kernel : library_->Kernels()) {
      if (kernel.name == name) return &kernel;
    }
    return nullptr;
  }

  template <typename T>
  static ConstantValue Value(uint32_t index, T value) {
    ConstantValue result{index, std::vector<std::byte>(sizeof value)};
    std::memcpy(result.bytes.data(), &value, sizeof value);
    return result;
  }

  std::shared_ptr<const Library> library_;
  std::shared_ptr<const Program> program_;
  Launch launch_;
};

}  // namespace halyard::msl_host

#endif  // HALYARD_SIM_MSL_UNIT_MSL_TEST_H_
