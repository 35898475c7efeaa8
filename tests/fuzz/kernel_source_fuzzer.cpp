// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feeds text to the reader of kernel sources, and what it makes of them to the writers of every language. Lines must
// keep their numbers, memory must be laid out without overlaps, and the description of the exports must be one that is
// read.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exports_text.h"
#include "kernels/emitters.h"
#include "support/failure.h"

namespace {

using halyard::tools::ExportDescription;
using halyard::tools::Kernel;
using halyard::tools::KernelParameter;
using halyard::tools::KernelSource;
using halyard::tools::LocalArray;

void Require(bool condition) {
  if (!condition) std::abort();
}

/// Where a line begins; lines are counted from 1.
size_t BeginOfLine(std::string_view text, size_t line) {
  size_t begin = 0;
  for (; line > 1; --line) {
    const size_t end = text.find('\n', begin);
    Require(end != std::string_view::npos);
    begin = end + 1;
  }
  return begin;
}

/// The body is text of the source, and begins in the line that it says.
void CheckBody(const Kernel& kernel, std::string_view text) {
  Require(kernel.body.size() >= 2 && kernel.body.front() == '{' && kernel.body.back() == '}');
  const size_t begin = BeginOfLine(text, kernel.body_line);
  Require(text.find(kernel.body, begin) <= text.find('\n', begin));
}

/// What stands outside of kernels keeps its place.
void CheckShared(const KernelSource& source, std::string_view text) {
  Require(source.shared.size() == text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    Require(source.shared[i] == text[i] || (source.shared[i] == ' ' && text[i] != '\n'));
  }
}

/// Adds up in 64 bits what the reader does in 32.
void CheckConstants(const Kernel& kernel) {
  std::vector<std::pair<uint64_t, uint64_t>> places;
  for (const KernelParameter& parameter : kernel.parameters) {
    if (parameter.kind != HAL_PARAMETER_KIND_CONSTANT) continue;
    const uint64_t element = halyard::tools::SizeOfType(parameter.type);
    Require(element > 0 && parameter.place % element == 0);
    places.emplace_back(parameter.place, parameter.place + element * std::max<uint64_t>(parameter.count, 1));
  }
  std::ranges::sort(places);
  for (size_t i = 1; i < places.size(); ++i) Require(places[i - 1].second <= places[i].first);
  Require(halyard::tools::ConstantsSize(kernel) == (places.empty() ? 0 : places.back().second));
}

/// A dispatch counts the bindings without gaps.
void CheckBindings(const Kernel& kernel) {
  std::set<uint32_t> ordinals;
  for (const KernelParameter& parameter : kernel.parameters) {
    if (parameter.kind != HAL_PARAMETER_KIND_BINDING) continue;
    Require(ordinals.insert(halyard::tools::DispatchOrdinal(kernel, parameter)).second);
  }
  Require(ordinals.empty() || *ordinals.rbegin() == ordinals.size() - 1);
}

void CheckLocals(const Kernel& kernel) {
  uint64_t end = 0;
  for (size_t i = 0; i < kernel.locals.size(); ++i) {
    const LocalArray& array = kernel.locals[i];
    Require(halyard::tools::LocalOffset(kernel, i) == end);
    end = (end + uint64_t{array.count} * halyard::tools::SizeOfType(array.type) + 15) / 16 * 16;
  }
  Require(halyard::tools::LocalOffset(kernel, kernel.locals.size()) == end);
}

bool Contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// What is written has each body as it is.
void CheckTexts(const KernelSource& source) {
  const std::string host = halyard::tools::HostText(source);
  const std::string gpu = halyard::tools::GpuText(source);
  for (const Kernel& kernel : source.kernels) {
    Require(Contains(host, kernel.body) && Contains(gpu, kernel.body));
    Require(Contains(halyard::tools::GlslText(source, kernel), kernel.body));
  }
  const std::string exports = halyard::tools::ExportsText(source);
  const std::vector<ExportDescription> described = halyard::tools::ReadExportsText(exports);
  Require(described.size() == source.kernels.size());
  Require(halyard::tools::PrintExports(described) == exports);
}

void CheckSource(const KernelSource& source, std::string_view text) {
  Require(!source.kernels.empty());
  CheckShared(source, text);
  for (const Kernel& kernel : source.kernels) {
    CheckBody(kernel, text);
    CheckConstants(kernel);
    CheckBindings(kernel);
    CheckLocals(kernel);
  }
  CheckTexts(source);
}

/// Nothing if the source was refused.
std::vector<KernelSource> Parse(std::string_view text) {
  try {
    return {halyard::tools::ParseKernelSource("x.kernel", text)};
  } catch (const halyard::tools::Failure& failure) {
    Require(failure.code() == halyard::tools::ExitCode::kInput);
    Require(Contains(failure.what(), "x.kernel"));
    return {};
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const KernelSource& source : Parse(text)) CheckSource(source, text);
  return 0;
}
