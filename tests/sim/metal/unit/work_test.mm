// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "work_test.h"

namespace halyard::metal_sim {
namespace {

// The order of the first two shows in what they leave.
constexpr const char* kKernels = R"(#include <metal_stdlib>
using namespace metal;
kernel void add(device uint* data [[buffer(0)]]) { data[0] += 1; }
kernel void triple(device uint* data [[buffer(0)]]) { data[0] *= 3; }
// The same without a data race.
kernel void add_apart(device atomic_uint* data [[buffer(0)]]) {
  atomic_store_explicit(data, atomic_load_explicit(data, memory_order_relaxed) + 1, memory_order_relaxed);
}
kernel void triple_apart(device atomic_uint* data [[buffer(0)]]) {
  atomic_store_explicit(data, atomic_load_explicit(data, memory_order_relaxed) * 3, memory_order_relaxed);
}
struct Pair { uint a; ulong b; };
kernel void pair(device uint* data [[buffer(0)]], constant Pair& pair [[buffer(1)]]) {
  data[0] = pair.a + static_cast<uint>(pair.b);
}
struct Set { device uint* data [[id(0)]]; };
kernel void indirect(constant Set& set [[buffer(0)]]) { set.data[0] += 1; }
kernel void count(device atomic_uint* data [[buffer(0)]]) {
  atomic_fetch_add_explicit(data, 1, memory_order_relaxed);
}
kernel void share(device uint* data [[buffer(0)]], threadgroup uint* shared [[threadgroup(0)]]) {
  shared[0] = 1;
  data[0] = shared[0];
}
)";

}  // namespace

WorkTest::WorkTest() : queue_([device_ newCommandQueue]) {}

WorkTest::~WorkTest() { [queue_ release]; }

id<MTLBuffer> WorkTest::Buffer(NSUInteger length, MTLResourceOptions options) {
  id<MTLBuffer> buffer = [device_ newBufferWithLength:length options:options];
  EXPECT_NE(buffer, nil);
  return [buffer autorelease];
}

id<MTLComputePipelineState> WorkTest::Pipeline(NSString* name) {
  NSError* error = nil;
  id<MTLComputePipelineState> pipeline = [device_ newComputePipelineStateWithFunction:Function(kKernels, name)
                                                                                error:&error];
  EXPECT_NE(pipeline, nil) << TextOf(error);
  return [pipeline autorelease];
}

id<MTLSharedEvent> WorkTest::Event() { return [[device_ newSharedEvent] autorelease]; }

id<MTLFence> WorkTest::Fence() { return [[device_ newFence] autorelease]; }

Done WorkTest::Commit(id<MTLCommandBuffer> commands) {
  const Done done = std::make_shared<std::binary_semaphore>(0);
  [commands addCompletedHandler:^(id<MTLCommandBuffer>) {
    done->release();
  }];
  [commands commit];
  return done;
}

void WorkTest::Dispatch(id<MTLComputeCommandEncoder> encoder, NSString* kernel, id<MTLBuffer> buffer) {
  [encoder setComputePipelineState:Pipeline(kernel)];
  [encoder setBuffer:buffer offset:0 atIndex:0];
  [encoder dispatchThreadgroups:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(1, 1, 1)];
}

void WorkTest::Encode(id<MTLCommandBuffer> commands, NSString* kernel, id<MTLBuffer> buffer, id<MTLFence> wait,
                      id<MTLFence> update) {
  id<MTLComputeCommandEncoder> encoder = [commands computeCommandEncoder];
  if (wait != nil) [encoder waitForFence:wait];
  Dispatch(encoder, kernel, buffer);
  if (update != nil) [encoder updateFence:update];
  [encoder endEncoding];
}

bool WorkTest::Happens(const std::function<bool()>& attempt) {
  for (int i = 0; i < kAttempts; ++i) {
    if (attempt()) return true;
  }
  return false;
}

}  // namespace halyard::metal_sim
