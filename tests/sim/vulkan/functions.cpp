// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/functions.h"

#include <algorithm>
#include <array>

#include "vulkan/entry.h"

namespace halyard::vulkan_sim {
namespace {

// The names of functions of extensions that became part of Vulkan end in these.
std::string_view WithoutVendor(std::string_view name) {
  for (const std::string_view suffix : {"KHR", "EXT"}) {
    if (name.ends_with(suffix)) return name.substr(0, name.size() - suffix.size());
  }
  return name;
}

const ListedFunction* Find(std::string_view name) {
  const auto all = ListedFunctions();
  const auto found = std::ranges::find(
      all, name, [](const ListedFunction& function) { return std::string_view(function.real->name); });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

std::span<const ListedFunction> ListedFunctions() {
#define ROW(function, work, is_exclusive)                               \
  ListedFunction{&real::function, reinterpret_cast<PFN_vkVoidFunction>( \
                                      &Entry<PFN_vk##function>::Call<real::function, work, is_exclusive>)},
#define PLAIN(function) ROW(function, Entry<PFN_vk##function>::CallReal<real::function>, true)
#define OWN(function) ROW(function, own::function, true)
#define SHARED(function) ROW(function, Entry<PFN_vk##function>::CallReal<real::function>, false)
  static const auto kRows = std::to_array<ListedFunction>({
#include "vulkan/functions.inc"
  });
#undef PLAIN
#undef OWN
#undef SHARED
#undef ROW
  return kRows;
}

PFN_vkVoidFunction OursFor(std::string_view name, PFN_vkVoidFunction found) {
  if (found == nullptr) return nullptr;
  const ListedFunction* function = Find(name);
  if (function == nullptr) function = Find(WithoutVendor(name));
  return function == nullptr || function->real->pointer == nullptr ? found : function->ours;
}

}  // namespace halyard::vulkan_sim
