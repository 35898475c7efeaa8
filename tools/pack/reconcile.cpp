// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reconcile.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "export_merger.h"
#include "notes.h"
#include "support/failure.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

std::string QuotedPath(const std::string& path) { return "'" + path + "'"; }

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
  Fail(ExitCode::kInput, QuotedPath(image.origin), " has no kernel '", symbol, "', which ", QuotedPath(owner), " has; ",
       SuggestionText(symbol, CallableNames(image)), "; --partial lets a kind of device lack exports");
}

// Why kernels cannot be called, by their names. Machine code tells less of that than other images of the same source.
std::unordered_map<std::string_view, std::string> ObstaclesOf(const std::vector<ImageReflection>& images) {
  std::unordered_map<std::string_view, std::string> obstacles;
  for (const ImageReflection& image : images) {
    for (const ReflectedKernel& kernel : image.kernels) {
      if (!kernel.obstacle.empty())
        obstacles.emplace(kernel.name, Concat(QuotedPath(image.origin), ": ", kernel.obstacle));
    }
  }
  return obstacles;
}

[[noreturn]] void FailWithoutKernels(const ImageReflection& first, const std::vector<std::string>& left_out) {
  constexpr size_t kMostNamed = 16;
  std::string reasons;
  for (size_t i = 0; i < left_out.size() && i < kMostNamed; ++i) reasons += "\n" + left_out[i];
  if (left_out.size() > kMostNamed) reasons += Concat("\nand ", left_out.size() - kMostNamed, " more");
  Fail(ExitCode::kInput, QuotedPath(first.origin), " has no kernel that can be called", reasons);
}

// The exports of a file without description: all kernels that the images tell, in their order.
std::vector<ExportDescription> NamesFrom(const std::vector<ImageReflection>& images,
                                         std::vector<std::string>* left_out) {
  const auto obstacles = ObstaclesOf(images);
  std::vector<ExportDescription> exports;
  std::unordered_set<std::string_view> known;
  for (const ImageReflection& image : images) {
    for (const ReflectedKernel& kernel : image.kernels) {
      if (!known.insert(kernel.name).second) continue;
      const auto obstacle = obstacles.find(kernel.name);
      if (obstacle == obstacles.end()) {
        exports.emplace_back().name = kernel.name;
      } else {
        left_out->push_back(
            Concat(QuotedName(kernel.name), " is left out, as it cannot be called; ", obstacle->second));
      }
    }
  }
  if (exports.empty()) FailWithoutKernels(images.front(), *left_out);
  return exports;
}

// Images for one kind of device.
bool SameKind(const ImageReflection& a, const ImageReflection& b) {
  return a.format == b.format && a.target == b.target;
}

std::string KindText(const ImageReflection& image) {
  return Concat(image.format, image.target.empty() ? "" : " for ", image.target);
}

class Reconciler {
 public:
  Reconciler(const std::vector<ImageReflection>& images, const std::string* description_path, bool partial)
      : indices_(images.begin(), images.end()), description_path_(description_path), partial_(partial) {
    result_.kernels.resize(images.size());
  }

  void Add(const ExportDescription& wanted) {
    ExportMerger merger(wanted.name);
    if (description_path_) merger.TakeDescription(wanted, QuotedPath(*description_path_));
    std::vector<const ReflectedKernel*> found;
    for (const KernelIndex& index : indices_) found.push_back(index.Find(wanted.SymbolIn(index.image().format)));
    if (!wanted.signature) CheckKinds(wanted, found);  // records tell of kernels; functions may lie beside them
    for (size_t i = 0; i < found.size(); ++i) {
      if (found[i]) merger.TakeImage(*found[i], QuotedPath(indices_[i].image().origin));
      result_.kernels[i].push_back(found[i]);
    }
    result_.exports.push_back(merger.Finish());
  }

  Reconciliation Finish() { return std::move(result_); }

 private:
  // Each kind of device has the export once.
  void CheckKinds(const ExportDescription& wanted, const std::vector<const ReflectedKernel*>& found) const {
    for (size_t i = 0; i < found.size(); ++i) {
      if (!found[i]) {
        CheckElsewhere(wanted, found, i);
        continue;
      }
      for (size_t other = 0; other < i; ++other) CheckOnce(wanted, found, other, i);
    }
  }

  void CheckElsewhere(const ExportDescription& wanted, const std::vector<const ReflectedKernel*>& found,
                      size_t lacking) const {
    const ImageReflection& image = indices_[lacking].image();
    if (partial_) return;
    for (size_t i = 0; i < found.size(); ++i) {
      if (found[i] && SameKind(image, indices_[i].image())) return;
    }
    const auto owner = std::ranges::find_if(found, [](const ReflectedKernel* kernel) { return kernel != nullptr; });
    const std::string& has =
        description_path_ ? *description_path_ : indices_[static_cast<size_t>(owner - found.begin())].image().origin;
    FailLacking(image, wanted.SymbolIn(image.format), has);
  }

  void CheckOnce(const ExportDescription& wanted, const std::vector<const ReflectedKernel*>& found, size_t first,
                 size_t second) const {
    const ImageReflection& a = indices_[first].image();
    const ImageReflection& b = indices_[second].image();
    if (!found[first] || !SameKind(a, b) || a.isa_version != b.isa_version) return;
    Fail(ExitCode::kInput, "kernel '", wanted.SymbolIn(a.format), "' is in ", QuotedPath(a.origin), " and in ",
         QuotedPath(b.origin), ", both ", KindText(a));
  }

  const std::vector<KernelIndex> indices_;
  const std::string* const description_path_;  // NULL without a description
  const bool partial_;
  Reconciliation result_;
};

}  // namespace

Reconciliation ReconcileExports(const std::vector<ExportDescription>* description, const std::string& description_path,
                                const std::vector<ImageReflection>& images, bool partial) {
  Reconciler reconciler(images, description ? &description_path : nullptr, partial);
  std::vector<std::string> left_out;
  for (const ExportDescription& wanted : description ? *description : NamesFrom(images, &left_out)) {
    reconciler.Add(wanted);
  }
  Reconciliation result = reconciler.Finish();
  result.left_out = std::move(left_out);
  return result;
}

}  // namespace halyard::tools
