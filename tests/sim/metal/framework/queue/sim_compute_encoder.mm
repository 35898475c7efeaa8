// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include "framework/pipeline/sim_pipeline.h"
#include "framework/queue/counters.h"
#include "framework/queue/sim_encoders.h"
#include "framework/queue/sim_queue.h"
#include "framework/sim_buffer.h"

using halyard::metal_sim::BoundArgument;
using halyard::metal_sim::Dispatch;
using halyard::metal_sim::Report;
using halyard::metal_sim::SampleTarget;
using halyard::metal_sim::Storage;
using halyard::metal_sim::TheSettings;
using halyard::metal_sim::UsedResources;
using halyard::msl_host::kBufferIndices;

namespace {

constexpr NSUInteger kMostBytes = 4096;

std::array<uint32_t, 3> ToArray(MTLSize size) {
  return {static_cast<uint32_t>(size.width), static_cast<uint32_t>(size.height), static_cast<uint32_t>(size.depth)};
}

}  // namespace

@implementation SimComputeEncoder

- (instancetype)initWithCommandBuffer:(SimCommandBuffer*)commands
                                 type:(MTLDispatchType)type
                                 pass:(MTLComputePassDescriptor*)pass {
  self = [super initWithCommandBuffer:commands];
  type_ = type;
  work_->serial = type == MTLDispatchTypeSerial;
  if (pass) [self takeSamples:[pass sampleBufferAttachments]];
  return self;
}

- (void)dealloc {
  [pipeline_ release];
  [super dealloc];
}

- (void)takeSamples:(MTLComputePassSampleBufferAttachmentDescriptorArray*)attachments {
  MTLComputePassSampleBufferAttachmentDescriptor* const first = [attachments objectAtIndexedSubscript:0];
  const id<MTLCounterSampleBuffer> buffer = [first sampleBuffer];
  if (!buffer) return;
  if (TheSettings().sample_dispatches) {
    return Report("missing-call", "sampleBufferAttachments: the device has no counters at the ends of encoders");
  }
  const NSUInteger begin = [first startOfEncoderSampleIndex];
  const NSUInteger end = [first endOfEncoderSampleIndex];
  work_->sample = [target = SampleTarget(buffer), begin, end](bool begins) { target.Store(begins ? begin : end); };
}

- (MTLDispatchType)dispatchType {
  return type_;
}

- (void)setComputePipelineState:(id<MTLComputePipelineState>)state {
  if (![self mayEncode:_cmd]) return;
  [pipeline_ autorelease];
  pipeline_ = [(SimPipeline*)state retain];
}

- (void)setBytes:(const void*)bytes length:(NSUInteger)length atIndex:(NSUInteger)index {
  if (![self mayEncode:_cmd]) return;
  if (length == 0 || length > kMostBytes || index >= kBufferIndices) {
    return Report("range", "setBytes:length:atIndex: of " + std::to_string(length) + " bytes");
  }
  const auto* const first = static_cast<const std::byte*>(bytes);
  BoundArgument bound;
  bound.bytes = std::make_shared<std::vector<std::byte>>(first, first + length);
  state_.buffers[index] = std::move(bound);
}

- (void)setBuffer:(id<MTLBuffer>)buffer offset:(NSUInteger)offset atIndex:(NSUInteger)index {
  if (![self mayEncode:_cmd]) return;
  if (index >= kBufferIndices) return Report("range", "setBuffer:offset:atIndex: " + std::to_string(index));
  BoundArgument bound;
  if (buffer) {
    bound.storage = [(SimBuffer*)buffer storage];
    bound.offset = offset;
    if (offset % 4 != 0) Report("alignment", "setBuffer:offset:atIndex:");
    if (offset >= bound.storage->length()) Report("range", "setBuffer:offset:atIndex: beyond the buffer");
  }
  state_.buffers[index] = std::move(bound);
}

- (void)setBufferOffset:(NSUInteger)offset atIndex:(NSUInteger)index {
  if (![self mayEncode:_cmd]) return;
  if (index >= kBufferIndices || !state_.buffers[index].storage) {
    return Report("range", "setBufferOffset:atIndex: without a buffer");
  }
  if (offset % 4 != 0) Report("alignment", "setBufferOffset:atIndex:");
  if (offset >= state_.buffers[index].storage->length()) Report("range", "setBufferOffset:atIndex: beyond the buffer");
  state_.buffers[index].offset = offset;
}

- (void)setThreadgroupMemoryLength:(NSUInteger)length atIndex:(NSUInteger)index {
  if (![self mayEncode:_cmd]) return;
  if (length % 16 != 0 || index >= kBufferIndices) {
    return Report("alignment", "setThreadgroupMemoryLength: " + std::to_string(length));
  }
  state_.threadgroup_lengths[index] = length;
}

// Counts for dispatches from here on.
- (void)use:(id<MTLResource>)resource usage:(MTLResourceUsage)usage {
  const std::shared_ptr<Storage>& storage = [(SimBuffer*)resource storage];
  if (state_.used.use_count() > 1) state_.used = std::make_shared<UsedResources>(*state_.used);
  (*state_.used)[storage.get()] |= (usage & MTLResourceUsageWrite) != 0;
  [self uses:storage];
}
- (void)useResource:(id<MTLResource>)resource usage:(MTLResourceUsage)usage {
  if ([self mayEncode:_cmd]) [self use:resource usage:usage];
}
- (void)useResources:(const id<MTLResource>[])resources count:(NSUInteger)count usage:(MTLResourceUsage)usage {
  if (![self mayEncode:_cmd]) return;
  for (NSUInteger i = 0; i < count; ++i) [self use:resources[i] usage:usage];
}
- (void)useHeap:(id<MTLHeap>)heap {
  (void)heap;
  [self mayEncode:_cmd];
}

- (void)memoryBarrierWithScope:(MTLBarrierScope)scope {
  if (![self mayEncode:_cmd]) return;
  if ((scope & MTLBarrierScopeBuffers) != 0) barrier_ = YES;
}
- (void)memoryBarrierWithResources:(const id<MTLResource>[])resources count:(NSUInteger)count {
  (void)resources;
  (void)count;
  if ([self mayEncode:_cmd]) barrier_ = YES;
}

// Checks what holds for every dispatch, and adds it.
- (void)add:(Dispatch)dispatch threads:(MTLSize)threads selector:(SEL)selector {
  if (!pipeline_) return Report("no-pipeline", sel_getName(selector));
  const NSUInteger most = [pipeline_ maxTotalThreadsPerThreadgroup];
  const NSUInteger volume = threads.width * threads.height * threads.depth;
  if (volume == 0 || volume > most) {
    return Report("threadgroup-size",
                  std::to_string(volume) + " threads; the pipeline runs at most " + std::to_string(most));
  }
  for (const BoundArgument& bound : state_.buffers) {
    if (bound.storage) [self uses:bound.storage];
  }
  if (dispatch.counts.storage) [self uses:dispatch.counts.storage];
  dispatch.state = state_;
  dispatch.kernel = &[pipeline_ kernel];
  dispatch.program = &[pipeline_ program];
  SimPipeline* const kept = [pipeline_ retain];
  dispatch.pipeline = std::shared_ptr<const void>(kept, [](const void* pipeline) { [(id)pipeline release]; });
  dispatch.threads = ToArray(threads);
  dispatch.resident = [commands_ resident];
  const bool barrier = barrier_;
  barrier_ = NO;
  work_->steps.push_back({barrier, [dispatch = std::move(dispatch)] { return halyard::metal_sim::Run(dispatch); }});
}

- (void)dispatchThreadgroups:(MTLSize)groups threadsPerThreadgroup:(MTLSize)threads {
  if (![self mayEncode:_cmd]) return;
  if (groups.width == 0 || groups.height == 0 || groups.depth == 0) Report("zero-grid", "dispatchThreadgroups:");
  Dispatch dispatch;
  dispatch.groups = ToArray(groups);
  [self add:std::move(dispatch) threads:threads selector:_cmd];
}

- (void)dispatchThreadgroupsWithIndirectBuffer:(id<MTLBuffer>)buffer
                          indirectBufferOffset:(NSUInteger)offset
                         threadsPerThreadgroup:(MTLSize)threads {
  if (![self mayEncode:_cmd]) return;
  Dispatch dispatch;
  dispatch.counts.storage = [(SimBuffer*)buffer storage];
  dispatch.counts.offset = offset;
  if (offset % 4 != 0) Report("alignment", "dispatchThreadgroupsWithIndirectBuffer:");
  if (offset + 12 > dispatch.counts.storage->length()) return Report("range", "the counts of an indirect dispatch");
  [self add:std::move(dispatch) threads:threads selector:_cmd];
}

- (void)dispatchThreads:(MTLSize)grid threadsPerThreadgroup:(MTLSize)threads {
  const auto groups = [](NSUInteger a, NSUInteger b) { return (a + b - 1) / b; };
  [self dispatchThreadgroups:MTLSizeMake(groups(grid.width, threads.width), groups(grid.height, threads.height),
                                         groups(grid.depth, threads.depth))
       threadsPerThreadgroup:threads];
}

@end
