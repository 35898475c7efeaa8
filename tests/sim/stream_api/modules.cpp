// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream_api/modules.h"

#include <cstring>

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

Error ModuleVariable(void* address, size_t* bytes, const void* module, const char* name) {
  const auto found = Runtime::Get().modules.Find(module);
  if (found == nullptr) return Error::kInvalidHandle;
  if (name == nullptr) return Error::kInvalidValue;
  const auto [variable, size] = found->code->Variable(name);
  if (found->functions.contains(name)) return Error::kInvalidValue;  // as CUDA does on an H200
  if (variable == nullptr) return Error::kNotFound;
  const auto base = reinterpret_cast<uintptr_t>(variable);
  const Error error = Runtime::Get().memory.Register(MemoryKind::kGlobal, found->context, base, size);
  if (error == Error::kSuccess) found->variables.push_back(base);
  if (error != Error::kSuccess && error != Error::kAlreadyRegistered) return error;
  if (address != nullptr) std::memcpy(address, &base, sizeof(base));
  if (bytes != nullptr) *bytes = size;
  return Error::kSuccess;
}

}  // namespace halyard::sim
