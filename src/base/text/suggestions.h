// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names that are close to a misspelt one, for messages of things that were not found.
#ifndef HALYARD_BASE_TEXT_SUGGESTIONS_H_
#define HALYARD_BASE_TEXT_SUGGESTIONS_H_

#include <cstddef>
#include <span>
#include <string_view>

#include "base/host_memory.h"

namespace halyard {

/// How many letters must be added, dropped, replaced or swapped with a neighbour to turn `a` into `b`. Upper and lower
/// case are the same letter.
size_t EditDistance(std::string_view a, std::string_view b);

/// The names of `known` that lie near `wrong`, nearest first, at most three.
HostVector<std::string_view> SuggestNames(std::string_view wrong, std::span<const std::string_view> known);

/// The names as "local, null"; a long list is cut short with how many more there are.
HostString ListNames(std::span<const std::string_view> names);

/// The end of a message about a name that does not exist: "did you mean 'local'? known: local, null", or without the
/// question if nothing is near, or "there are none" if nothing is known. Use it as
/// `Fail(HAL_STATUS_NOT_FOUND, "no driver '%.*s'; %s", HALYARD_SV(name), SuggestionText(name, known).c_str())`.
HostString SuggestionText(std::string_view wrong, std::span<const std::string_view> known);

}  // namespace halyard

#endif  // HALYARD_BASE_TEXT_SUGGESTIONS_H_
