// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules for arguments, each stated once: what must hold, and what says that it does not.
//
// A call looks at all rules of a list in one expression without a call, as all of them hold in nearly every call. Only
// if one does not, RefuseFirst() walks the same list.
#ifndef HALYARD_BASE_RULES_H_
#define HALYARD_BASE_RULES_H_

#include <cstddef>
#include <iterator>
#include <utility>

#include "base/status.h"

namespace halyard {

/// A rule for what a `Look` refers to, which is a small struct of references. A rule may rely on those before it in its
/// list. `Names` is what a message takes in addition.
template <class Look, class... Names>
struct Rule {
  bool (*holds)(const Look& look);
  Status (*refuse)(const Look& look, const Names&... names);
};

/// Whether all rules of a constexpr list hold.
template <auto& kRules, class Look>
[[gnu::always_inline]] inline bool AllHold(const Look& look) {
  return [&]<size_t... kIndices>(std::index_sequence<kIndices...>) __attribute__((always_inline)) {
    return (kRules[kIndices].holds(look) && ...);
  }
  (std::make_index_sequence<std::size(kRules)>());
}

/// The refusal of the first rule that does not hold; kOk if all do. The refusal may be kOk, where `holds` is a quick
/// look that does not see all that is right. A caller for which AllHold() mostly does makes another `look` for it in a
/// cold function, so that its own stays in registers.
template <auto& kRules, class Look, class... Names>
Status RefuseFirst(const Look& look, const Names&... names) {
  for (const auto& rule : kRules) {
    if (!rule.holds(look)) HAL_TRY(rule.refuse(look, names...));
  }
  return kOk;
}

}  // namespace halyard

#endif  // HALYARD_BASE_RULES_H_
