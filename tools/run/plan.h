// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The data that each binding of a kernel or function reads and writes.
#ifndef HALYARD_TOOLS_RUN_PLAN_H_
#define HALYARD_TOOLS_RUN_PLAN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "array_spec.h"
#include "kernel.h"
#include "options.h"
#include "support/npy/npy.h"

namespace halyard::tools {

/// One binding. What has no input begins as zeros.
struct BindingPlan {
  KernelBinding binding;
  ArraySpec spec;                     ///< type and shape of what it holds; no type if only running shows the shape
  std::optional<NpyArray> input;      ///< what it holds before the kernel runs
  std::optional<std::string> output;  ///< where to write what it holds afterwards; "-" prints it
  std::optional<NpyArray> expected;   ///< what it should hold afterwards
  std::string expected_path;

  /// What it holds has to come back from the device.
  bool IsResult() const { return output.has_value() || expected.has_value(); }
};

/// Matches the options with the kernel's bindings and reads all files. Throws Failure: kUsage if there are too many or
/// too few, kInput for files that cannot be read or do not fit.
std::vector<BindingPlan> MakePlan(const Kernel& kernel, const RunOptions& options);

/// The first result of a function whose shape only running shows: a dispatch has no memory for it, a plain call can do
/// without. Nothing if there is none.
std::optional<size_t> FindUnknownResult(const std::vector<BindingPlan>& plans);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_RUN_PLAN_H_
