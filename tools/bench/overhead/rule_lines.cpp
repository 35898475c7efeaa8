// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What it costs that a kernel runs in clusters, or gets scratch memory: Halyard on both sides, the same kernel without
// and with it. Both are launched in the stream: graphs that the lane keeps hold the plain kernel alone.
#include <array>
#include <string>

#include "overhead.h"
#include "support/input_file.h"
#include "support/kernels/kernel_files.h"

namespace halyard::tools {
namespace {

using bench::Time;

constexpr double kMostAbove = 200;      // nanoseconds
constexpr uint32_t kScratchSize = 256;  // bytes for each workgroup, as many as the kernel writes

/// A kernel of bench_kernels, launched in one way.
class RuledKernel {
 public:
  RuledKernel(const HalyardSide& side, const char* name, const hal_dim3_t& cluster, const hal_parameter_t* parameter) {
    const std::string image = ReadTextFile(KernelFile("bench_kernels.ptx"), kLargestImage);
    hal_export_info_t info = HAL_EXPORT_INFO_INIT;
    info.name = hal_string_view(name);
    info.workgroup_size = hal_dim3(parameter ? 64 : 1, 1, 1);
    info.cluster_size = cluster;
    info.parameters = parameter;
    info.parameter_count = parameter ? 1 : 0;
    hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
    params.format = hal_string_view("ptx");
    params.data = image.data();
    params.data_size = image.size();
    params.exports = &info;
    params.export_count = 1;
    hal_executable_t* made = nullptr;
    Must(hal_executable_create(side.device().get(), &params, &made), "load a kernel");
    executable_ = Executable(made);
    if (!parameter || parameter->kind != HAL_PARAMETER_KIND_BINDING) return;
    buffer_ = side.device().Allocate(uint64_t{2} * kScratchSize);
    binding_ = hal_buffer_ref(buffer_.get(), 0, HAL_WHOLE_SIZE);
    binding_count_ = 1;
  }

  /// So many dispatches of two workgroups, one after the other.
  void Dispatch(HalyardSide& side, int count) const {
    hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
    params.workgroup_count = hal_dim3(2, 1, 1);
    params.bindings = hal_buffer_ref_list(&binding_, binding_count_);
    for (int i = 0; i < count; ++i) side.Dispatch(executable_.get(), params);
  }

 private:
  Executable executable_;
  Buffer buffer_;
  hal_buffer_ref_t binding_ = {};
  size_t binding_count_ = 0;
};

DeviceOptions InStream(DeviceOptions options) {
  const bool has_parameters = options.device.find('?') != std::string::npos;
  if (options.device.find("command_buffer=") == std::string::npos) {
    options.device += has_parameters ? "&command_buffer=stream" : "?command_buffer=stream";
  }
  return options;
}

void Compare(HalyardSide& side, const Comparison& comparison, const RuledKernel& plain, const RuledKernel& ruled,
             bool until_done) {
  const auto measure = [&](const RuledKernel& kernel) {
    const double submitted = Time([&] { kernel.Dispatch(side, kBurst); });
    return submitted + (until_done ? Time([&] { side.Wait(); }) : (side.Wait(), 0.0));
  };
  comparison.TakeTurns([&] { return measure(plain); }, [&] { return measure(ruled); });
}

void Clusters(HalyardSide& side, const Comparison& comparison, bool until_done) {
  const RuledKernel plain(side, "empty", hal_dim3(0, 0, 0), nullptr);
  const RuledKernel clusters(side, "empty", hal_dim3(2, 1, 1), nullptr);
  Compare(side, comparison, plain, clusters, until_done);
}

void Scratch(HalyardSide& side, const Comparison& comparison, bool until_done) {
  const hal_parameter_t binding = hal_parameter_binding(0, HAL_BINDING_ACCESS_READ_WRITE);
  hal_parameter_t scratch = hal_parameter_constant(256, kScratchSize);
  scratch.kind = HAL_PARAMETER_KIND_SCRATCH;
  const RuledKernel plain(side, "add_one", hal_dim3(0, 0, 0), &binding);
  const RuledKernel with_scratch(side, "add_one", hal_dim3(0, 0, 0), &scratch);
  Compare(side, comparison, plain, with_scratch, until_done);
}

}  // namespace

void AddRuleLines(Overhead& overhead) {
  if (!overhead.is_cuda()) return;  // clusters and PTX
  const DeviceOptions options = InStream(overhead.options());
  const auto add = [&](const char* name, const char* what, auto run, bool until_done) {
    overhead.Add({.name = name, .what = what, .turns = 50, .operations = kBurst, .target = {.above = kMostAbove}},
                 [=](Sides&, const Comparison& comparison) {
                   HalyardSide side(options);
                   run(side, comparison, until_done);
                 });
  };
  add("clusters", "1,000 dispatches in clusters of two, until done, each (raw: Halyard without clusters)", Clusters,
      true);
  add("clusters_host_cost", "the same, host cost, each", Clusters, false);
  add("scratch", "1,000 dispatches with scratch memory, until done, each (raw: Halyard with a binding)", Scratch, true);
  add("scratch_host_cost", "the same, host cost, each", Scratch, false);
}

}  // namespace halyard::tools
