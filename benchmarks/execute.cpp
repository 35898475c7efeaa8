// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An empty recording, submitted and waited for: what it costs to ask for nothing.
#include "bench/comparison/turns.h"
#include "halyard/cpp/submit.hpp"
#include "objects.h"

namespace halyard::bench {
namespace {

CommandBuffer RecordNothing(hal_device_t* device) {
  const hal_command_buffer_params_t params = HAL_INIT(hal_command_buffer_params_t);
  CommandBuffer commands;
  Check(hal_command_buffer_create(device, &params, commands.out()));
  Check(hal_command_buffer_begin(commands));
  Check(hal_command_buffer_end(commands));
  return commands;
}

void EmptyExecute(benchmark::State& state, const char* uri, uint64_t batch, const char* what, Target target) {
  const Device device = OpenDevice(uri);
  const CommandBuffer commands = RecordNothing(device);
  const Semaphore done = MakeSemaphore(device);
  uint64_t value = 0;
  const auto execute = [&] {
    for (uint64_t i = 0; i < batch; ++i) {
      const hal_timeline_point_t signal = {done, ++value};
      Check(hal_device_queue_execute(device,
                                     hal::SubmitParams(hal_semaphore_list_empty(), hal_semaphore_list(&signal, 1)),
                                     commands, hal_buffer_ref_list(nullptr, 0)));
      Wait(done, value);
    }
  };
  execute();  // so that pools are warm
  Repeat(state, static_cast<double>(batch), execute).Report(what, target);
}

void ExecuteOnSync(benchmark::State& state) {
  EmptyExecute(state, "local://sync", 1000, "empty `queue_execute` on local://sync, submitted and waited for",
               {.nanoseconds = 1000});
}
BENCHMARK(ExecuteOnSync)->UseManualTime();

void ExecuteOnTask(benchmark::State& state) {
  EmptyExecute(state, "local://task", 10, "the same on local://task: a hand-over to the pool and back", {});
}
BENCHMARK(ExecuteOnTask)->UseManualTime();

void ExecuteOnNull(benchmark::State& state) {
  Device device;
  if (hal_device_create(hal_string_view("null"), device.out()) == HAL_STATUS_NOT_FOUND) {
    return state.SkipWithError("the null driver was not built");
  }
  EmptyExecute(state, "null", 1000, "the same on the null driver: core and timeline alone", {});
}
BENCHMARK(ExecuteOnNull)->UseManualTime();

}  // namespace
}  // namespace halyard::bench
