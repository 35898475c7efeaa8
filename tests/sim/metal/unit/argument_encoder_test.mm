// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstring>

#include "framework/pipeline/argument_layout.h"
#include "framework_test.h"

namespace halyard::metal_sim {
namespace {

constexpr const char* kSet = R"(#include <metal_stdlib>
using namespace metal;
struct Set { device uint* a [[id(0)]]; uint size [[id(1)]]; device uint* b [[id(4)]]; };
kernel void copies(constant Set& set [[buffer(2)]], device uint* plain [[buffer(3)]]) {
  for (uint i = 0; i < set.size; ++i) set.b[i] = set.a[i];
}
)";

struct Set {
  uint64_t a;
  uint32_t size;
  uint64_t b;
};

msl_host::Argument Layout() {
  msl_host::Argument layout;
  layout.data_size = sizeof(Set);
  return layout;
}

class ArgumentEncoderTest : public FrameworkTest {
 protected:
  // Whether argument buffers are structs as they are.
  bool IsPlain() { return device_.argumentBuffersSupport == MTLArgumentBuffersTier2; }

  id<MTLArgumentEncoder> Encoder() {
    id<MTLArgumentEncoder> encoder = [Function(kSet, @"copies") newArgumentEncoderWithBufferIndex:2];
    EXPECT_NE(encoder, nil);
    return [encoder autorelease];
  }

  // Writes a set with the buffer as both members.
  static void Write(id<MTLArgumentEncoder> encoder, id<MTLBuffer> target, NSUInteger offset, id<MTLBuffer> buffer) {
    [encoder setArgumentBuffer:target offset:offset];
    [encoder setBuffer:buffer offset:0 atIndex:0];
    [encoder setBuffer:buffer offset:16 atIndex:4];
    const uint32_t size = 7;
    std::memcpy([encoder constantDataAtIndex:1], &size, sizeof(size));
  }
};

TEST_F(ArgumentEncoderTest, WritesTheKernelsStruct) {
  id<MTLArgumentEncoder> encoder = Encoder();
  EXPECT_EQ(encoder.encodedLength, EncodedLength(Layout()));
  EXPECT_EQ(encoder.alignment, IsPlain() ? 8u : 16u);
  id<MTLBuffer> target = Buffer(64);
  id<MTLBuffer> buffer = Buffer(64);
  Write(encoder, target, encoder.alignment, buffer);
  Set set;
  ASSERT_TRUE(DecodeArguments(Layout(), static_cast<std::byte*>(target.contents) + encoder.alignment, &set));
  EXPECT_EQ(set.a, buffer.gpuAddress);
  EXPECT_EQ(set.b, buffer.gpuAddress + 16);
  EXPECT_EQ(set.size, 7u);
}

// What works in tier 2 alone.
TEST_F(ArgumentEncoderTest, PlainStructsAreNoArgumentBuffersInTier1) {
  const Set written = {1, 2, 3};
  std::byte bytes[sizeof(Set) + 16] = {};
  std::memcpy(bytes, &written, sizeof(written));
  Set read = {};
  EXPECT_EQ(DecodeArguments(Layout(), bytes, &read), IsPlain());
  EXPECT_EQ(read.b, IsPlain() ? 3u : 0u);
}

TEST_F(ArgumentEncoderTest, ComesFromABindingToo) {
  MTLComputePipelineReflection* reflection = nil;
  const MTLPipelineOption options = MTLPipelineOptionBindingInfo | MTLPipelineOptionBufferTypeInfo;
  id pipeline = [device_ newComputePipelineStateWithDescriptor:Descriptor(Function(kSet, @"copies"))
                                                       options:options
                                                    reflection:&reflection
                                                         error:nullptr];
  [pipeline release];
  auto binding = (id<MTLBufferBinding>)[reflection.bindings objectAtIndex:0];
  id<MTLArgumentEncoder> encoder = [[device_ newArgumentEncoderWithBufferBinding:binding] autorelease];
  EXPECT_EQ(encoder.encodedLength, EncodedLength(Layout()));
  EXPECT_EQ(encoder.device, device_);
}

TEST_F(ArgumentEncoderTest, KernelsReadWhatItWrote) {
  id<MTLFunction> function = Function(kSet, @"copies");
  id<MTLComputePipelineState> pipeline = Pipeline(function);
  id<MTLArgumentEncoder> encoder = [[function newArgumentEncoderWithBufferIndex:2] autorelease];
  id<MTLBuffer> target = Buffer(64);
  id<MTLBuffer> buffer = Buffer(64);
  Write(encoder, target, 0, buffer);
  [encoder setBuffer:buffer offset:32 atIndex:4];
  auto* numbers = static_cast<uint32_t*>(buffer.contents);
  for (uint32_t i = 0; i < 16; ++i) numbers[i] = i;
  Run(^(id<MTLCommandBuffer> commands) {
    id<MTLComputeCommandEncoder> compute = [commands computeCommandEncoder];
    [compute setComputePipelineState:pipeline];
    [compute setBuffer:target offset:0 atIndex:2];
    [compute setBuffer:buffer offset:0 atIndex:3];
    [compute dispatchThreadgroups:MTLSizeMake(1, 1, 1) threadsPerThreadgroup:MTLSizeMake(1, 1, 1)];
    [compute endEncoding];
  });
  for (uint32_t i = 0; i < 16; ++i) EXPECT_EQ(numbers[i], i >= 8 && i < 15 ? i - 8 : i);
}

TEST_F(ArgumentEncoderTest, ReportsWhatApplesFrameworkEndsTheProcessFor) {
  id<MTLArgumentEncoder> encoder = Encoder();
  [encoder setBuffer:nil offset:0 atIndex:0];
  EXPECT_EQ(TakeReports("invalid-argument"), 1u);  // no argument buffer
  [encoder setArgumentBuffer:Buffer(16) offset:0];
  EXPECT_EQ(TakeReports("invalid-argument"), 1u);  // too short
  [encoder setArgumentBuffer:Buffer(64) offset:4];
  EXPECT_EQ(TakeReports("invalid-argument"), 1u);  // not aligned
  [encoder setArgumentBuffer:Buffer(64) offset:0];
  [encoder setBuffer:nil offset:0 atIndex:3];
  EXPECT_EQ(TakeReports("invalid-argument"), 1u);  // no such member
  EXPECT_EQ([Function(kSet, @"copies") newArgumentEncoderWithBufferIndex:3], nil);
  EXPECT_EQ(TakeReports("invalid-argument"), 1u);  // no argument buffer there
}

}  // namespace
}  // namespace halyard::metal_sim
