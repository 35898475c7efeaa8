// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// halyard-order: three kinds of objects that few programs need. An event orders a part of a command buffer, a fence
/// carries points of several timelines, and a layout says what a kernel takes.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "halyard/halyard.hpp"

namespace examples {
namespace {

constexpr size_t kCount = 4;

/// What a kernel takes, for code that runs any kernel. The layout is the executable's.
void PrintLayout(const hal_export_info_t& kernel) {
  std::printf("%s: %zu binding, %u bytes of constants;", kernel.name.data,
              hal_pipeline_layout_binding_count(kernel.layout), hal_pipeline_layout_constants_size(kernel.layout));
  for (size_t set = 0; set < hal_pipeline_layout_set_count(kernel.layout); ++set) {
    size_t count = 0;
    const hal_descriptor_binding_t* const bindings =
        hal_descriptor_set_layout_bindings(hal_pipeline_layout_set(kernel.layout, set), &count);
    for (size_t i = 0; i < count; ++i) std::printf(" binding %u of set %zu", bindings[i].binding, set);
  }
  std::printf("\n");
}

/// Copies what was filled. The other fill stands between: with a barrier the copy would wait for it as well.
hal::CommandBuffer Record(const hal::Device& device, const hal::Buffer& source, const hal::Buffer& other,
                          const hal::Buffer& target) {
  const hal::Event filled = hal::Event::Create(device);
  hal::CommandBuffer commands = hal::CommandBuffer::Create(device);
  commands.Begin();
  commands.Fill(source, 3.0f);
  commands.SignalEvent(filled);
  commands.Fill(other, 5.0f);
  hal_event_t* const awaited[] = {filled};
  commands.WaitEvents(awaited);
  commands.Copy(source, target);
  commands.End();
  return commands;  // it keeps the event
}

void Run(const std::string& uri) {
  const hal::Device device = hal::Device::Open(uri);
  const hal::Executable kernels = hal::Executable::Load(device, KERNELS);
  PrintLayout(*kernels.ExportInfo(0));

  hal_buffer_params_t params = HAL_BUFFER_PARAMS_STAGING_INIT;
  params.usage |= HAL_BUFFER_USAGE_STORAGE;
  const auto allocate = [&] { return device.allocator().Allocate(kCount * sizeof(float), params); };
  const hal::Buffer source = allocate(), other = allocate(), target = allocate(), apart = allocate();
  const hal::Semaphore copied = hal::Semaphore::Create(device);
  const hal::Semaphore filled = hal::Semaphore::Create(device);
  const hal::Semaphore scaled = hal::Semaphore::Create(device);
  device.queues().Execute({}, copied.At(1), Record(device, source, other, target).get());
  device.queues().Fill({}, filled.At(1), apart, 7.0f);

  // A function that is given a fence need not know how many timelines its work depends on.
  const hal::Fence ready = hal::Fence::Create(2);
  ready.Insert(copied.At(1));
  ready.Insert(filled.At(1));
  device.queues().Dispatch(ready.List(), scaled.At(1), kernels, 0, hal::Dispatch().Constant(10.0f).Bind(target));
  ready.Insert(scaled.At(1));
  ready.Wait();

  std::vector<float> values(kCount);
  target.Read(values);
  for (const float value : values) std::printf("%g ", value);
  apart.Read(values);
  std::printf("and %g\n", values[0]);
}

}  // namespace
}  // namespace examples

// halyard-order [URI]
int main(int argc, char** argv) {
  try {
    examples::Run(argc > 1 ? argv[1] : "local");
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "halyard-order: %s\n", error.what());
    return 1;
  }
}
