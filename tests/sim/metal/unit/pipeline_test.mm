// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "framework_test.h"
#include "metal/library_control.h"

namespace halyard::metal_sim {
namespace {

using testing::HasSubstr;

// A set of three bindings of which the second is not used, constants, and threadgroup memory.
constexpr const char* kSets = R"(#include <metal_stdlib>
using namespace metal;
struct Set { const device uint* a [[id(0)]]; device uint* c [[id(2)]]; };
struct Constants { uint first; ulong second; uint third; };
kernel void sets(constant Set& set [[buffer(1)]], constant Constants& constants [[buffer(8)]],
                 threadgroup uint* shared [[threadgroup(0)]], uint i [[thread_position_in_grid]]) {
  set.c[i] = set.a[i] + constants.third;
}
)";

constexpr const char* kConstant = R"(#include <metal_stdlib>
using namespace metal;
constant uint count [[function_constant(0)]];
kernel void counts(device uint* out [[buffer(0)]]) { out[0] = count; }
)";

class PipelineTest : public FrameworkTest {
 protected:
  // Null if the pipeline has no such binding. The pool of the test owns it.
  id<MTLBinding> Binding(NSString* name) {
    MTLComputePipelineReflection* reflection = nil;
    NSError* error = nil;
    const MTLPipelineOption options = MTLPipelineOptionBindingInfo | MTLPipelineOptionBufferTypeInfo;
    id pipeline = [device_ newComputePipelineStateWithDescriptor:Descriptor(Function(kSets, @"sets"))
                                                         options:options
                                                      reflection:&reflection
                                                           error:&error];
    EXPECT_NE(pipeline, nil) << TextOf(error);
    [pipeline release];
    for (id<MTLBinding> binding in reflection.bindings) {
      if ([binding.name isEqualToString:name]) return binding;
    }
    return nil;
  }

  // What the error of a pipeline says; empty if there is a pipeline.
  std::string Refusal(MTLComputePipelineDescriptor* descriptor, MTLPipelineOption options = MTLPipelineOptionNone) {
    NSError* error = nil;
    id pipeline = [device_ newComputePipelineStateWithDescriptor:descriptor
                                                         options:options
                                                      reflection:nullptr
                                                           error:&error];
    EXPECT_EQ(pipeline == nil, error != nil);
    [pipeline release];
    return TextOf(error);
  }
};

TEST_F(PipelineTest, HasTheDevicesLimits) {
  id<MTLComputePipelineState> pipeline = [[device_ newComputePipelineStateWithFunction:Function(kSets, @"sets")
                                                                                 error:nullptr] autorelease];
  EXPECT_EQ(pipeline.maxTotalThreadsPerThreadgroup, 1024u);
  EXPECT_EQ(pipeline.threadExecutionWidth, 32u);
  EXPECT_EQ(pipeline.staticThreadgroupMemoryLength, 0u);
  EXPECT_EQ(pipeline.device, device_);
}

TEST_F(PipelineTest, TakesFewerThreadsAndRefusesTooMany) {
  MTLComputePipelineDescriptor* descriptor = Descriptor(Function(kSets, @"sets"));
  descriptor.maxTotalThreadsPerThreadgroup = 96;
  descriptor.label = @"few";
  id<MTLComputePipelineState> pipeline = [[device_ newComputePipelineStateWithDescriptor:descriptor
                                                                                 options:MTLPipelineOptionNone
                                                                              reflection:nullptr
                                                                                   error:nullptr] autorelease];
  EXPECT_EQ(pipeline.maxTotalThreadsPerThreadgroup, 96u);
  EXPECT_TRUE([pipeline.label isEqualToString:@"few"]);
  descriptor.maxTotalThreadsPerThreadgroup = 4096;
  EXPECT_THAT(Refusal(descriptor), HasSubstr("maxTotalThreadsPerThreadgroup is 4096"));
}

TEST_F(PipelineTest, KnowsStaticThreadgroupMemory) {
  const char* text = R"(#include <metal_stdlib>
using namespace metal;
kernel void fits(device uint* out [[buffer(0)]]) { threadgroup uint cells[100]; cells[0] = 1; out[0] = cells[0]; }
kernel void large(device uint* out [[buffer(0)]]) { threadgroup uint cells[100000]; cells[0] = 1; out[0] = cells[0]; }
)";
  id<MTLComputePipelineState> pipeline = [[device_ newComputePipelineStateWithFunction:Function(text, @"fits")
                                                                                 error:nullptr] autorelease];
  EXPECT_EQ(pipeline.staticThreadgroupMemoryLength, 400u);
  EXPECT_THAT(Refusal(Descriptor(Function(text, @"large"))), HasSubstr("Threadgroup memory size (400000) exceeds"));
}

TEST_F(PipelineTest, NeedsTheValuesOfConstants) {
  EXPECT_THAT(Refusal(Descriptor(Function(kConstant, @"counts"))), HasSubstr("has function constants"));
}

TEST_F(PipelineTest, ReflectsAnArgumentBuffer) {
  auto binding = (id<MTLBufferBinding>)Binding(@"set");
  EXPECT_EQ(binding.type, MTLBindingTypeBuffer);
  EXPECT_EQ(binding.index, 1u);
  EXPECT_EQ(binding.access, MTLBindingAccessReadOnly);
  EXPECT_EQ(binding.bufferDataSize, 16u);
  EXPECT_EQ(binding.bufferDataType, MTLDataTypeStruct);
  EXPECT_TRUE(binding.bufferPointerType.elementIsArgumentBuffer);
  NSArray* members = binding.bufferStructType.members;
  ASSERT_EQ(members.count, 2u);
  MTLStructMember* a = [members objectAtIndex:0];
  EXPECT_EQ(a.argumentIndex, 0u);
  EXPECT_EQ(a.offset, 0u);
  EXPECT_EQ(a.pointerType.access, MTLBindingAccessReadOnly);
  MTLStructMember* c = [members objectAtIndex:1];
  EXPECT_EQ(c.argumentIndex, 2u);
  EXPECT_EQ(c.offset, 8u);
  EXPECT_EQ(c.dataType, MTLDataTypePointer);
  EXPECT_EQ(c.pointerType.access, MTLBindingAccessReadWrite);
  EXPECT_EQ([binding.bufferStructType memberByName:@"c"], c);
}

TEST_F(PipelineTest, ReflectsConstantsWithTheirPadding) {
  auto binding = (id<MTLBufferBinding>)Binding(@"constants");
  EXPECT_EQ(binding.index, 8u);
  EXPECT_EQ(binding.bufferDataSize, 24u);
  EXPECT_EQ(binding.bufferAlignment, 8u);
  EXPECT_FALSE(binding.bufferPointerType.elementIsArgumentBuffer);
  EXPECT_EQ([binding.bufferStructType memberByName:@"third"].offset, 16u);
}

TEST_F(PipelineTest, ReflectsThreadgroupMemory) {
  auto binding = (id<MTLThreadgroupBinding>)Binding(@"shared");
  EXPECT_EQ(binding.type, MTLBindingTypeThreadgroupMemory);
  EXPECT_EQ(binding.index, 0u);
  EXPECT_EQ(binding.threadgroupMemoryDataSize, 4u);
  EXPECT_EQ(binding.threadgroupMemoryAlignment, 4u);
}

TEST_F(PipelineTest, ReflectsNothingUnlessAsked) {
  MTLComputePipelineReflection* reflection = (MTLComputePipelineReflection*)@"stale";
  id pipeline = [device_ newComputePipelineStateWithDescriptor:Descriptor(Function(kSets, @"sets"))
                                                       options:MTLPipelineOptionNone
                                                    reflection:&reflection
                                                         error:nullptr];
  EXPECT_EQ(reflection, nil);
  [pipeline release];
}

struct Made {
  std::mutex mutex;  // protects all
  std::condition_variable changed;
  bool done = false;
  bool pipeline = false;
  std::string error;
  std::thread::id thread;

  void Wait() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return done; });
  }
};

void MakeLater(id<MTLDevice> device, MTLComputePipelineDescriptor* descriptor, Made* made) {
  [device newComputePipelineStateWithDescriptor:descriptor
                                        options:MTLPipelineOptionNone
                              completionHandler:^(id<MTLComputePipelineState> pipeline, MTLComputePipelineReflection*,
                                                  NSError* error) {
                                const std::lock_guard lock(made->mutex);
                                made->done = true;
                                made->pipeline = pipeline != nil;
                                made->error = TextOf(error);
                                made->thread = std::this_thread::get_id();
                                made->changed.notify_all();
                              }];
  made->Wait();
}

TEST_F(PipelineTest, CallsTheHandlerOnAThreadOfTheFramework) {
  Made made;
  MakeLater(device_, Descriptor(Function(kSets, @"sets")), &made);
  EXPECT_TRUE(made.pipeline) << made.error;
  EXPECT_NE(made.thread, std::this_thread::get_id());
}

TEST_F(PipelineTest, ReportsCallersThatWaitForOneBeforeTheNext) {
  FRAMEWORK_CALL(halyardSimMetalHoldPipelines)(2, 1);
  Made made;
  MakeLater(device_, Descriptor(Function(kSets, @"sets")), &made);
  EXPECT_TRUE(made.pipeline) << made.error;
  EXPECT_EQ(TakeReports("pipelines-apart"), 1u);
  FRAMEWORK_CALL(halyardSimMetalHoldPipelines)(0, 0);
}

TEST_F(PipelineTest, GivesErrorsToTheHandler) {
  Made made;
  MakeLater(device_, Descriptor(Function(kConstant, @"counts")), &made);
  EXPECT_FALSE(made.pipeline);
  EXPECT_THAT(made.error, HasSubstr("has function constants"));
  Made refused;
  FailNext("newComputePipelineStateWithDescriptor:options:completionHandler:");
  MakeLater(device_, Descriptor(Function(kSets, @"sets")), &refused);
  EXPECT_FALSE(refused.pipeline);
  EXPECT_NE(refused.error, "");
}

}  // namespace
}  // namespace halyard::metal_sim
