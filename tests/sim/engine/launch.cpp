// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "engine/module.h"
#include "engine/runtime.h"

namespace halyard::sim {
namespace {

// What the workgroups of a launch get, in the workgroup ABI of halyard/local_kernel.h.
struct Bound {
  std::vector<void*> bindings;
  std::vector<uint64_t> lengths;        // bytes
  std::vector<std::max_align_t> words;  // the constants, well aligned
  hal_local_dispatch_t dispatch = {};
};

Error Complain(const Launch& launch, Error error, const std::string& text) {
  Runtime::Get().reports.Add(Rule::kLaunchLimits, "launch of '" + launch.function->entry.name + "': " + text);
  return error;
}

Error CheckDimension(const Launch& launch, size_t i) {
  const Limits& limits = launch.function->context->device.limits;
  const std::string axis(1, "xyz"[i]);
  const uint32_t grid = launch.grid[i];
  const uint32_t block = launch.block[i];
  if (grid == 0 || grid > limits.grid[i]) {
    return Complain(launch, grid == 0 ? Error::kInvalidValue : Error::kInvalidGrid,
                    std::to_string(grid) + " blocks in " + axis + ", of 1 to " + std::to_string(limits.grid[i]));
  }
  if (block == 0 || block > limits.block[i]) {
    return Complain(
        launch, block == 0 ? Error::kInvalidValue : Error::kInvalidGrid,
        std::to_string(block) + " threads in " + axis + " of a block, of 1 to " + std::to_string(limits.block[i]));
  }
  if (const uint64_t most = Runtime::Get().rules.most_items; uint64_t{grid} * block > most) {
    return Complain(
        launch, Error::kInvalidGrid,
        std::to_string(uint64_t{grid} * block) + " threads in " + axis + ", of at most " + std::to_string(most));
  }
  return Error::kSuccess;
}

Error CheckBlock(const Launch& launch) {
  const Function& function = *launch.function;
  const uint64_t threads = uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  if (threads > function.threads_per_block) {
    return Complain(
        launch, Error::kTooManyThreads,
        std::to_string(threads) + " threads in a block, of at most " + std::to_string(function.threads_per_block));
  }
  const bool required = function.entry.required_block[0] != 0;
  if (required && launch.block != function.entry.required_block) {
    return Complain(launch, Error::kInvalidValue, "not the required block size");
  }
  if (launch.dynamic_shared > function.dynamic_shared) {
    return Complain(launch, Error::kInvalidValue,
                    std::to_string(launch.dynamic_shared) + " bytes of dynamic shared memory, of at most " +
                        std::to_string(function.dynamic_shared));
  }
  return Error::kSuccess;
}

Error BindAddress(const Launch& launch, const Context& context, uint64_t address, uint32_t place, Bound* bound) {
  const std::string what = "binding " + std::to_string(place) + " of '" + launch.function->entry.name + "'";
  const Memory& memory = Runtime::Get().memory;
  bound->bindings[place] = reinterpret_cast<void*>(address);
  if (address == 0) return Error::kSuccess;
  const Error error = memory.Check({address, 1, false, true, what.c_str()}, context);
  if (error != Error::kSuccess) return error;
  const auto allocation = memory.Find(address);
  bound->lengths[place] = allocation->size - (address - allocation->base);
  return Error::kSuccess;
}

Error Bind(const Launch& launch, const Context& context, Bound* bound) {
  const KernelCode& code = *launch.function->code;
  bound->bindings.resize(code.binding_count);
  bound->lengths.resize(code.binding_count);
  bound->words.resize(code.constants_size / sizeof(std::max_align_t) + 1);
  for (size_t i = 0; i < code.parameters.size(); ++i) {
    const KernelParameter& parameter = code.parameters[i];
    const std::byte* argument = launch.arguments.data() + launch.function->entry.parameters[i].offset;
    if (!parameter.is_binding) {
      std::memcpy(reinterpret_cast<std::byte*>(bound->words.data()) + parameter.place, argument, parameter.size);
      continue;
    }
    uint64_t address = 0;
    std::memcpy(&address, argument, sizeof(address));
    const Error error = BindAddress(launch, context, address, parameter.place, bound);
    if (error != Error::kSuccess) return error;
  }
  bound->dispatch.abi_version = HAL_LOCAL_KERNEL_ABI_VERSION;
  bound->dispatch.binding_count = code.binding_count;
  std::ranges::copy(launch.grid, bound->dispatch.workgroup_count);
  std::ranges::copy(launch.block, bound->dispatch.workgroup_size);
  bound->dispatch.constants = bound->words.data();
  bound->dispatch.constants_size = code.constants_size;
  bound->dispatch.bindings = bound->bindings.data();
  bound->dispatch.binding_lengths = bound->lengths.data();
  return Error::kSuccess;
}

// All blocks, beginning with any: programs may not count on an order. Holds no lock.
Error RunBlocks(const Launch& launch, const Bound& bound, uint64_t first) {
  const KernelCode& code = *launch.function->code;
  const uint32_t local_size = code.local_memory + launch.dynamic_shared;
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::vector<Line> local(local_size / sizeof(Line) + 1);
  const uint64_t count = uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t block = (first + i) % count;
    hal_local_workgroup_t workgroup = {};
    workgroup.id[0] = static_cast<uint32_t>(block % launch.grid[0]);
    workgroup.id[1] = static_cast<uint32_t>(block / launch.grid[0] % launch.grid[1]);
    workgroup.id[2] = static_cast<uint32_t>(block / launch.grid[0] / launch.grid[1]);
    workgroup.local_memory_size = local_size;
    workgroup.local_memory = local_size == 0 ? nullptr : local.data();
    if (code.run(&bound.dispatch, &workgroup) != 0) return Error::kLaunchFailed;
  }
  return Error::kSuccess;
}

// Whether this is the launch that a test wants to lose the device.
bool IsLastLaunch(Device& device) { return device.launches_before_loss != 0 && --device.launches_before_loss == 0; }

}  // namespace

Error CheckLaunch(const Launch& launch) {
  for (size_t i = 0; i < launch.grid.size(); ++i) {
    if (const Error error = CheckDimension(launch, i); error != Error::kSuccess) return error;
  }
  return CheckBlock(launch);
}

Work LaunchWork(Launch launch) {
  Work work;
  const KernelCode& code = *launch.function->code;
  for (size_t i = 0; i < code.parameters.size(); ++i) {
    if (!code.parameters[i].is_binding) continue;
    uintptr_t address = 0;
    std::memcpy(&address, launch.arguments.data() + launch.function->entry.parameters[i].offset, sizeof(address));
    work.addresses.push_back(address);
  }
  work.needs.push_back(launch.function->module.lock());
  work.run = [launch = std::move(launch)](Lock& lock, Context& context) {
    if (IsLastLaunch(context.device)) return context.device.loss;
    Bound bound;
    Error error = Bind(launch, context, &bound);
    if (error != Error::kSuccess) return error;
    const uint64_t first = Runtime::Get().chance.Below(launch.grid[0]);
    lock.unlock();
    error = RunBlocks(launch, bound, first);
    lock.lock();
    return error;
  };
  return work;
}

}  // namespace halyard::sim
