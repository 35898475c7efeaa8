// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// The digit network on a device: where Halyard's API is at work in this example.
#ifndef HALYARD_EXAMPLES_DIGITS_NETWORK_H_
#define HALYARD_EXAMPLES_DIGITS_NETWORK_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "digits_data.h"
#include "support/halyard_handles.h"

namespace digits {

using examples::Buffer;
using examples::Check;
using examples::CommandBuffer;
using examples::Create;
using examples::Device;
using examples::Driver;
using examples::Executable;
using examples::Timeline;
using examples::TraceWriter;
using examples::View;

/// Allocates memory that is close to the device. Its contents are undefined.
Buffer AllocateOnDevice(hal_device_t* device, uint64_t length);

/// Submits a copy of host memory into a device buffer. The data is taken at once; the copy runs in its turn.
void Upload(hal_device_t* device, Timeline& timeline, std::span<const float> data, hal_buffer_t* target);

/// Copies a device buffer back to the host once all work submitted before is done; blocks until then.
std::vector<int32_t> Download(hal_device_t* device, Timeline& timeline, hal_buffer_t* source, size_t count);

/// A stack of dense layers with rectifiers in between, and the index of the largest score at the end.
///
/// The whole network is recorded once, for batches of a fixed number of rows. What changes from batch to
/// batch, the images that go in and the predictions that come out, are slots of a binding table; weights and
/// the values between the layers are named in the command buffer itself. Batches share those values, so they must
/// run one after the other.
class Network {
 public:
  /// Loads the kernels, uploads the weights on `timeline` and records the network.
  Network(hal_device_t* device, Timeline& timeline, const std::string& kernels, std::span<const Layer> layers,
          uint32_t rows);

  /// Submits one batch: `images` is float32 [rows, in_features], `predictions` int32 [rows].
  void Submit(Timeline& timeline, hal_buffer_ref_t images, hal_buffer_ref_t predictions);

 private:
  enum Slot : uint32_t { kImagesSlot, kPredictionsSlot, kSlotCount };

  /// A layer's memory on the device.
  struct DeviceLayer {
    uint32_t in_features;
    uint32_t out_features;
    Buffer weights;
    Buffer bias;
    Buffer output;  ///< float32 [rows, out_features]
  };

  void Record(std::span<const DeviceLayer> layers, uint32_t rows);

  /// Records a kernel over `extent` rows or elements, as many workgroups as that takes.
  void Dispatch(const char* kernel, uint32_t extent, std::span<const uint32_t> constants,
                std::span<const hal_buffer_ref_t> bindings);

  hal_device_t* device_;
  Executable executable_;
  CommandBuffer recording_;
};

}  // namespace digits

#endif  // HALYARD_EXAMPLES_DIGITS_NETWORK_H_
