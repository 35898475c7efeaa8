// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host_code/kernel_code.h"

#include <xxhash.h>

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace halyard::sim {
namespace {

// One line of the text; false if it is none.
bool ParseLine(const std::string& line, std::vector<KernelCode>* kernels) {
  std::istringstream words(line);
  std::string key;
  words >> key;
  if (key == "kernel") {
    KernelCode& kernel = kernels->emplace_back();
    words >> kernel.name >> kernel.symbol;
    return !words.fail();
  }
  if (kernels->empty()) return false;
  KernelCode& kernel = kernels->back();
  if (key == "workgroup") {
    words >> kernel.workgroup[0] >> kernel.workgroup[1] >> kernel.workgroup[2];
  } else if (key == "local") {
    words >> kernel.local_memory;
  } else if (key == "constants") {
    words >> kernel.constants_size;
  } else if (key == "binding") {
    KernelParameter& binding = kernel.parameters.emplace_back(KernelParameter{true, 0, 8});
    words >> binding.place;
    kernel.binding_count = std::max(kernel.binding_count, binding.place + 1);
  } else if (key == "constant") {
    KernelParameter& constant = kernel.parameters.emplace_back();
    words >> constant.place >> constant.size;
    if (uint64_t{constant.place} + constant.size > kernel.constants_size) return false;
  } else {
    return false;
  }
  return !words.fail();
}

}  // namespace

std::vector<ParameterPlace> NaturalLayout(const KernelCode& kernel) {
  std::vector<ParameterPlace> layout;
  size_t end = 0;
  for (const KernelParameter& parameter : kernel.parameters) {
    const size_t alignment = std::clamp<size_t>(parameter.size & (~parameter.size + 1), 1, 16);
    const size_t offset = (end + alignment - 1) / alignment * alignment;
    layout.push_back({offset, parameter.size});
    end = offset + parameter.size;
  }
  return layout;
}

std::string ImageName(std::span<const std::byte> image) {
  const XXH128_hash_t hash = XXH3_128bits(image.data(), image.size());
  char text[33];
  std::snprintf(text, sizeof(text), "%016llx%016llx", static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return text;
}

std::string KernelText(const KernelCode& kernel) {
  std::ostringstream text;
  text << "kernel " << kernel.name << " " << kernel.symbol << "\nworkgroup " << kernel.workgroup[0] << " "
       << kernel.workgroup[1] << " " << kernel.workgroup[2] << "\nlocal " << kernel.local_memory << "\nconstants "
       << kernel.constants_size << "\n";
  for (const KernelParameter& parameter : kernel.parameters) {
    if (parameter.is_binding) {
      text << "binding " << parameter.place << "\n";
    } else {
      text << "constant " << parameter.place << " " << parameter.size << "\n";
    }
  }
  return text.str();
}

std::optional<std::vector<KernelCode>> ParseKernels(const std::string& text, std::string* why) {
  std::vector<KernelCode> kernels;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || ParseLine(line, &kernels)) continue;
    *why = "'" + line + "' is no line about a kernel";
    return std::nullopt;
  }
  return kernels;
}

}  // namespace halyard::sim
