// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running a kernel on a device: data in, time, data out.
#ifndef HALYARD_TOOLS_RUN_RUNNER_H_
#define HALYARD_TOOLS_RUN_RUNNER_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "kernel.h"
#include "options.h"
#include "plan.h"
#include "support/handles.h"
#include "support/timeline.h"

namespace halyard::tools {

/// The buffers of a run and the queue operations between them. Throws Failure throughout: kRun for work that fails.
class Runner {
 public:
  /// Makes the buffers. All must outlive the runner.
  Runner(hal_device_t* device, const Kernel& kernel, const std::vector<BindingPlan>& plans);

  /// Sets how to dispatch.
  void Configure(const RunOptions& options, std::span<const std::byte> constants);

  /// Puts every binding into the state that it begins in.
  void Prepare();
  /// Puts back what an earlier run may have changed.
  void Restore();
  /// Submits the kernel and waits for it: nanoseconds of the host's clock.
  double Run();

  /// What a binding holds now.
  NpyArray Result(size_t binding);
  /// The same as text: "2x2xf32=[1 2][3 4]".
  std::string ResultText(size_t binding);

 private:
  /// A binding's memory on the device, and on the host's side of the border.
  struct Memory {
    Buffer device;
    Buffer staging;
    uint64_t length = 0;
  };

  void AllocateBinding(const BindingPlan& plan);
  void Upload(size_t binding);
  void Download(size_t binding);

  hal_device_t* device_;
  const Kernel& kernel_;
  const std::vector<BindingPlan>& plans_;
  Timeline timeline_;
  std::vector<Memory> memory_;  // [binding]
  std::vector<hal_buffer_ref_t> refs_;
  std::vector<std::byte> constants_;
  hal_dispatch_params_t dispatch_ = HAL_DISPATCH_PARAMS_INIT;
};

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_RUN_RUNNER_H_
