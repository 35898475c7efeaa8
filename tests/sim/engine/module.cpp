// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/module.h"

#include <algorithm>
#include <utility>

#include "engine/runtime.h"

namespace halyard::sim {
namespace {

bool Agree(const Entry& entry, const KernelCode& code, std::string* why) {
  bool same = entry.parameters.size() == code.parameters.size();
  for (size_t i = 0; same && i < code.parameters.size(); ++i) {
    same = entry.parameters[i].size == code.parameters[i].size;
  }
  if (!same) *why = "the parameters of '" + entry.name + "' are not those of its host code";
  return same;
}

std::shared_ptr<Function> MakeFunction(const std::shared_ptr<Module>& module, const KernelCode& code, Entry entry) {
  const Limits& limits = module->context->device.limits;
  const auto function = std::make_shared<Function>();
  function->module = module;
  function->context = module->context;
  function->code = &code;
  const std::array<uint32_t, 3>& required = entry.required_block;
  const uint32_t most = required[0] != 0 ? required[0] * required[1] * required[2] : entry.threads_per_block;
  function->threads_per_block = most == 0 ? limits.threads_per_block : std::min(most, limits.threads_per_block);
  function->dynamic_shared = limits.shared_memory - std::min(limits.shared_memory, code.local_memory);
  function->entry = std::move(entry);
  return function;
}

}  // namespace

std::shared_ptr<Module> MakeModule(const std::shared_ptr<Context>& context, std::shared_ptr<const HostCode> code,
                                   std::vector<Entry> entries, std::string* why) {
  const auto module = std::make_shared<Module>();
  module->context = context;
  module->code = std::move(code);
  for (Entry& entry : entries) {
    const KernelCode* kernel = module->code->Find(entry.name);
    if (kernel == nullptr) {
      *why = "there is no host code of '" + entry.name + "'";
      return nullptr;
    }
    if (!Agree(entry, *kernel, why)) return nullptr;
    const std::string name = entry.name;
    module->functions[name] = Runtime::Get().Keep(MakeFunction(module, *kernel, std::move(entry)));
  }
  return module;
}

}  // namespace halyard::sim
