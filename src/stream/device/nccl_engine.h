// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NCCL or RCCL as the engine of a channel whose ranks are all devices of one vendor in this process.
#ifndef HALYARD_STREAM_DEVICE_NCCL_ENGINE_H_
#define HALYARD_STREAM_DEVICE_NCCL_ENGINE_H_

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>

#include "base/host_event.h"
#include "base/host_memory.h"
#include "base/library_thread.h"
#include "base/status.h"
#include "driver_kit/object/object.h"
#include "halyard/driver_api.h"
#include "stream/memory/device_range.h"
#include "stream/native/device_event.h"
#include "stream/native/native_api.h"
#include "stream/native/nccl_library.h"

namespace halyard::stream {

class StreamDevice;

/// One communicator and one stream for each rank.
///
/// The parts of all ranks of an operation are one group of the library's. So a thread that starts an operation waits
/// for no other thread, even where the library connects the ranks for the first time. Communicators are blocking ones:
/// of the others, the library (2.28) runs every group on a new thread.
///
/// What takes long, or may wait, is done by a thread of the engine's own: opening, aborting, closing.
class NcclEngine final : public hal_channel_engine_t, public HostObject {
 public:
  /// UNIMPLEMENTED if the library does not take these devices, UNAVAILABLE if there is none.
  static Status Create(std::span<hal_device_t* const> devices, hal_engine_opened_fn_t opened, void* user_data,
                       hal_channel_engine_t** out_engine);
  NcclEngine(const NcclEngine&) = delete;
  NcclEngine& operator=(const NcclEngine&) = delete;

 private:
  struct Rank {
    Ref<hal_device_t> device;
    NativeStream stream = nullptr;
    nccl::ncclComm_t communicator = nullptr;
  };
  /// A part of an operation on its way.
  struct Started {
    DeviceRange source;
    DeviceRange target;
    DeviceEventRef end;
    Failure failure;  // why nothing marks its end
  };

  NcclEngine(const NcclLibrary& library, std::span<hal_device_t* const> devices);
  ~NcclEngine() = default;
  static NcclEngine& Of(hal_channel_engine_t* engine) { return *static_cast<NcclEngine*>(engine); }
  static StreamDevice& DeviceOf(const Rank& rank);
  NativeApi& ApiOf(const Rank& rank) const;

  Status Run(const hal_engine_operation_t& operation);
  Status Query();
  void Abort() noexcept;
  void Destroy() noexcept;

  Status Prepare(const hal_engine_part_t& part, Started* out) const;
  Status Enqueue(const hal_engine_operation_t& operation, std::span<const Started> parts) const;
  Status EnqueuePart(const hal_engine_operation_t& operation, const hal_engine_part_t& part,
                     const Started& started) const;
  void MarkEnd(const hal_engine_part_t& part, Started* started) const noexcept;
  void Follow(const hal_engine_part_t& part, const Started& started) noexcept;

  void Work(hal_engine_opened_fn_t opened, void* user_data) noexcept;
  Status Open();
  Status OpenStreams();
  Status OpenCommunicators();
  void AbortCommunicators() noexcept;
  void Close() noexcept;

  const NcclLibrary& library_;
  HostVector<Rank> ranks_;  // changed with the mutex once it is open
  std::mutex mutex_;        // keeps the groups of operations apart; the library and the vendor are called under it
  bool aborted_ = false;    // with the mutex
  std::atomic<bool> aborts_{false};
  std::atomic<bool> ends_{false};
  HostEvent bell_;
  HostEvent gone_;  // Destroy() touches nothing any more
  LibraryThread thread_;
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_DEVICE_NCCL_ENGINE_H_
