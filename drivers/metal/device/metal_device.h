// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A Metal device.
#ifndef HALYARD_METAL_DEVICE_METAL_DEVICE_H_
#define HALYARD_METAL_DEVICE_METAL_DEVICE_H_

#include <array>

#include "base/host_memory.h"
#include "base/status.h"
#include "driver_kit/executable/image_kind.h"
#include "halyard/driver_api.h"
#include "metal/device/metal_capture.h"
#include "metal/device/metal_event_watch.h"
#include "metal/memory/metal_allocator.h"
#include "metal/queue/metal_queue_device.h"

namespace halyard::metal {

/// Its parts go in the reverse of their order here, by the destructor, which may run on any thread: that of a caller, a
/// completion thread or a worker.
/// What is known of a device whether or not it is open.
void DescribeMetalDevice(const MetalTraits& traits, hal_device_properties_t* properties, hal_device_limits_t* limits);

class MetalDevice final : public MetalQueueDevice {
 public:
  static Status Create(const hal_driver_interface_t& tables, NativeDevice native, const MetalTraits& traits,
                       uint32_t ordinal, const MetalOptions& options, hal_device_t** out_device);
  ~MetalDevice();

  /// @name Entries of the vtable
  /// @{
  Status QueryFormat(hal_string_view_t format);
  Status RankImage(const ImageKind& image, uint32_t* out_rank);
  Status QueryPeer(hal_device_t* other, hal_peer_properties_t* out_properties);
  Status CreateCommandBuffer(const hal_command_buffer_params_t* params, hal_command_buffer_t** out_command_buffer);
  Status CreateExecutable(const hal_executable_params_t* params, hal_executable_t** out_executable);
  Status Submit(const hal_queue_operation_t* operation);
  Status Drain(uint64_t timeout_ns);
  Status ProfilingBegin(hal_profiling_flags_t flags, const hal_profiling_sink_t* sink);
  /// @}

  EventWatch& event_watch() { return event_watch_; }

 protected:
  void FailDeferred(const Failure& failure) noexcept override;

 private:
  MetalDevice(const hal_driver_interface_t& tables, NativeDevice native, const MetalTraits& traits, uint32_t ordinal,
              const MetalOptions& options);
  Status Open();
  void FillInfo();

  const HostString id_;
  MetalCapture capture_;
  MetalAllocator allocator_;
  EventWatch event_watch_;
};

}  // namespace halyard::metal

#endif  // HALYARD_METAL_DEVICE_METAL_DEVICE_H_
