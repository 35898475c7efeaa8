// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream_api/modules.h"

namespace halyard::sim {

std::shared_ptr<Function> FindFunction(const void* handle) { return Runtime::Get().functions.Find(handle); }

// The functions of a module, and the module's variables, go with it.
Error UnloadModule(const void* module, Lock& lock) {
  Runtime& runtime = Runtime::Get();
  const auto found = runtime.modules.Find(module);
  if (found == nullptr) return Error::kInvalidHandle;
  if (found->pending != 0) {
    runtime.reports.Add(Rule::kDestroyInUse, "a module was unloaded whose kernels were submitted");
    found->WaitUntilIdle(lock);
  }
  for (const auto& [name, function] : found->functions) runtime.functions.Remove(function.get());
  for (const uintptr_t variable : found->variables) {
    const auto allocation = runtime.memory.Find(variable);
    if (allocation != nullptr && allocation->kind == MemoryKind::kGlobal) runtime.memory.Free(allocation);
  }
  runtime.modules.Remove(found.get());
  return Error::kSuccess;
}

Error ModuleFunction(Out function, const void* module, const char* name) {
  const auto found = Runtime::Get().modules.Find(module);
  if (found == nullptr) return Error::kInvalidHandle;
  if (function.IsNull() || name == nullptr) return Error::kInvalidValue;
  const auto named = found->functions.find(name);
  if (named == found->functions.end()) return Error::kNotFound;
  function.Put(named->second.get());
  return Error::kSuccess;
}

}  // namespace halyard::sim
