// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir_passes.h"

#include <algorithm>
#include <array>
#include <set>

#include "support/failure.h"
#include "support/functions/mlir_reader.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

// Of names that stand for the same in different versions, the first that there is. A pass that only some modules need
// runs if their text has a word, or as the names below say. Options that a version does not list are left out.
struct Pass {
  const char* name;
  const char* older = nullptr;
  const char* needed_by = nullptr;
  const char* options = "";
};

constexpr const char* kSparse = "sparse_tensor.";
constexpr const char* kTensor = "";      // values that are tensors, none of them sparse
constexpr const char* kFreeable = "\n";  // tensors of both kinds, of which the passes can free what is not returned

constexpr Pass kBefore[] = {
    {"--shape-to-shape-lowering", nullptr, "shape."},
    {"--convert-shape-to-std", nullptr, "shape."},
    {"--linalg-generalize-named-ops", nullptr, kSparse},
    {"--linalg-fuse-elementwise-ops", nullptr, kSparse},
    {"--sparsification-and-bufferization", nullptr, kSparse},
    {"--canonicalize", nullptr, kSparse},
    {"--sparse-storage-specifier-to-llvm", nullptr, kSparse},
    {"--canonicalize", nullptr, kSparse},
    {"--convert-elementwise-to-linalg", nullptr, kTensor},
    {"--convert-tensor-to-linalg", nullptr, kTensor},
    {"--eliminate-empty-tensors", nullptr, kTensor},
    {"--empty-tensor-to-alloc-tensor", nullptr, kTensor},
    {"--one-shot-bufferize", nullptr, kTensor,
     "=bufferize-function-boundaries=1 function-boundary-type-conversion=identity-layout-map allow-return-allocs=1 "
     "create-deallocs=0"},
    {"--buffer-deallocation-pipeline", "--buffer-deallocation", kFreeable},
    {"--convert-bufferization-to-memref", nullptr, kTensor},
};

constexpr Pass kLowering[] = {
    {"--async-to-async-runtime", nullptr, "async."},
    {"--async-runtime-ref-counting", nullptr, "async."},
    {"--async-runtime-ref-counting-opt", nullptr, "async."},
    {"--convert-linalg-to-loops"},
    {"--lower-affine"},
    {"--scf-forall-to-for", nullptr, "scf.forall"},
    {"--lower-vector-multi-reduction", "--test-vector-multi-reduction-lowering-patterns", "vector.multi_reduction"},
    {"--convert-vector-to-scf"},
    {"--expand-realloc", nullptr, "memref.realloc"},
    {"--expand-strided-metadata"},
    {"--lower-affine"},
    {"--arith-expand"},
    {"--convert-complex-to-standard"},
    {"--convert-math-to-funcs", nullptr, "powi\"", "=convert-ctlz=0"},
    {"--convert-bufferization-to-memref", nullptr, "bufferization."},
    {"--convert-async-to-llvm", nullptr, "async."},
    {"--convert-openmp-to-llvm", nullptr, "omp."},
    {"--convert-scf-to-cf"},
    {"--convert-complex-to-llvm"},
    {"--convert-math-to-llvm"},
    {"--convert-math-to-libm"},
    {"--convert-vector-to-llvm"},
    {"--convert-arith-to-llvm"},
    {"--convert-index-to-llvm"},
    {"--convert-ub-to-llvm"},
    {"--finalize-memref-to-llvm", "--convert-memref-to-llvm"},
    {"--convert-func-to-llvm"},
    {"--convert-cf-to-llvm"},
    {kReconcileCasts},
};
constexpr std::string_view kConvertsFunctions = "--convert-func-to-llvm";

// What lowers operations of dialects; the longest beginning counts.
struct Advice {
  std::string_view operation;
  std::string_view pass;
};
constexpr Advice kAdvice[] = {
    {"affine.", "--lower-affine"},
    {"amx.", "--convert-vector-to-llvm=enable-amx"},
    {"arith.", "--convert-arith-to-llvm"},
    {"async.", "--convert-async-to-llvm"},
    {"bufferization.", "--convert-bufferization-to-memref"},
    {"cf.", "--convert-cf-to-llvm"},
    {"complex.", "--convert-complex-to-standard"},
    {"func.", "--convert-func-to-llvm"},
    {"gpu.", "--gpu-to-llvm"},
    {"index.", "--convert-index-to-llvm"},
    {"linalg.", "--convert-linalg-to-loops"},
    {"math.", "--convert-math-to-libm"},
    {"memref.", "--finalize-memref-to-llvm"},
    {"scf.", "--convert-scf-to-cf"},
    {"scf.forall", "--scf-forall-to-for"},
    {"shape.", "--convert-shape-to-std"},
    {"sparse_tensor.", "--sparsification-and-bufferization"},
    {"spirv.", "--convert-spirv-to-llvm"},
    {"tensor.", "--one-shot-bufferize"},
    {"tosa.", "--tosa-to-linalg-pipeline"},
    {"ub.", "--convert-ub-to-llvm"},
    {"vector.", "--convert-vector-to-llvm"},
    {"vector.multi_reduction", "--lower-vector-multi-reduction"},
    {"x86vector.", "--convert-vector-to-llvm=enable-x86vector"},
};

// Whether the help of mlir-opt lists an option.
bool Lists(std::string_view help, std::string_view option) {
  for (size_t at = help.find(option); at != std::string_view::npos; at = help.find(option, at + 1)) {
    const char next = at + option.size() < help.size() ? help[at + option.size()] : ' ';
    if (next == ' ' || next == '=' || next == '\n') return true;
  }
  return false;
}

// Constants of memref.global are written as tensors, too: "dense<0.0> : tensor<4xf32>".
bool HasTensors(std::string_view generic) {
  return std::ranges::any_of(std::array<std::string_view, 3>{"(tensor<", "-> tensor<", ", tensor<"},
                             [&](std::string_view text) { return generic.find(text) != std::string_view::npos; });
}

// The types of a module's own functions name memrefs among their results.
bool ReturnsMemrefs(std::string_view generic) {
  constexpr std::string_view kType = "function_type = ";
  for (size_t at = generic.find(kType); at != std::string_view::npos; at = generic.find(kType, at + 1)) {
    std::string_view type = generic.substr(at + kType.size());
    type = type.substr(0, type.find('\n'));
    const size_t arrow = type.find(" -> ");
    if (arrow == std::string_view::npos) continue;
    MlirReader results(type.substr(arrow + 4));
    const std::string_view text = results.Sees("(") ? results.Balanced() : type.substr(arrow + 4, 7);
    if (text.find("memref<") != std::string_view::npos) return true;
  }
  return false;
}

// "=a=1 b=2" with the options that the help lists; empty without any.
std::string KnownOptions(std::string_view help, std::string_view options) {
  std::string known;
  while (!options.empty()) {
    options.remove_prefix(1);  // the "=" or the space before it
    const std::string_view option = options.substr(0, options.find(' '));
    options.remove_prefix(option.size());
    if (!Lists(help, Concat("--", option.substr(0, option.find('='))))) continue;
    known += Concat(known.empty() ? "=" : " ", option);
  }
  return known;
}

bool IsNeeded(const Pass& pass, std::string_view generic) {
  if (!pass.needed_by) return true;
  const auto has = [&](const char* text) { return generic.find(text) != std::string_view::npos; };
  if (pass.needed_by == kTensor) return HasTensors(generic) && !has(kSparse);
  if (pass.needed_by == kFreeable) return HasTensors(generic) && !LeavesTensorsAllocated(generic);
  return has(pass.needed_by);
}

template <size_t Count>
std::vector<std::string> Choose(const Pass (&passes)[Count], std::string_view help, std::string_view generic) {
  std::vector<std::string> chosen;
  for (const Pass& pass : passes) {
    if (!IsNeeded(pass, generic)) continue;
    const std::string name = Lists(help, pass.name) || !pass.older ? pass.name : pass.older;
    if (Lists(help, name)) chosen.push_back(name + KnownOptions(help, pass.options));
  }
  return chosen;
}

// Dialects that mlir-translate takes.
bool IsTranslated(std::string_view operation) {
  return operation.starts_with("llvm.") || operation == "builtin.module" || operation.starts_with("omp.");
}

// The names of a module's operations: strings that stand before a "(".
std::set<std::string> OperationNames(std::string_view generic) {
  std::set<std::string> names;
  MlirReader reader(generic);
  while (!reader.AtEnd()) {
    if (!reader.Sees("\"")) {
      reader.Skip();
      continue;
    }
    std::string text = reader.String();
    if (reader.Sees("(") && text.find('.') != std::string::npos) names.insert(std::move(text));
  }
  return names;
}

std::string AdviceOn(std::string_view help, std::string_view operation) {
  const Advice* best = nullptr;
  for (const Advice& advice : kAdvice) {
    if (operation.starts_with(advice.operation) && (!best || advice.operation.size() > best->operation.size())) {
      best = &advice;
    }
  }
  if (!best) return "no pass of mlir-opt is known to lower it";
  if (Lists(help, best->pass.substr(0, best->pass.find('=')))) {
    return Concat(best->pass, " lowers this dialect, but not this use of it");
  }
  return Concat(best->pass, " would help, which this version has not");
}

}  // namespace

bool LeavesTensorsAllocated(std::string_view generic) {
  const auto has = [&](std::string_view text) { return generic.find(text) != std::string_view::npos; };
  if (!HasTensors(generic)) return false;
  return has("\"memref.dealloc\"") || has("\"bufferization.dealloc_tensor\"") || ReturnsMemrefs(generic);
}

MlirPasses DefaultMlirPasses(std::string_view help, std::string_view generic, bool bare_pointers) {
  MlirPasses passes = {Choose(kBefore, help, generic), Choose(kLowering, help, generic)};
  for (std::string& pass : passes.lowering) {
    if (bare_pointers && pass == kConvertsFunctions) pass += "=use-bare-ptr-memref-call-conv=1";
  }
  return passes;
}

MlirPasses SplitMlirPasses(const std::vector<std::string>& passes) {
  const auto middle =
      std::ranges::find_if(passes, [](const std::string& pass) { return pass.starts_with(kConvertsFunctions); });
  if (middle == passes.end()) return {{}, passes};
  return {{passes.begin(), middle}, {middle, passes.end()}};
}

std::string MissingPassesText(std::string_view help, std::string_view generic, std::string_view failure) {
  std::string text;
  // Version 16 keeps the type where the LLVM dialect has none.
  if (failure.find("!llvm.ptr<f8E") != std::string_view::npos) {
    text += Concat("\n", kNoPassForF8);
  }
  const auto add = [&](const Pass& pass) {
    if (!pass.needed_by || pass.needed_by == kTensor || pass.needed_by == kFreeable) return;
    if (!IsNeeded(pass, generic) || Lists(help, pass.name) || (pass.older && Lists(help, pass.older))) return;
    text +=
        Concat("\nthis version of mlir-opt has no ", pass.name, ", which '", pass.needed_by, "' in the module needs");
  };
  std::ranges::for_each(kBefore, add);
  std::ranges::for_each(kLowering, add);
  return text;
}

std::string UnloweredText(std::string_view help, std::string_view lowered) {
  std::string text;
  for (const std::string& name : OperationNames(lowered)) {
    if (IsTranslated(name) || name == "builtin.unrealized_conversion_cast") continue;
    text += Concat(text.empty() ? "" : "\n", "'", name, "' is left over: ", AdviceOn(help, name));
  }
  if (text.empty() && lowered.find("\"builtin.unrealized_conversion_cast\"") != std::string_view::npos) {
    text = "casts between types are left over; --reconcile-unrealized-casts must be the last pass, and no pass missing";
  }
  return text;
}

}  // namespace halyard::tools
