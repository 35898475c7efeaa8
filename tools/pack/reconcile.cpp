// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reconcile.h"

#include <algorithm>
#include <string_view>

#include "export_merger.h"
#include "support/failure.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

std::string Quoted(const std::string& path) { return "'" + path + "'"; }

std::vector<std::string_view> CallableNames(const ImageReflection& image) {
  std::vector<std::string_view> names;
  for (const ReflectedKernel& kernel : image.kernels) {
    if (kernel.obstacle.empty()) names.emplace_back(kernel.name);
  }
  return names;
}

const ReflectedKernel* FindKernel(const ImageReflection& image, std::string_view symbol) {
  const auto found = std::ranges::find(image.kernels, symbol, &ReflectedKernel::name);
  return found == image.kernels.end() ? nullptr : &*found;
}

[[noreturn]] void FailLacking(const ImageReflection& image, std::string_view symbol, const std::string& owner) {
  Fail(ExitCode::kInput, Quoted(image.origin), " has no kernel '", symbol, "', which ", Quoted(owner), " has; ",
       DidYouMeanText(symbol, CallableNames(image)));
}

// The exports of a file without description: the kernels of the first image that tells, and no others.
std::vector<ExportDescription> NamesFrom(const std::vector<ImageReflection>& images) {
  if (images.empty()) {
    Fail(ExitCode::kInput, "none of the images tells what it exports; describe it with --exports=FILE");
  }
  const std::vector<std::string_view> names = CallableNames(images.front());
  for (const ImageReflection& image : images) {
    for (const std::string_view name : CallableNames(image)) {
      if (std::ranges::find(names, name) == names.end()) FailLacking(images.front(), name, image.origin);
    }
  }
  if (names.empty()) {
    const ReflectedKernels& kernels = images.front().kernels;
    Fail(ExitCode::kInput, Quoted(images.front().origin), " has no kernel that can be called",
         kernels.empty() ? "" : Concat("; '", kernels.front().name, "': ", kernels.front().obstacle));
  }
  std::vector<ExportDescription> exports;
  for (const std::string_view name : names) exports.emplace_back().name = name;
  return exports;
}

}  // namespace

std::vector<ExportDescription> ReconcileExports(const std::vector<ExportDescription>* description,
                                                const std::string& description_path,
                                                const std::vector<ImageReflection>& images) {
  std::vector<ExportDescription> result;
  for (const ExportDescription& wanted : description ? *description : NamesFrom(images)) {
    ExportMerger merger(wanted.name);
    if (description) merger.TakeDescription(wanted, Quoted(description_path));
    for (const ImageReflection& image : images) {
      const std::string& symbol = wanted.SymbolIn(image.format);
      const ReflectedKernel* const kernel = FindKernel(image, symbol);
      if (!kernel) FailLacking(image, symbol, description ? description_path : images.front().origin);
      merger.TakeImage(*kernel, Quoted(image.origin));
    }
    result.push_back(merger.Finish());
  }
  return result;
}

}  // namespace halyard::tools
