// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "metal/recording/metal_encoding.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "metal/native/metal_calls.h"
#include "metal/native/metal_errors.h"
#include "metal/native/metal_library.h"

namespace halyard::metal {
namespace {

MTLSize ToSize(const hal_dim3_t& size) { return MTLSizeMake(size.x, size.y, size.z); }

uint64_t NextStamp() {
  static std::atomic<uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

void AddOnce(HostVector<const MetalBuffer*>& list, const MetalBuffer& buffer) {
  if (std::find(list.begin(), list.end(), &buffer) == list.end()) list.push_back(&buffer);
}

}  // namespace

Status MetalFences::Get(size_t index, NativeFence* out_fence) {
  while (fences_.size() <= index) {
    Owned<NativeFence> fence;
    HAL_TRY(NewFence(device_, &fence));
    fences_.push_back(std::move(fence));
  }
  *out_fence = fences_[index].get();
  return kOk;
}

MetalEncoding::MetalEncoding(NativeCommandBuffer commands, const Choices& choices, MetalFences& fences,
                             Scratch& scratch)
    : commands_(commands), choices_(choices), fences_(fences), scratch_(scratch) {
  scratch_.managed_read.clear();
  scratch_.managed_written.clear();
  scratch_.written_behind.clear();
}

MetalEncoding::~MetalEncoding() { EndEncoder(); }

void MetalEncoding::EndEncoder() noexcept {
  if (encoder_) [(id<MTLCommandEncoder>)encoder_ endEncoding];
  encoder_ = nullptr;
}

void* MetalEncoding::NewComputeEncoder() {
  const MTLDispatchType type = choices_.concurrent ? MTLDispatchTypeConcurrent : MTLDispatchTypeSerial;
  const NativeCounterSampleBuffer samples = std::exchange(samples_, nullptr);
  if (!samples) return [Id(commands_) computeCommandEncoderWithDispatchType:type];
  MTLComputePassDescriptor* const pass = [HALYARD_METAL_CLASS(MTLComputePassDescriptor) computePassDescriptor];
  MTLComputePassSampleBufferAttachmentDescriptor* const attachment =
      [[pass sampleBufferAttachments] objectAtIndexedSubscript:0];
  [pass setDispatchType:type];
  [attachment setSampleBuffer:Id(samples)];
  [attachment setStartOfEncoderSampleIndex:first_sample_];
  [attachment setEndOfEncoderSampleIndex:first_sample_ + 1];
  return [Id(commands_) computeCommandEncoderWithDescriptor:pass];
}

Status MetalEncoding::BeginPass(PassKind kind, std::span<const uint32_t> waits) {
  kind_ = kind;
  pipeline_ = nullptr;
  bound_ = {};
  threadgroup_memory_ = 0;
  stamp_ = NextStamp();
  encoder_ = kind == PassKind::kCompute ? NewComputeEncoder() : [Id(commands_) blitCommandEncoder];
  if (!encoder_) return FailNil(kind == PassKind::kCompute ? "computeCommandEncoder" : "blitCommandEncoder");
  for (const uint32_t pass : waits) {
    NativeFence fence = nullptr;
    HAL_TRY(fences_.Get(pass, &fence));
    if (kind == PassKind::kCompute) {
      [(id<MTLComputeCommandEncoder>)encoder_ waitForFence:Id(fence)];
    } else {
      [(id<MTLBlitCommandEncoder>)encoder_ waitForFence:Id(fence)];
    }
  }
  return kOk;
}

// From the first write of managed memory on, each pass can be waited for.
Status MetalEncoding::EndPass(uint32_t number, bool signals) {
  const bool writes_managed = !scratch_.managed_written.empty();
  if (signals || writes_managed) {
    NativeFence fence = nullptr;
    HAL_TRY(fences_.Get(number, &fence));
    if (kind_ == PassKind::kCompute) {
      [(id<MTLComputeCommandEncoder>)encoder_ updateFence:Id(fence)];
    } else {
      [(id<MTLBlitCommandEncoder>)encoder_ updateFence:Id(fence)];
    }
    if (writes_managed) scratch_.written_behind.push_back(fence);
  }
  EndEncoder();
  return kOk;
}

Status MetalEncoding::FinishManaged() {
  for (const MetalBuffer* const buffer : scratch_.managed_read) {
    uint64_t offset = 0;
    uint64_t length = 0;
    if (buffer->TakeModified(&offset, &length)) TellModified(buffer->native(), offset, length);
  }
  if (scratch_.managed_written.empty()) return kOk;
#if !TARGET_OS_IPHONE
  HAL_TRY(BeginPass(PassKind::kBlit, {}));
  const auto encoder = (id<MTLBlitCommandEncoder>)encoder_;
  for (const NativeFence fence : scratch_.written_behind) [encoder waitForFence:Id(fence)];
  for (const MetalBuffer* const buffer : scratch_.managed_written) {
    [encoder synchronizeResource:Id(buffer->native())];
  }
  EndEncoder();
#endif
  return kOk;
}

void MetalEncoding::NoteManaged(const MetalBuffer& buffer, bool written) {
  AddOnce(scratch_.managed_read, buffer);  // a write may leave bytes between those that the host wrote
  if (written) AddOnce(scratch_.managed_written, buffer);
}

void MetalEncoding::UseResource(const MetalBuffer& buffer, bool written) {
  if (buffer.managed()) NoteManaged(buffer, written);
  if (!choices_.name_resources || !buffer.native() || !buffer.FirstUseIn(stamp_)) return;
  [(id<MTLComputeCommandEncoder>)encoder_ useResource:Id(buffer.native())
                                                usage:MTLResourceUsageRead | MTLResourceUsageWrite];
}

void MetalEncoding::Barrier() {
  [(id<MTLComputeCommandEncoder>)encoder_ memoryBarrierWithScope:MTLBarrierScopeBuffers];
}

void MetalEncoding::SetPipeline(NativeComputePipelineState pipeline) {
  if (pipeline == pipeline_) return;
  pipeline_ = pipeline;
  [(id<MTLComputeCommandEncoder>)encoder_ setComputePipelineState:Id(pipeline)];
}

void MetalEncoding::SetBuffer(uint32_t index, NativeBuffer buffer, uint64_t offset) {
  Bound& bound = bound_[index];
  if (bound.buffer == buffer && bound.offset == offset) return;
  const auto encoder = (id<MTLComputeCommandEncoder>)encoder_;
  if (bound.buffer == buffer) {
    [encoder setBufferOffset:offset atIndex:index];
  } else {
    [encoder setBuffer:Id(buffer) offset:offset atIndex:index];
  }
  bound = {buffer, offset};
}

void MetalEncoding::SetBytes(uint32_t index, const void* data, uint64_t length) {
  bound_[index] = {};
  [(id<MTLComputeCommandEncoder>)encoder_ setBytes:data length:length atIndex:index];
}

void MetalEncoding::SetThreadgroupMemory(uint64_t length) {
  const uint64_t padded = (std::max<uint64_t>(length, 1) + 15) / 16 * 16;
  if (padded == threadgroup_memory_) return;
  threadgroup_memory_ = padded;
  [(id<MTLComputeCommandEncoder>)encoder_ setThreadgroupMemoryLength:padded atIndex:0];
}

void MetalEncoding::Dispatch(const hal_dim3_t& count, const hal_dim3_t& size) {
  [(id<MTLComputeCommandEncoder>)encoder_ dispatchThreadgroups:ToSize(count) threadsPerThreadgroup:ToSize(size)];
}

void MetalEncoding::DispatchIndirect(NativeBuffer counts, uint64_t offset, const hal_dim3_t& size) {
  [(id<MTLComputeCommandEncoder>)encoder_ dispatchThreadgroupsWithIndirectBuffer:Id(counts)
                                                            indirectBufferOffset:offset
                                                           threadsPerThreadgroup:ToSize(size)];
}

void MetalEncoding::Fill(NativeBuffer target, uint64_t offset, uint64_t length, uint8_t value) {
  [(id<MTLBlitCommandEncoder>)encoder_ fillBuffer:Id(target) range:NSMakeRange(offset, length) value:value];
}

void MetalEncoding::Copy(NativeBuffer target, uint64_t target_offset, NativeBuffer source, uint64_t source_offset,
                         uint64_t length) {
  [(id<MTLBlitCommandEncoder>)encoder_ copyFromBuffer:Id(source)
                                         sourceOffset:source_offset
                                             toBuffer:Id(target)
                                    destinationOffset:target_offset
                                                 size:length];
}

void MetalEncoding::PushGroup(std::string_view label) {
  [(id<MTLCommandEncoder>)encoder_ pushDebugGroup:ToNSString(label)];
}

void MetalEncoding::PopGroup() { [(id<MTLCommandEncoder>)encoder_ popDebugGroup]; }

}  // namespace halyard::metal
