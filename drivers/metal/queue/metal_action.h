// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a queue operation does on a Metal device.
#ifndef HALYARD_METAL_QUEUE_METAL_ACTION_H_
#define HALYARD_METAL_QUEUE_METAL_ACTION_H_

#include <mutex>
#include <span>
#include <utility>

#include "base/host_memory.h"
#include "base/status.h"
#include "metal/native/metal_types.h"
#include "metal/recording/metal_encoding.h"
#include "metal/recording/metal_profiling.h"
#include "metal/recording/metal_staging.h"
#include "submission/block_action.h"

namespace halyard::metal {

class MetalQueueDevice;

/// One command buffer of Metal, or none.
class MetalAction final : public BlockAction {
 public:
  /// A submission of another device.
  struct ForeignEdge {
    Ref<hal_device_t> device;
    NativeSharedEvent event;  // of the device
    uint64_t epoch;
  };

  MetalQueueDevice& metal_device() const;
  /// After Capture(), before Defer().
  void Prepare();

  /// An event of the application that is set to `value` when the operation ends. After Prepare().
  void SetExternalEvent(Owned<NativeSharedEvent> event, uint64_t value) {
    external_event_ = std::move(event);
    external_value_ = value;
  }

  /// @name For the lane
  /// @{
  Status Encode(MetalEncoding& encoding, MetalStaging& staging);
  /// Only while it is submitted.
  std::span<const ForeignEdge> foreign() const { return foreign_; }
  NativeSharedEvent external_event() const { return external_event_.get(); }
  uint64_t external_value() const { return external_value_; }
  /// It is that submission of the lane. Returns whether its times are wanted.
  bool Begin(uint64_t epoch) {
    epoch_ = epoch;
    return profiled();
  }
  /// It has room in the lane, with the lane's state_mutex_; or its command buffer has it now.
  void HasRoom() { has_room_ = true; }
  void GiveUpRoom() { has_room_ = false; }
  /// @}

 protected:
  std::string_view Name() const override;
  BlockBuffer& block_buffer() const override;
  Status SubmitStage(SubmissionQueue& queue) override;
  Status ComeAfterForeign(SubmissionDevice& device, size_t queue, uint64_t epoch) override;
  bool end_is_told() const override;
  void EndWork(uint64_t* start, uint64_t* end) noexcept override;
  Status RunIo() override;
  const RecordedCommands* recorded() const override;
  void Recycle() noexcept override;

 private:
  void ReportTimes(uint64_t* start, uint64_t* end) noexcept;
  void SettleExternalEvent() noexcept;

  std::mutex foreign_mutex_;         // a leaf
  HostVector<ForeignEdge> foreign_;  // added to with the mutex; read without it once no thread adds any more
  SubmissionQueue* submitted_to_ = nullptr;
  bool has_room_ = false;
  Owned<NativeSharedEvent> external_event_;
  uint64_t external_value_ = 0;
  DispatchTimes times_;  // while profiling
  uint64_t epoch_ = 0;   // of its submission; 0 without one
};

}  // namespace halyard::metal

#endif  // HALYARD_METAL_QUEUE_METAL_ACTION_H_
