// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Commands into a Metal command buffer, with nothing set twice.
#ifndef HALYARD_METAL_RECORDING_METAL_ENCODING_H_
#define HALYARD_METAL_RECORDING_METAL_ENCODING_H_

#include <array>
#include <cstdint>
#include <span>

#include "base/host_memory.h"
#include "base/status.h"
#include "halyard/driver_api.h"
#include "metal/executable/metal_arguments.h"
#include "metal/memory/metal_buffer.h"
#include "metal/native/metal_types.h"
#include "metal/recording/metal_encoder_plan.h"

namespace halyard::metal {

/// Fences of a lane, used again by each submission: a wait is for the last update that comes before it in the queue.
/// With the lane's mutex.
class MetalFences {
 public:
  explicit MetalFences(NativeDevice device) : device_(device) {}
  Status Get(size_t index, NativeFence* out_fence);

 private:
  NativeDevice device_;
  HostVector<Owned<NativeFence>> fences_;
};

/// Encodes into one command buffer: passes, one after the other, each of which is one encoder. Ends the encoder that is
/// open when it goes. Allocates nothing once warm: what it collects lies in vectors that the lane keeps.
class MetalEncoding {
 public:
  struct Choices {
    bool concurrent = true;       ///< compute encoders run dispatches side by side
    bool name_resources = false;  ///< without a residency set: each encoder says what it uses
  };
  /// What is collected.
  struct Scratch {
    HostVector<const MetalBuffer*> managed_read;     // ahead of the commit the host's writes are announced
    HostVector<const MetalBuffer*> managed_written;  // behind the work it is copied to the host
    HostVector<NativeFence> written_behind;          // fences of the passes that write those
  };

  MetalEncoding(NativeCommandBuffer commands, const Choices& choices, MetalFences& fences, Scratch& scratch);
  ~MetalEncoding();
  MetalEncoding(const MetalEncoding&) = delete;
  MetalEncoding& operator=(const MetalEncoding&) = delete;

  /// @name Passes
  /// @{
  /// The next compute pass leaves the times of its beginning and end in two samples, from `first` on.
  void SampleNext(NativeCounterSampleBuffer samples, uint32_t first) {
    samples_ = samples;
    first_sample_ = first;
  }
  /// Opens an encoder that waits for the passes `waits`, by their numbers.
  Status BeginPass(PassKind kind, std::span<const uint32_t> waits);
  /// Closes it. If `signals` later passes may wait for it as `number`.
  Status EndPass(uint32_t number, bool signals);
  /// Managed memory that was written is copied to the host, once all passes are done, and what the host wrote is
  /// announced. After the last pass, before the commit.
  Status FinishManaged();
  /// @}

  /// @name In a compute pass
  /// @{
  void Barrier();
  void SetPipeline(NativeComputePipelineState pipeline);
  void SetBuffer(uint32_t index, NativeBuffer buffer, uint64_t offset);
  void SetBytes(uint32_t index, const void* data, uint64_t length);
  void SetThreadgroupMemory(uint64_t length);
  void Dispatch(const hal_dim3_t& count, const hal_dim3_t& size);
  void DispatchIndirect(NativeBuffer counts, uint64_t offset, const hal_dim3_t& size);
  /// @}

  /// @name In a blit pass
  /// @{
  void Fill(NativeBuffer target, uint64_t offset, uint64_t length, uint8_t value);
  void Copy(NativeBuffer target, uint64_t target_offset, NativeBuffer source, uint64_t source_offset, uint64_t length);
  /// @}

  /// Kernels of this pass reach a buffer through an address.
  void UseResource(const MetalBuffer& buffer, bool written);
  /// Commands of this pass have a buffer as an argument.
  void UseArgument(const MetalBuffer& buffer, bool written) {
    if (buffer.managed()) NoteManaged(buffer, written);
  }

  /// @name Names for debuggers
  /// @{
  void PushGroup(std::string_view label);
  void PopGroup();
  /// @}

  PassKind kind() const { return kind_; }

 private:
  struct Bound {
    NativeBuffer buffer = nullptr;
    uint64_t offset = 0;
  };

  void* NewComputeEncoder();
  void NoteManaged(const MetalBuffer& buffer, bool written);
  void EndEncoder() noexcept;

  const NativeCommandBuffer commands_;
  const Choices choices_;
  MetalFences& fences_;
  Scratch& scratch_;
  PassKind kind_ = PassKind::kCompute;
  void* encoder_ = nullptr;  // of that kind; it lives as long as the command buffer
  uint64_t stamp_ = 0;       // names the encoder
  NativeComputePipelineState pipeline_ = nullptr;
  std::array<Bound, kBufferIndices> bound_{};
  uint64_t threadgroup_memory_ = 0;
  NativeCounterSampleBuffer samples_ = nullptr;  // of the next pass
  uint32_t first_sample_ = 0;
};

}  // namespace halyard::metal

#endif  // HALYARD_METAL_RECORDING_METAL_ENCODING_H_
