// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unit/stream/recorder.h"

#include <atomic>

#include "halyard/cpp/submit.hpp"

namespace halyard::stream {

Ref<hal_buffer_t> MakeShared(const Ref<hal_device_t>& device, uint32_t value) {
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  params.memory_type = HAL_MEMORY_TYPE_DEVICE_LOCAL | HAL_MEMORY_TYPE_HOST_VISIBLE;
  params.usage |= HAL_BUFFER_USAGE_MAPPING | HAL_BUFFER_USAGE_INDIRECT;
  Ref<hal_buffer_t> buffer;
  EXPECT_EQ(hal_allocator_allocate(hal_device_allocator(device.get()), &params, kLength, buffer.out()), HAL_STATUS_OK)
      << hal_last_error_message();
  EXPECT_EQ(hal_buffer_write(buffer.get(), 0, &value, sizeof(value)), HAL_STATUS_OK) << hal_last_error_message();
  return buffer;
}

Ref<hal_buffer_t> MakeCounts(const Ref<hal_device_t>& device, uint32_t x) {
  Ref<hal_buffer_t> counts = MakeShared(device);
  const uint32_t data[] = {x, 1, 1};
  EXPECT_EQ(hal_buffer_write(counts.get(), 0, data, sizeof(data)), HAL_STATUS_OK) << hal_last_error_message();
  return counts;
}

Ref<hal_executable_t> LoadKernels(const Ref<hal_device_t>& device, const std::vector<const char*>& names) {
  const hal_parameter_t parameter = hal_parameter_binding(0, HAL_BINDING_ACCESS_READ_WRITE);
  hal_export_info_t info = HAL_EXPORT_INFO_INIT;
  info.binding_count = 1;
  info.parameters = &parameter;
  info.parameter_count = 1;
  std::vector<hal_export_info_t> exports(names.size(), info);
  for (size_t i = 0; i < names.size(); ++i) exports[i].name = hal_string_view(names[i]);
  hal_executable_params_t params = HAL_INIT(hal_executable_params_t);
  params.format = hal_string_view("memory");
  params.data = "image";
  params.data_size = 5;
  params.exports = exports.data();
  params.export_count = exports.size();
  Ref<hal_executable_t> executable;
  EXPECT_EQ(hal_executable_create(device.get(), &params, executable.out()), HAL_STATUS_OK) << hal_last_error_message();
  return executable;
}

Ref<hal_executable_t> MakeKernels(const Ref<hal_device_t>& device) {
  static const auto first = [](const hal_local_dispatch_t* dispatch) {
    return std::atomic_ref(*static_cast<uint32_t*>(dispatch->bindings[0]));
  };
  MemoryKernels()["bump"] = [](const hal_local_dispatch_t* dispatch, const hal_local_workgroup_t*) {
    ++first(dispatch);
    return 0;
  };
  MemoryKernels()["triple"] = [](const hal_local_dispatch_t* dispatch, const hal_local_workgroup_t*) {
    first(dispatch).store(3 * first(dispatch).load());
    return 0;
  };
  return LoadKernels(device, {"bump", "triple"});
}

Recorder& Recorder::Dispatch(uint32_t ordinal, hal_buffer_ref_t target, hal_dim3_t count,
                             const hal_buffer_ref_t* indirect, const hal_number_ref_t* number) {
  hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
  params.workgroup_count = count;
  params.bindings = hal_buffer_ref_list(&target, 1);
  params.numbers = number;
  params.number_count = number ? 1 : 0;
  if (indirect) {
    params.flags = HAL_DISPATCH_INDIRECT;
    params.indirect = *indirect;
  }
  Check(hal_command_buffer_dispatch(commands_.get(), kernels_.get(), ordinal, &params));
  return *this;
}

hal_status_t Execute(const Ref<hal_device_t>& device, const Points& waits, const Points& signals,
                     const Ref<hal_command_buffer_t>& commands, const std::vector<Ref<hal_buffer_t>>& table,
                     hal_queue_mask_t queues) {
  std::vector<hal_buffer_ref_t> refs;
  for (const Ref<hal_buffer_t>& buffer : table) refs.push_back(Whole(buffer));
  return hal_device_queue_execute(device.get(),
                                  hal::SubmitParams(hal_semaphore_list(waits.data(), waits.size()),
                                                    hal_semaphore_list(signals.data(), signals.size()), queues),
                                  commands.get(), hal_buffer_ref_list(refs.data(), refs.size()));
}

void GraphRecordingTest::TearDown() {
  const std::shared_ptr<MemoryWorld> world = memory_.world;
  timeline_ = {};
  kernels_ = {};
  memory_.device = {};
  EXPECT_TRUE(BecomesEmpty(*world)) << world->graphs << " graphs, " << world->allocations << " allocations";
  EXPECT_EQ(TakeReports(), "");
}

Ref<hal_command_buffer_t> GraphRecordingTest::RecordIndirects(const Ref<hal_buffer_t>& count) const {
  return Record(1)
      .Fill(Whole(count), 1)
      .Fill(Slot(0), 10)
      .Barrier()
      .Bump(Whole(count), 4)
      .Barrier()
      .BumpIndirect(Slot(0), Whole(count))
      .Barrier()
      .Triple(Slot(0))
      .Fill(Whole(count), 1)
      .Barrier()
      .Bump(Whole(count), 6)
      .Barrier()
      .BumpIndirect(Slot(0), Whole(count))
      .BumpIndirect(Slot(0), Whole(count))
      .End();
}

hal_status_t GraphRecordingTest::RunWith(const Ref<hal_command_buffer_t>& commands,
                                         const std::vector<uint32_t>& numbers, const Ref<hal_buffer_t>& slot) {
  const Ref<hal_semaphore_t> done = MakeSemaphore(device());
  const hal_buffer_ref_t table = Whole(slot);
  hal_execute_params_t params = HAL_INIT(hal_execute_params_t);
  params.table = hal_buffer_ref_list(&table, 1);
  params.numbers = numbers.data();
  params.numbers_size = numbers.size() * sizeof(uint32_t);
  const hal_timeline_point_t end = {done.get(), 1};
  const hal_submit_params_t submit = hal_submit_params(hal_semaphore_list_empty(), hal_semaphore_list(&end, 1));
  const hal_status_t status = hal_device_queue_execute_with(device().get(), &submit, commands.get(), &params);
  return status == HAL_STATUS_OK ? Wait(done, 1) : status;
}

hal_status_t GraphRecordingTest::Run(const Ref<hal_command_buffer_t>& commands,
                                     const std::vector<Ref<hal_buffer_t>>& table) {
  const Ref<hal_semaphore_t> done = MakeSemaphore(device());
  const hal_status_t status = Execute(device(), {}, {{done.get(), 1}}, commands, table);
  return status == HAL_STATUS_OK ? Wait(done, 1) : status;
}

}  // namespace halyard::stream
