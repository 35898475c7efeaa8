// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running a function by a plain call, which can do without knowing what shape its results come in.
#ifndef HALYARD_TOOLS_RUN_CALL_RUNNER_H_
#define HALYARD_TOOLS_RUN_CALL_RUNNER_H_

#include <cstddef>
#include <span>
#include <vector>

#include "runner.h"

namespace halyard::tools {

/// Calls on this thread. Arguments lie in buffers, which stay mapped; results stay until the next call.
class CallRunner : public Runner {
 public:
  /// Makes the buffers. All must outlive the runner.
  CallRunner(hal_device_t* device, const Kernel& kernel, const std::vector<BindingPlan>& plans,
             std::span<const std::byte> constants);
  ~CallRunner() override;

  void Prepare() override;
  void Restore() override;
  double Run() override;
  NpyArray Result(size_t binding) override;

 private:
  void AddArgument(hal_device_t* device, size_t binding);
  void AddScalars(std::span<const std::byte> constants);
  void AddResult(size_t binding);
  void FillArgument(size_t binding);
  void ReleaseResults();

  const Kernel& kernel_;
  const std::vector<BindingPlan>& plans_;
  const hal_function_t* function_ = nullptr;
  std::vector<hal_memref_t> memrefs_;  // [binding]; never grows, as values point into it
  std::vector<Buffer> mapped_;         // the memory of the arguments
  std::vector<hal_value_t> arguments_;
  std::vector<hal_value_t> results_;
};

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_RUN_CALL_RUNNER_H_
