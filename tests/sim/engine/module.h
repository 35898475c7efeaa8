// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loaded images, their functions, and launches of those.
#ifndef HALYARD_TESTS_SIM_ENGINE_MODULE_H_
#define HALYARD_TESTS_SIM_ENGINE_MODULE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/completion.h"
#include "engine/device.h"
#include "engine/work.h"
#include "host_code/host_code.h"

namespace halyard::sim {

// What the image says of one kernel.
struct Entry {
  std::string name;
  std::vector<ParameterPlace> parameters;
  std::array<uint32_t, 3> required_block = {0, 0, 0};  // 0 in x if none is required
  uint32_t threads_per_block = 0;                      // the most; 0 if it does not say
};

struct Function;

struct Module : Needed {
  std::shared_ptr<Context> context;
  std::shared_ptr<const HostCode> code;
  std::map<std::string, std::shared_ptr<Function>> functions;  // by name
  std::vector<uintptr_t> variables;                            // that the program asked for
};

struct Function {
  size_t ArgumentSize() const {
    return entry.parameters.empty() ? 0 : entry.parameters.back().offset + entry.parameters.back().size;
  }

  std::weak_ptr<Module> module;
  std::shared_ptr<Context> context;
  const KernelCode* code = nullptr;
  Entry entry;
  uint32_t threads_per_block = 0;
  uint32_t dynamic_shared = 0;  // bytes, the most that a launch may ask for
};

// Makes a module whose kernels are `entries`; those that the host code does not have, or has otherwise, are an error.
std::shared_ptr<Module> MakeModule(const std::shared_ptr<Context>& context, std::shared_ptr<const HostCode> code,
                                   std::vector<Entry> entries, std::string* why);

struct Launch {
  std::shared_ptr<Function> function;
  std::array<uint32_t, 3> grid = {1, 1, 1};
  std::array<uint32_t, 3> block = {1, 1, 1};
  uint32_t dynamic_shared = 0;       // bytes
  std::vector<std::byte> arguments;  // laid out as the function's entry says
};

// kInvalidGrid, kTooManyThreads or kInvalidValue, with a report, if the launch exceeds what the function or its device
// can do.
Error CheckLaunch(const Launch& launch);
Work LaunchWork(Launch launch);

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_ENGINE_MODULE_H_
