// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every listed function does before and after its work: it is counted, may fail by plan, refuses destroyed
// handles, watches threads, and keeps the list of objects. All of this follows from the types of the parameters.
#ifndef HALYARD_TESTS_SIM_VULKAN_ENTRY_H_
#define HALYARD_TESTS_SIM_VULKAN_ENTRY_H_

#include <optional>
#include <tuple>
#include <type_traits>

#include "vulkan/device/device.h"
#include "vulkan/device/physical_device.h"
#include "vulkan/objects/objects.h"
#include "vulkan/queue/records.h"
#include "vulkan/rules/exclusive_arguments.h"
#include "vulkan/rules/in_use.h"
#include "vulkan/rules/needs.h"

namespace halyard::vulkan_sim {

/// A real handle in place of a pretended one.
template <typename Type>
Type RealArgument(Type argument) {
  if constexpr (std::is_same_v<Type, VkPhysicalDevice>) return RealHandle(argument);
  if constexpr (std::is_same_v<Type, VkQueue>) return RealHandle(argument);
  return argument;
}

template <typename Type>
bool MayUseArgument([[maybe_unused]] const char* call, [[maybe_unused]] Type argument) {
  if constexpr (HandleType<Type>) return MayUse(call, Handle(argument));
  return true;
}

/// Notes what a recorded command uses.
template <typename Type>
void NoteUse([[maybe_unused]] VkCommandBuffer commands, [[maybe_unused]] Type argument) {
  if constexpr (HandleType<Type> && !std::is_same_v<Type, VkCommandBuffer>) {
    if (argument != VK_NULL_HANDLE) Needs::The().Add(Handle(commands), Handle(argument));
  }
}

template <typename Pointer>
struct Entry;

template <typename Result, typename... Arguments>
struct Entry<Result (*)(Arguments...)> {
  using First = std::tuple_element_t<0, std::tuple<Arguments..., void>>;
  using Last = std::tuple_element_t<sizeof...(Arguments) - 1, std::tuple<Arguments...>>;
  // vkCreate…(parent, info, allocator, &object) and vkDestroy…(parent, object, allocator); memory has the same.
  static constexpr bool kCreates = sizeof...(Arguments) == 4 && std::is_pointer_v<Last> &&
                                   HandleType<std::remove_pointer_t<Last>> && std::is_same_v<Result, VkResult>;
  static constexpr bool kDestroys =
      sizeof...(Arguments) == 3 && std::is_same_v<Last, const VkAllocationCallbacks*> && std::is_void_v<Result>;

  template <const auto& real>
  static Result CallReal(Arguments... arguments) {
    return real(RealArgument(arguments)...);
  }

  template <const auto& real, Result (*work)(Arguments...), bool is_exclusive>
  static Result VKAPI_CALL Call(Arguments... arguments) {
    const sim::CallsInside::Visit visit(TheRecords().inside_calls, real.name);
    if constexpr (std::is_same_v<Result, VkResult>) {
      if (const std::optional<int> planned = TheRecords().faults.Count(real.name)) {
        if (*planned == VK_ERROR_DEVICE_LOST) LoseAfterCall(std::get<0>(std::tie(arguments...)));
        return static_cast<VkResult>(*planned);
      }
    } else {
      TheRecords().faults.CountVoid(real.name);
    }
    if (!(MayUseArgument(real.name, arguments) && ...)) return Refusal();
    Exclusive exclusive(real.name);
    if constexpr (is_exclusive) {
      (UseArgument(exclusive, arguments), ...);
      UseOfFunction(exclusive, arguments...);
    }
    const auto all = std::tie(arguments...);
    if constexpr (kDestroys) exclusive.Use(Handle(std::get<1>(all)));
    RunInside(real.name);
    if (!exclusive.IsEmpty()) Linger();
    if constexpr (kDestroys) {
      Remove(real.name, std::get<0>(all), std::get<1>(all));
      exclusive.End(Handle(std::get<1>(all)));
    }
    if constexpr (std::is_same_v<First, VkCommandBuffer>) (NoteUse(std::get<0>(all), arguments), ...);
    if constexpr (kCreates) {
      const VkResult result = work(arguments...);
      if (result == VK_SUCCESS) Objects::The().Add(Handle(*std::get<3>(all)), Handle(std::get<0>(all)));
      return result;
    } else {
      return work(arguments...);
    }
  }

 private:
  static Result Refusal() {
    if constexpr (std::is_same_v<Result, VkResult>) {
      return VK_ERROR_UNKNOWN;
    } else {
      return Result();
    }
  }

  // Before the object is destroyed: another thread may get its handle right afterwards.
  template <typename Parent, typename Object>
  static void Remove(const char* call, Parent parent, Object object) {
    if (object == VK_NULL_HANDLE) return;
    if constexpr (std::is_same_v<Parent, VkDevice>) ReportIfInUse(call, parent, Handle(object));
    Needs::The().Forget(Handle(object));
    Objects::The().Remove(Handle(object));
  }
};

}  // namespace halyard::vulkan_sim

#endif  // HALYARD_TESTS_SIM_VULKAN_ENTRY_H_
