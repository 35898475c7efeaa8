// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image/reflection/nvidia/ptx_link.h"

#include <algorithm>
#include <array>

#include "base/round_up.h"
#include "image/halx/container_contents.h"

namespace halyard {
namespace {

bool IsOfDriver(std::string_view function) {
  constexpr std::array<std::string_view, 4> kNames = {"vprintf", "malloc", "free", "__assertfail"};
  constexpr std::array<std::string_view, 3> kBeginnings = {"cuda", "__cuda", "__nv_"};
  return std::find(kNames.begin(), kNames.end(), function) != kNames.end() ||
         std::any_of(kBeginnings.begin(), kBeginnings.end(),
                     [&](std::string_view beginning) { return function.starts_with(beginning); });
}

class Linker {
 public:
  Linker(const HostVector<PtxFunction>& functions, const PtxSymbols& symbols, ReadingBudget* budget, PtxKernel* kernel)
      : functions_(functions), symbols_(symbols), budget_(*budget), kernel_(*kernel) {}

  Status Link() {
    Reach(kernel_.function);
    while (!left_.empty()) {
      const size_t function = left_.back();
      left_.pop_back();
      HAL_TRY(Visit(function));
    }
    return AddShared();
  }

 private:
  void Reach(size_t function) {
    if (reached_.try_emplace(function, true).second) left_.push_back(function);
  }

  Status Visit(size_t index) {
    constexpr size_t kSteps = 4;  // for each name that is looked up
    const PtxFunction& function = functions_[index];
    HAL_TRY(budget_.Take(kSteps * (1 + function.mentioned.size() + function.shared.size())));
    if (function.asks_for_grid) kernel_.reflected.is_cooperative = true;
    for (const auto& [name, symbol] : function.shared) shared_[{name, index}] = symbol;
    for (const auto& [name, symbol] : function.mentioned) HAL_TRY(Mention(name, symbol));
    return kOk;
  }

  Status Mention(std::string_view name, const PtxSymbol& symbol) {
    switch (symbol.kind) {
      case PtxSymbol::Kind::kShared:
        shared_[{name, PtxSymbol::kUndefined}] = symbol;
        return kOk;
      case PtxSymbol::Kind::kDynamicShared:
        kernel_.reflected.uses_dynamic_local_memory = true;
        return kOk;
      case PtxSymbol::Kind::kFunction:  // whose body may have come later
        return Call(name, symbols_.find(name)->second.function);
    }
    return kOk;
  }

  Status Call(std::string_view name, size_t function) {
    if (function != PtxSymbol::kUndefined) {
      Reach(function);
      return kOk;
    }
    HostString& obstacle = kernel_.reflected.obstacle;
    if (!obstacle.empty() || IsOfDriver(name)) return kOk;
    HAL_TRY(budget_.Take(name.size()));
    obstacle = "it calls '" + HostString(name) + "', which the image does not define";
    return kOk;
  }

  Status AddShared() {
    uint64_t end = 0;
    for (const auto& [name, variable] : shared_) end = RoundUp(end, variable.alignment) + variable.size;
    if (end > ContainerLimits::kLocalMemorySize) {
      return Fail(HAL_STATUS_DATA_LOSS, "kernel '%s': its .shared variables have more than 1 GiB",
                  kernel_.reflected.name.c_str());
    }
    kernel_.reflected.local_memory_size = static_cast<uint32_t>(end);
    return kOk;
  }

  const HostVector<PtxFunction>& functions_;
  const PtxSymbols& symbols_;
  ReadingBudget& budget_;
  PtxKernel& kernel_;
  HostMap<size_t, bool> reached_;
  HostVector<size_t> left_;                                         // whose mentions have not been followed yet
  HostMap<std::pair<std::string_view, size_t>, PtxSymbol> shared_;  // by name, and by the function that declares it
};

}  // namespace

Status LinkPtxKernel(const HostVector<PtxFunction>& functions, const PtxSymbols& symbols, ReadingBudget* budget,
                     PtxKernel* kernel) {
  return Linker(functions, symbols, budget, kernel).Link();
}

}  // namespace halyard
