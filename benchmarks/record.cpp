// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recording: a thousand dispatches of two bindings and 8 bytes of constants, into a new command buffer each time.
#include <array>

#include "bench/comparison/turns.h"
#include "objects.h"

namespace halyard::bench {
namespace {

constexpr int kDispatches = 1000;

/// A kernel with two bindings and 8 bytes of constants.
Executable LoadKernel(hal_device_t* device) {
  const std::array parameters = {hal_parameter_constant(0, 8), hal_parameter_binding(0, HAL_BINDING_ACCESS_READ),
                                 hal_parameter_binding(1, HAL_BINDING_ACCESS_WRITE)};
  hal_export_info_t kernel = HAL_EXPORT_INFO_INIT;
  kernel.name = hal_string_view("empty");
  kernel.parameters = parameters.data();
  kernel.parameter_count = static_cast<uint32_t>(parameters.size());
  kernel.constants_size = 8;
  return LoadExport(device, MICROBENCH_KERNELS, kernel);
}

/// `swapped`: each dispatch has other buffers than the one before, so that it cannot share that one's references.
void Record(benchmark::State& state, hal_command_buffer_flags_t flags, bool swapped, const char* what, Target target) {
  const Device device = OpenDevice("local://sync");
  const Executable executable = LoadKernel(device);
  const Buffer source = MakeBuffer(device, 4096);
  const Buffer sink = MakeBuffer(device, 4096);
  const std::array bindings = {hal_buffer_ref(source, 0, HAL_WHOLE_SIZE), hal_buffer_ref(sink, 0, HAL_WHOLE_SIZE),
                               hal_buffer_ref(source, 0, HAL_WHOLE_SIZE)};
  const uint64_t constants = 42;
  hal_dispatch_params_t dispatch = HAL_DISPATCH_PARAMS_INIT;
  dispatch.constants = &constants;
  dispatch.constants_size = sizeof(constants);
  hal_command_buffer_params_t params = HAL_INIT(hal_command_buffer_params_t);
  params.flags = flags;
  CommandBuffer commands;
  const auto record = [&] {
    for (int i = 0; i < kDispatches; ++i) {
      dispatch.bindings = hal_buffer_ref_list(bindings.data() + (swapped ? i % 2 : 0), 2);
      Check(hal_command_buffer_dispatch(commands, executable, 0, &dispatch));
    }
  };
  const auto begin = [&] {
    commands = {};
    Check(hal_command_buffer_create(device, &params, commands.out()));
    Check(hal_command_buffer_begin(commands));
  };
  begin();
  record();  // so that the device's pools are warm
  Turns turns(state, kDispatches);
  for (auto unused : state) {
    begin();
    turns.Add(Time(record));
  }
  turns.Report(what, target);
}

void RecordDispatch(benchmark::State& state) {
  const bool swapped = state.range(0) != 0;
  Record(state, 0, swapped,
         swapped ? "one dispatch recorded, with other buffers than the one before"
                 : "one dispatch recorded, with the buffers of the one before",
         {.nanoseconds = 45});
}
BENCHMARK(RecordDispatch)->UseManualTime()->Arg(0)->Arg(1);

void RecordUnvalidatedDispatch(benchmark::State& state) {
  const bool swapped = state.range(0) != 0;
  Record(state, HAL_COMMAND_BUFFER_UNVALIDATED, swapped,
         swapped ? "the same UNVALIDATED, with other buffers" : "the same UNVALIDATED, with the same buffers",
         {.nanoseconds = 25});
}
BENCHMARK(RecordUnvalidatedDispatch)->UseManualTime()->Arg(0)->Arg(1);

}  // namespace
}  // namespace halyard::bench
