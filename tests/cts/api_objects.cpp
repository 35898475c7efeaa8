// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cts/api_objects.h"

namespace halyard::cts {
namespace {

hal_external_memory_t HostMemory() {
  alignas(4096) static unsigned char bytes[4096];
  hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
  memory.type = HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER;
  memory.handle = reinterpret_cast<uintptr_t>(bytes);
  memory.length = sizeof(bytes);
  return memory;
}

hal_profiling_sink_t QuietSink() {
  hal_profiling_sink_t sink = HAL_INIT(hal_profiling_sink_t);
  sink.record = [](void*, const hal_profiling_record_t*) {};
  return sink;
}

}  // namespace

ApiObjects::ApiObjects(const Device& under_test)
    : device(under_test),
      allocator(under_test.allocator()),
      buffer(under_test.CreateBuffer(256, Mappable())),
      semaphore(under_test.CreateSemaphore(1)),
      fence(Points()),
      event(under_test.CreateEvent()),
      executable(under_test.LoadKernels("basic")),
      add_one(executable.Export("add_one")),
      recording(under_test.CreateCommandBuffer()),
      executable_commands(under_test.Record([](const CommandBuffer&) {})),
      file_bytes(256),
      kernels(under_test, "basic"),
      memory(HostMemory()),
      sink(QuietSink()) {
  Check(hal_registry_open_driver(SuiteRegistry(), under_test.info().driver, driver.out()), "hal_registry_open_driver");
  const int64_t elements = 64;
  Check(hal_buffer_view_create(buffer, HAL_ELEMENT_TYPE_I32, 1, &elements, view.out()), "hal_buffer_view_create");
  Check(recording.Begin(), "hal_command_buffer_begin");
  Check(hal_executable_cache_create(device, nullptr, cache.out()), "hal_executable_cache_create");
  const hal_descriptor_binding_t binding = {0, HAL_BINDING_ACCESS_READ};
  Check(hal_descriptor_set_layout_create(device, 1, &binding, set_layout.out()), "hal_descriptor_set_layout_create");
  hal_descriptor_set_layout_t* const sets[] = {set_layout};
  Check(hal_pipeline_layout_create(device, 1, sets, 4, layout.out()), "hal_pipeline_layout_create");
  Check(hal_file_from_memory(file_bytes.data(), file_bytes.size(), HAL_FILE_ACCESS_READ | HAL_FILE_ACCESS_WRITE,
                             nullptr, nullptr, file.out()),
        "hal_file_from_memory");
}

void PrintTo(const RefusedCall& call, std::ostream* out) { *out << call.name; }

void RefusedCallTest::ExpectRefused() const {
  ApiObjects objects(device());
  hal_set_error_message(hal_string_view(""));
  EXPECT_STATUS(GetParam().expected, GetParam().call(objects));
  EXPECT_TRUE(std::string_view(hal_last_error_message()).starts_with("hal_"))
      << "the refusal does not begin with the function: " << hal_last_error_message();
  // Nothing else happened.
  EXPECT_OK(objects.semaphore.Query());
  EXPECT_EQ(objects.semaphore.Value(), 1u);
  EXPECT_OK(hal_device_query_health(device()));
  EXPECT_OK(device().QueueBarrier({{objects.semaphore, 1}}, {{objects.semaphore, 2}}));
  EXPECT_OK(objects.semaphore.Wait(2));
}

}  // namespace halyard::cts
