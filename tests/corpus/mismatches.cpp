// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <span>
#include <string_view>

#include "expectation.h"
#include "image/reflection/reflection.h"

namespace halyard::testing {
namespace {

using Json = nlohmann::json;
using Texts = std::vector<std::string>;

std::string ReadImage(const std::string& path) {
  std::ifstream file(std::string(HALYARD_CORPUS "/images/") + path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string SizeText(const hal_dim3_t& size) {
  return std::to_string(size.x) + " x " + std::to_string(size.y) + " x " + std::to_string(size.z);
}

std::string SizeText(const Json& size) {
  return SizeText(hal_dim3(size.at(0).get<uint32_t>(), size.at(1).get<uint32_t>(), size.at(2).get<uint32_t>()));
}

// A structure and the descriptor of a tensor are numbers here: bytes that the dispatch gives.
std::string ParameterText(const Json& expected) {
  if (expected.at("kind") == "pointer") return "a pointer";
  return "a number of " + std::to_string(expected.at("size").get<uint32_t>()) + " bytes";
}

std::string ParameterText(const ReflectedParameter& parameter) {
  if (parameter.value.kind == HAL_PARAMETER_KIND_BINDING) return "a pointer";
  return "a number of " + std::to_string(parameter.value.size) + " bytes";
}

// No buffer can be what these point to.
bool HasObstacle(const Json& kernel) {
  const Json& parameters = kernel.at("parameters");
  return std::any_of(parameters.begin(), parameters.end(), [](const Json& parameter) {
    return parameter.at("kind") == "local" || parameter.at("kind") == "constant";
  });
}

/// Compares one kernel.
class KernelComparison {
 public:
  KernelComparison(const Json& expected, const ReflectedKernel& kernel, Texts* texts)
      : expected_(expected), kernel_(kernel), texts_(*texts) {}

  void CompareAddresses() {
    if (HasObstacle(expected_) != !kernel_.obstacle.empty()) {
      Add(kernel_.obstacle.empty() ? "can be called, which it cannot" : "has an obstacle, which it has not");
    }
    if (!HasObstacle(expected_)) CompareParameters();
    CompareSizes();
    CompareNumber("max_workgroup_volume", kernel_.max_workgroup_volume);
    CompareNumber("subgroup_size", kernel_.subgroup_size);
    CompareNumber("local_memory_size", kernel_.local_memory_size);
  }

  void CompareSpirv() {
    if (!kernel_.obstacle.empty()) return Add("cannot be called: " + std::string(kernel_.obstacle));
    CompareTexts("bindings", expected_.at("bindings").get<Texts>(), Bindings());
    CompareTexts("push constants", PushConstants(), Constants());
    const bool is_open = kernel_.workgroup_size.x == 0;
    const std::string found = SizeText(is_open ? kernel_.fixed_sides : kernel_.workgroup_size);
    const std::string wanted = SizeText(expected_.at("workgroup_size"));
    if (found != wanted) Add("has workgroups of " + found + ", not " + wanted);
  }

 private:
  void Add(const std::string& what) { texts_.push_back(std::string(kernel_.name) + ": " + what); }

  void CompareParameters() {
    const Json& parameters = expected_.at("parameters");
    if (parameters.size() != kernel_.parameters.size()) {
      return Add("has " + std::to_string(kernel_.parameters.size()) + " parameters, not " +
                 std::to_string(parameters.size()));
    }
    for (size_t i = 0; i < parameters.size(); ++i) {
      const std::string wanted = ParameterText(parameters[i]);
      const std::string found = ParameterText(kernel_.parameters[i]);
      if (found != wanted) Add("parameter " + std::to_string(i) + " is " + found + ", not " + wanted);
    }
  }

  void CompareSizes() {
    const bool is_required = expected_.contains("workgroup_size");
    const std::string wanted = is_required ? SizeText(expected_.at("workgroup_size")) : "no fixed size";
    const bool is_fixed = kernel_.is_workgroup_size_known && kernel_.workgroup_size.x != 0;
    const std::string found = is_fixed ? SizeText(kernel_.workgroup_size) : "no fixed size";
    if (found != wanted) Add("has workgroups of " + found + ", not " + wanted);
  }

  void CompareNumber(const char* what, uint32_t found) {
    if (!expected_.contains(what) && std::string_view(what) == "subgroup_size") return;  // NVIDIA's is not told
    const uint32_t wanted = expected_.value(what, uint32_t{0});
    if (found != wanted) Add(std::string(what) + " is " + std::to_string(found) + ", not " + std::to_string(wanted));
  }

  void CompareTexts(const char* what, const Texts& wanted, const Texts& found) {
    if (found == wanted) return;
    Add(std::string("its ") + what + " are " + Json(found).dump() + ", not " + Json(wanted).dump());
  }

  Texts Bindings() const {
    constexpr const char* kAccess[] = {"rw", "r", "w"};
    Texts texts;
    for (const ReflectedParameter& parameter : kernel_.parameters) {
      const hal_parameter_t& value = parameter.value;
      if (value.kind != HAL_PARAMETER_KIND_BINDING) continue;
      texts.push_back(std::to_string(value.set) + ":" + std::to_string(value.binding) + " " + kAccess[value.access]);
    }
    std::sort(texts.begin(), texts.end());
    return texts;
  }

  Texts Constants() const {
    Texts texts;
    for (const ReflectedParameter& parameter : kernel_.parameters) {
      if (parameter.value.kind == HAL_PARAMETER_KIND_CONSTANT) texts.push_back(std::to_string(parameter.value.offset));
    }
    return texts;
  }

  Texts PushConstants() const {
    Texts texts;
    for (const Json& offset : expected_.at("push_constants")) texts.push_back(std::to_string(offset.get<uint32_t>()));
    return texts;
  }

  const Json& expected_;
  const ReflectedKernel& kernel_;
  Texts& texts_;
};

Texts Compare(const Json& expected, const ReflectedImage& image) {
  Texts texts;
  if (std::string_view(image.target) != expected.at("target").get<std::string>()) {
    texts.push_back("the target is '" + std::string(image.target) + "', not " + expected.at("target").dump());
  }
  Texts names;
  for (const Json& kernel : expected.at("kernels")) {
    names.push_back(kernel.at("name"));
    const auto found = std::find_if(image.kernels.begin(), image.kernels.end(), [&](const ReflectedKernel& candidate) {
      return std::string_view(candidate.name) == names.back();
    });
    if (found == image.kernels.end()) {
      texts.push_back(names.back() + ": is missing");
      continue;
    }
    KernelComparison comparison(kernel, *found, &texts);
    expected.at("format") == "spirv" ? comparison.CompareSpirv() : comparison.CompareAddresses();
  }
  for (const ReflectedKernel& kernel : image.kernels) {
    if (std::count(names.begin(), names.end(), std::string_view(kernel.name)) == 0) {
      texts.push_back(std::string(kernel.name) + ": is no kernel");
    }
  }
  return texts;
}

}  // namespace

std::vector<std::string> MismatchesOf(const ExpectedImage& image) {
  const std::string bytes = ReadImage(image.path);
  EXPECT_FALSE(bytes.empty()) << image.path << " cannot be read";
  ReflectedImage reflected;
  const std::string format = image.expected.at("format");
  if (const Failure failure(Reflect(format, std::as_bytes(std::span(bytes)), &reflected)); failure) {
    std::printf("%s: refused: %s\n", image.path.c_str(), failure.message().data());
    return {"is refused"};
  }
  return Compare(image.expected, reflected);
}

}  // namespace halyard::testing
