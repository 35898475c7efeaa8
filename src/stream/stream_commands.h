// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts recorded commands into a stream, one after the other.
//
// A stream runs what it is given in order, so that barriers and events are kept without doing anything.
#ifndef HALYARD_STREAM_STREAM_COMMANDS_H_
#define HALYARD_STREAM_STREAM_COMMANDS_H_

#include <cstdint>
#include <span>

#include "common/status.h"
#include "halyard/driver_api.h"
#include "stream/host_slots.h"
#include "stream/native_api.h"
#include "stream/timing.h"

namespace halyard::stream {

class StreamDevice;

/// A bounded range of the device's memory.
struct DeviceRange {
  NativeAddress address = 0;
  uint64_t length = 0;   // bytes
  bool on_host = false;  // it lies in the host's memory
};

/// Where a reference points, now. FAILED_PRECONDITION if its buffer has no memory.
Status Resolve(const hal_buffer_ref_t& ref, std::span<const hal_buffer_ref_t> table, DeviceRange* out);

/// How far one execution of a list of commands has come. Where the host must know the counts of an indirect dispatch it
/// stops after what brings them to the host, and goes on when that is done.
class Replay {
 public:
  /// The commands and the table must stay until Clear().
  void Begin(StreamDevice& device, std::span<const hal_command_t> commands, std::span<const hal_buffer_ref_t> table,
             Timing* timing);
  void Clear() noexcept;

  /// Puts commands into the stream, until the end or until a count must be read. Within a NativeScope.
  Status Continue(NativeStream stream);
  bool finished() const { return next_ == commands_.size(); }
  /// Whether the last Continue() has put anything into the stream.
  bool has_enqueued() const { return has_enqueued_; }

 private:
  Status Run(NativeStream stream, const hal_command_t& command);
  Status Fill(NativeStream stream, const hal_command_fill_t& fill);
  Status Update(NativeStream stream, const hal_command_update_t& update);
  Status Copy(NativeStream stream, const hal_command_copy_t& copy);
  template <class Bring>
  Status CopyThroughDevice(NativeStream stream, const DeviceRange& target, const Bring& bring);
  Status Dispatch(NativeStream stream, const hal_command_dispatch_t& dispatch, const hal_dim3_t& count);
  Status Launch(NativeStream stream, const NativeLaunch& launch, const hal_export_info_t& info);
  Status FetchCount(NativeStream stream, const hal_command_dispatch_t& dispatch);
  Status TakeCount(hal_dim3_t* out_count);

  StreamDevice* device_ = nullptr;
  std::span<const hal_command_t> commands_;
  std::span<const hal_buffer_ref_t> table_;
  Timing* timing_ = nullptr;  // NULL unless dispatches are reported
  size_t next_ = 0;           // command
  bool has_enqueued_ = false;
  HostSlot count_;  // of commands_[next_], which is indirect, once it was fetched
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_STREAM_COMMANDS_H_
