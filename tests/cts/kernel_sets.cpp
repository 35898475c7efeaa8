// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one table of what every kernel of the suite takes, for images that do not tell it. The kernels themselves are in
// kernels/, one file for each set; KernelLibraryTest compares what the build found out about them with this table.
#include "cts/kernel_library.h"

namespace halyard::cts {
namespace {

hal_parameter_t In(uint32_t binding) { return hal_parameter_binding(binding, HAL_BINDING_ACCESS_READ); }
hal_parameter_t Out(uint32_t binding) { return hal_parameter_binding(binding, HAL_BINDING_ACCESS_WRITE); }
hal_parameter_t InOut(uint32_t binding) { return hal_parameter_binding(binding, HAL_BINDING_ACCESS_READ_WRITE); }
hal_parameter_t Constant(uint32_t offset, uint32_t size) { return hal_parameter_constant(offset, size); }
hal_parameter_t InSet(uint32_t set, hal_parameter_t parameter) {
  parameter.set = set;
  return parameter;
}

/// The kernels of set "dispatch".
std::vector<KernelExport> DispatchKernels() {
  std::vector<KernelExport> kernels = {
      {"mix_pointer_u32_pointer_u64", {In(0), Constant(0, 4), Out(1), Constant(8, 8)}, 16},
      {"mix_u8_u16_u32_u64_pointer", {Constant(0, 1), Constant(2, 2), Constant(4, 4), Constant(8, 8), Out(0)}, 16},
      {"mix_bits_of_floats", {In(0), In(1), Out(2)}},
      {"mix_constants_out_of_order", {Constant(8, 8), Out(0), Constant(0, 4)}, 16},
      {"mix_bindings_out_of_order", {Out(2), In(0), In(1)}},
      {"mix_sparse_sets", {In(1), In(7), InSet(1, Out(0))}},
      {"report_workgroup", {Out(0)}, 0, {4, 2, 1}},
      {"report_sized_workgroup", {Out(0)}, 0, {0, 0, 0}},
      {"count_visits", {Constant(0, 4), InOut(0)}, 4},
      {"reverse_dynamic", {Constant(0, 4), In(0), Out(1)}, 4},
      {"reverse_declared", {Constant(0, 4), In(0), Out(1)}, 4, {1, 1, 1}, 256},
      {"reverse_together", {In(0), Out(1)}, 0, {64, 1, 1}, 256},
  };
  for (uint32_t count = 0; count <= 16; ++count) {
    std::vector<hal_parameter_t> bindings;
    for (uint32_t i = 0; i < count; ++i) bindings.push_back(InOut(i));
    kernels.push_back({"bindings_" + std::to_string(count), bindings});
  }
  for (const uint32_t size : {1, 2, 3, 4, 8, 12, 16, 20, 60, 64, 100, 128}) {
    kernels.push_back({"constants_" + std::to_string(size), {Constant(0, size), Out(0)}, size});
  }
  return kernels;
}

}  // namespace

const std::vector<KernelSet>& KernelSets() {
  static const std::vector<KernelSet> sets = {
      {"basic",
       {
           {"noop", {}},
           {"add_one", {InOut(0)}, 0, {64, 1, 1}},
           {"add_constant", {Constant(0, 4), In(0), Out(1)}, 4, {64, 1, 1}},
           {"mix_cells", {Constant(0, 4), In(0), In(1), Out(2)}, 4, {1, 1, 1}},
       }},
      {"dispatch", DispatchKernels()},
      {"dispatch_constants",
       {{"constants_252", {Constant(0, 252), Out(0)}, 252}, {"constants_256", {Constant(0, 256), Out(0)}, 256}}},
      {"dispatch_f64",
       {
           {"mix_f32_pointer_f64", {Constant(0, 4), InOut(0), Constant(8, 8)}, 16},
           {"mix_pointers_u8_f64", {Out(0), In(1), In(2), Constant(0, 1), Constant(8, 8)}, 16},
       }},
      {"state", {{"count_calls", {Out(0)}}, {"report_calls", {Out(0)}}}},
      {"image", {{"report_mark", {Out(0)}}, {"count_calls", {Out(0)}}}, /*only_host=*/true},
      {"host",
       {
           {"fail_in_workgroup", {Constant(0, 4), Constant(4, 4), InOut(0)}, 8},
           {"add_one_to_all", {InOut(0)}},
           {"report_local_memory", {Out(0)}},
           {"report_counts", {Constant(0, 8), Out(0), In(1), In(2)}, 8},
       },
       /*only_host=*/true},
  };
  return sets;
}

}  // namespace halyard::cts
