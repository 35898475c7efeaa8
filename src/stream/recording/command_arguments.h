// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Translates recorded commands to arguments of the native API, once their buffers are known.
#ifndef HALYARD_STREAM_RECORDING_COMMAND_ARGUMENTS_H_
#define HALYARD_STREAM_RECORDING_COMMAND_ARGUMENTS_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/host_memory.h"
#include "base/status.h"
#include "driver_kit/device/binding_table.h"
#include "halyard/driver_api.h"
#include "stream/memory/device_range.h"
#include "stream/native/native_api.h"
#include "stream/recording/stream_executable.h"

namespace halyard::stream {

/// Finds where a reference points now. FAILED_PRECONDITION if its buffer has no memory.
Status Resolve(const hal_buffer_ref_t& ref, BindingTable table, DeviceRange* out);

/// What to fill; a count of 0 if nothing. Imported memory need not be aligned to the pattern.
Status ResolveFill(const hal_command_fill_t& fill, BindingTable table, NativeFill* out);

/// Both sides of a copy, of the same length.
struct DeviceCopy {
  DeviceRange source;
  DeviceRange target;
};
Status ResolveCopy(const hal_command_copy_t& copy, BindingTable table, DeviceCopy* out);
/// Each side from its first byte to its last.
Status ResolveCopy(const hal_strided_copy_params_t& copy, BindingTable table, DeviceCopy* out);

/// The launch of a dispatch, with the parameters that it points to.
class DispatchArguments {
 public:
  /// @param count  how many workgroups, even of an indirect dispatch
  Status Resolve(const hal_command_dispatch_t& dispatch, BindingTable table, const hal_dim3_t& count);
  /// Bytes that the kernel needs in addition to its bindings. If there are any, the caller sets their address once.
  uint64_t scratch_size() const { return scratch_size_; }
  void SetScratch(NativeAddress base) {
    for (NativeAddress& address : scratch_) address += base;
  }

  /// Valid until the next Resolve().
  const NativeLaunch& launch() const { return launch_; }
  /// Appends all that may differ between two launches of one kernel without scratch memory and tensor maps.
  void AppendKey(const hal_dispatch_params_t& params, HostVector<std::byte>* key) const;
  bool runs_nothing() const {
    const hal_dim3_t& count = launch_.workgroup_count;
    return count.x == 0 || count.y == 0 || count.z == 0;
  }

 private:
  Status MakeTensorMaps(const hal_command_dispatch_t& dispatch, BindingTable table);

  NativeLaunch launch_;
  std::array<NativeAddress, kMaxBindings> addresses_;              // as far as they are used
  std::array<NativeAddress, kMaxScratchParameters> scratch_ = {};  // as many as the kernel takes
  uint64_t scratch_size_ = 0;                                      // bytes
  std::array<NativeTensorMap, kMaxTensorMaps> maps_;               // the same
  std::array<void*, kMaxParameters> parameters_;
  alignas(16) std::array<std::byte, kMaxPatchedConstants> constants_;  // where addresses are among them
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_RECORDING_COMMAND_ARGUMENTS_H_
