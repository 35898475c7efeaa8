// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running a kernel or a function: data in, time, data out.
#ifndef HALYARD_TOOLS_RUN_RUNNER_H_
#define HALYARD_TOOLS_RUN_RUNNER_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "kernel.h"
#include "options.h"
#include "plan.h"
#include "support/program/handles.h"
#include "support/program/timeline.h"

namespace halyard::tools {

/// How something is run as often as is wanted. Throws Failure throughout: kRun for work that fails.
class Runner {
 public:
  Runner() = default;
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;
  virtual ~Runner() = default;

  /// Puts every binding into the state that it begins in.
  virtual void Prepare() = 0;
  /// Puts back what an earlier run may have changed.
  virtual void Restore() = 0;
  /// Runs it once and waits for it: nanoseconds of the host's clock.
  virtual double Run() = 0;
  /// What a binding holds now.
  virtual NpyArray Result(size_t binding) = 0;
};

/// Memory for a binding or its way to the host.
Buffer AllocateBuffer(hal_device_t* device, const hal_buffer_params_t& params, uint64_t length);

/// An array as a person reads it: "2x2xf32=[1 2][3 4]".
std::string ArrayText(hal_device_t* device, const NpyArray& array);

/// Runs on a queue: the buffers, and the queue operations between them.
class QueueRunner : public Runner {
 public:
  /// Makes the buffers. All must outlive the runner.
  QueueRunner(hal_device_t* device, const Kernel& kernel, const std::vector<BindingPlan>& plans);

  /// Sets how to dispatch.
  void Configure(const RunOptions& options, std::span<const std::byte> constants);

  void Prepare() override;
  void Restore() override;
  double Run() override;
  NpyArray Result(size_t binding) override;

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
  std::vector<hal_shape_t> shapes_;  // [binding], of a function
  std::vector<std::byte> constants_;
  hal_dispatch_params_t dispatch_ = HAL_DISPATCH_PARAMS_INIT;
};

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_RUN_RUNNER_H_
