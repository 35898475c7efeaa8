// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executable files of many kernels: what loading one takes, and looking for a kernel by its name.
#ifdef MICROBENCH_MANY
#include <string>
#include <vector>

#include "bench/comparison/turns.h"
#include "objects.h"

namespace halyard::bench {
namespace {

constexpr uint32_t kExports = 1000;

Executable LoadMany(hal_device_t* device) {
  hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
  params.path = hal_string_view(MICROBENCH_MANY);
  Executable executable;
  Check(hal_executable_create(device, &params, executable.out()));
  return executable;
}

void Load(benchmark::State& state) {
  const Device device = OpenDevice("null://");
  LoadMany(device);  // so that the file is in memory
  Repeat(state, 1, [&] { LoadMany(device); })
      .Report("an executable file with 1,000 exports of 4 variants each, loaded and released",
              {.nanoseconds = 5'000'000});
}
BENCHMARK(Load)->UseManualTime();

void FindExport(benchmark::State& state) {
  const Device device = OpenDevice("null://");
  const Executable executable = LoadMany(device);
  std::vector<std::string> names;
  for (uint32_t i = 0; i < kExports; ++i) names.push_back("kernel_" + std::to_string(i));
  Repeat(state, kExports, [&] {
    uint32_t ordinal = 0;
    for (const std::string& name : names) {
      Check(hal_executable_find_export(executable, hal_string_view(name.c_str()), &ordinal));
    }
  }).Report("`hal_executable_find_export` among 1,000", {.nanoseconds = 500});
}
BENCHMARK(FindExport)->UseManualTime();

}  // namespace
}  // namespace halyard::bench
#endif  // MICROBENCH_MANY
