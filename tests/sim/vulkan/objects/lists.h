// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vulkan's way of returning lists: the caller asks for the count first, and for the elements next.
#ifndef HALYARD_TESTS_SIM_VULKAN_LISTS_H_
#define HALYARD_TESTS_SIM_VULKAN_LISTS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "vulkan/vulkan_api.h"

namespace halyard::vulkan_sim {

/// Answers a caller. `assign` copies one element to the caller's.
template <typename Element, typename Target, typename Assign>
VkResult AnswerList(const std::vector<Element>& all, uint32_t* count, Target* target, Assign assign) {
  const auto size = static_cast<uint32_t>(all.size());
  if (target == nullptr) {
    *count = size;
    return VK_SUCCESS;
  }
  *count = std::min(*count, size);
  for (uint32_t i = 0; i < *count; ++i) assign(all[i], target[i]);
  return *count < size ? VK_INCOMPLETE : VK_SUCCESS;
}

template <typename Element>
VkResult AnswerList(const std::vector<Element>& all, uint32_t* count, Element* target) {
  return AnswerList(all, count, target, [](const Element& from, Element& to) { to = from; });
}

/// Asks the real library by `ask(count, elements)`, which returns a VkResult.
template <typename Element, typename Ask>
VkResult AskForList(Ask ask, std::vector<Element>& all) {
  uint32_t count = 0;
  const VkResult counted = ask(&count, nullptr);
  if (counted != VK_SUCCESS) return counted;
  all.resize(count);
  const VkResult result = ask(&count, all.data());
  all.resize(count);
  return result;
}

}  // namespace halyard::vulkan_sim

#endif  // HALYARD_TESTS_SIM_VULKAN_LISTS_H_
