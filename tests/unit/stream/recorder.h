// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Command buffers of fills, copies and small kernels for devices in memory.
#ifndef HALYARD_TESTS_UNIT_STREAM_RECORDER_H_
#define HALYARD_TESTS_UNIT_STREAM_RECORDER_H_

#include <string>
#include <vector>

#include "unit/stream/memory_device.h"

namespace halyard::stream {

inline constexpr uint64_t kLength = 64;  // bytes of every buffer here

inline hal_queue_mask_t Queue(uint32_t index) { return hal_queue_mask_t{1} << index; }
inline hal_buffer_ref_t Whole(const Ref<hal_buffer_t>& buffer) {
  return hal_buffer_ref(buffer.get(), 0, HAL_WHOLE_SIZE);
}
inline hal_buffer_ref_t Slot(uint32_t slot) { return hal_slot_ref(slot, 0, HAL_WHOLE_SIZE); }

/// Device memory at which the host can look.
Ref<hal_buffer_t> MakeShared(const Ref<hal_device_t>& device, uint32_t value = 0);

/// Workgroup counts for an indirect dispatch: x, 1, 1.
Ref<hal_buffer_t> MakeCounts(const Ref<hal_device_t>& device, uint32_t x);

/// An executable of MemoryKernels() that take one buffer.
Ref<hal_executable_t> LoadKernels(const Ref<hal_device_t>& device, const std::vector<const char*>& names);

/// Kernels: `bump` adds the number of workgroups to the first element, `triple` triples it.
Ref<hal_executable_t> MakeKernels(const Ref<hal_device_t>& device);

/// A command buffer in the making.
class Recorder {
 public:
  Recorder(const Ref<hal_device_t>& device, const Ref<hal_executable_t>& kernels, uint32_t slots = 0,
           hal_command_buffer_flags_t flags = 0)
      : kernels_(kernels) {
    hal_command_buffer_params_t params = HAL_INIT(hal_command_buffer_params_t);
    params.binding_capacity = slots;
    params.numbers_size = kNumbersSize;
    params.flags = flags;
    Check(hal_command_buffer_create(device.get(), &params, commands_.out()));
    Check(hal_command_buffer_begin(commands_.get()));
  }
  Recorder& Fill(hal_buffer_ref_t target, uint32_t value) {
    Check(hal_command_buffer_fill(commands_.get(), target, &value, sizeof(value)));
    return *this;
  }
  Recorder& Update(hal_buffer_ref_t target, uint32_t value) {
    target.length = sizeof(value);
    Check(hal_command_buffer_update(commands_.get(), &value, target));
    return *this;
  }
  Recorder& Copy(hal_buffer_ref_t source, hal_buffer_ref_t target) {
    Check(hal_command_buffer_copy(commands_.get(), source, target));
    return *this;
  }
  Recorder& Bump(hal_buffer_ref_t target, uint32_t count = 1) { return Dispatch(0, target, {count, 1, 1}, nullptr); }
  /// As many workgroups as the number at `index` of the execution says.
  Recorder& BumpBy(hal_buffer_ref_t target, uint32_t index) {
    const hal_number_ref_t count = {HAL_NUMBER_KIND_WORKGROUP_COUNT, 0, 4 * index, 4};
    return Dispatch(0, target, {0, 1, 1}, nullptr, &count);
  }
  Recorder& BumpIndirect(hal_buffer_ref_t target, hal_buffer_ref_t count) {
    count.length = 12;
    return Dispatch(0, target, {1, 1, 1}, &count);
  }
  Recorder& Triple(hal_buffer_ref_t target) { return Dispatch(1, target, {1, 1, 1}, nullptr); }
  Recorder& Barrier() {
    Check(hal_command_buffer_barrier(commands_.get()));
    return *this;
  }
  Ref<hal_command_buffer_t> End() {
    Check(hal_command_buffer_end(commands_.get()));
    return commands_;
  }

 private:
  static void Check(hal_status_t status) { EXPECT_EQ(status, HAL_STATUS_OK) << hal_last_error_message(); }
  static constexpr uint64_t kNumbersSize = 64;  // bytes
  Recorder& Dispatch(uint32_t ordinal, hal_buffer_ref_t target, hal_dim3_t count, const hal_buffer_ref_t* indirect,
                     const hal_number_ref_t* number = nullptr);

  const Ref<hal_executable_t> kernels_;
  Ref<hal_command_buffer_t> commands_;
};

hal_status_t Execute(const Ref<hal_device_t>& device, const Points& waits, const Points& signals,
                     const Ref<hal_command_buffer_t>& commands, const std::vector<Ref<hal_buffer_t>>& table = {},
                     hal_queue_mask_t queues = 1);

/// Command buffers that run as graphs, with completion=fast and completion=portable.
class GraphRecordingTest : public testing::TestWithParam<const char*> {
 protected:
  /// @param parameters  of the device, other than `completion`
  explicit GraphRecordingTest(const std::string& parameters)
      : memory_(parameters + "&command_buffer=graph&completion=" + GetParam()) {}
  void SetUp() override { ASSERT_EQ(memory_.status, HAL_STATUS_OK) << hal_last_error_message(); }
  void TearDown() override;

  const Ref<hal_device_t>& device() const { return memory_.device; }
  MemoryWorld& world() { return *memory_.world; }
  Recorder Record(uint32_t slots = 0, hal_command_buffer_flags_t flags = 0) const {
    return {device(), kernels_, slots, flags};
  }
  /// Indirect dispatches between work that writes their counts and reads what they make in slot 0: kSumOfIndirects.
  Ref<hal_command_buffer_t> RecordIndirects(const Ref<hal_buffer_t>& count) const;
  static constexpr uint32_t kSumOfIndirects = (10 + 5) * 3 + 7 + 7;
  /// Executes and waits.
  hal_status_t Run(const Ref<hal_command_buffer_t>& commands, const std::vector<Ref<hal_buffer_t>>& table = {});
  /// The same with numbers.
  hal_status_t RunWith(const Ref<hal_command_buffer_t>& commands, const std::vector<uint32_t>& numbers,
                       const Ref<hal_buffer_t>& slot);

  MemoryDevice memory_;
  Ref<hal_executable_t> kernels_ = MakeKernels(device());
  Ref<hal_semaphore_t> timeline_ = MakeSemaphore(device());
};

}  // namespace halyard::stream

#endif  // HALYARD_TESTS_UNIT_STREAM_RECORDER_H_
