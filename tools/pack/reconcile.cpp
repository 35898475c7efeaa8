// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reconcile.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

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

// The kernels of an image by their names, of which an image may have very many.
class KernelIndex {
 public:
  explicit KernelIndex(const ImageReflection& image) : image_(image) {
    for (const ReflectedKernel& kernel : image.kernels) kernels_.emplace(kernel.name, &kernel);
  }
  const ImageReflection& image() const { return image_; }
  const ReflectedKernel* Find(std::string_view symbol) const {
    const auto found = kernels_.find(symbol);
    return found == kernels_.end() ? nullptr : found->second;
  }

 private:
  const ImageReflection& image_;
  std::unordered_map<std::string_view, const ReflectedKernel*> kernels_;
};

[[noreturn]] void FailLacking(const ImageReflection& image, std::string_view symbol, const std::string& owner) {
  Fail(ExitCode::kInput, Quoted(image.origin), " has no kernel '", symbol, "', which ", Quoted(owner), " has; ",
       SuggestionText(symbol, CallableNames(image)));
}

// The exports of a file without description: the kernels of the first image that tells, and no others.
std::vector<ExportDescription> NamesFrom(const std::vector<ImageReflection>& images) {
  if (images.empty()) {
    Fail(ExitCode::kInput, "none of the images tells what it exports; describe it with --exports=FILE");
  }
  const std::vector<std::string_view> names = CallableNames(images.front());
  const std::unordered_set<std::string_view> known(names.begin(), names.end());
  for (const ImageReflection& image : images) {
    for (const std::string_view name : CallableNames(image)) {
      if (!known.contains(name)) FailLacking(images.front(), name, image.origin);
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
  const std::vector<KernelIndex> indices(images.begin(), images.end());
  std::vector<ExportDescription> result;
  for (const ExportDescription& wanted : description ? *description : NamesFrom(images)) {
    ExportMerger merger(wanted.name);
    if (description) merger.TakeDescription(wanted, Quoted(description_path));
    for (const KernelIndex& index : indices) {
      const ImageReflection& image = index.image();
      const std::string& symbol = wanted.SymbolIn(image.format);
      // Records tell of kernels; other functions may lie beside them.
      if (wanted.signature && image.format == HAL_EXECUTABLE_FORMAT_HOST_SHARED_OBJECT) continue;
      const ReflectedKernel* const kernel = index.Find(symbol);
      if (!kernel) FailLacking(image, symbol, description ? description_path : images.front().origin);
      merger.TakeImage(*kernel, Quoted(image.origin));
    }
    result.push_back(merger.Finish());
  }
  return result;
}

}  // namespace halyard::tools
