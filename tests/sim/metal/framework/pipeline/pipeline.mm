// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compute pipelines: made at once or on a thread of the framework.
#include <atomic>
#include <string>

#include "framework/library/compiled_functions.h"
#include "framework/pipeline/pipeline_gate.h"
#include "framework/pipeline/reflection.h"
#include "framework/pipeline/sim_archive.h"
#include "framework/pipeline/sim_pipeline.h"
#include "framework/refusal.h"

using namespace halyard;
using namespace halyard::metal_sim;

namespace {

// Apple's drivers name themselves here, and their codes are their own.
NSString* const kDomain = @"SimulatedCompiler";
constexpr NSInteger kFailed = 2;

// Why no pipeline can be made; empty if one can.
std::string FaultOf(SimDevice* device, MTLComputePipelineDescriptor* descriptor, size_t memory) {
  const NSUInteger most = device.maxThreadsPerThreadgroup.width;
  if (descriptor.maxTotalThreadsPerThreadgroup > most) {
    return "maxTotalThreadsPerThreadgroup is " + std::to_string(descriptor.maxTotalThreadsPerThreadgroup) +
           ", the device takes " + std::to_string(most);
  }
  if (memory > device.maxThreadgroupMemoryLength) {
    return "Threadgroup memory size (" + std::to_string(memory) + ") exceeds the maximum threadgroup memory allowed (" +
           std::to_string(device.maxThreadgroupMemoryLength) + ")";
  }
  return {};
}

bool IsArchived(MTLComputePipelineDescriptor* descriptor, const std::string& key) {
  for (SimBinaryArchive* archive in descriptor.binaryArchives) {
    if ([archive contains:key]) return true;
  }
  return false;
}

// Takes the code from an archive, or compiles it. False if the options allow no compiler.
bool FindCode(MTLComputePipelineDescriptor* descriptor, SimFunction* function, MTLPipelineOption options) {
  const std::string key = [function key];
  if (IsArchived(descriptor, key)) {
    CountArchiveHit();
  } else if ((options & MTLPipelineOptionFailOnBinaryArchiveMiss) != 0) {
    return false;
  } else {
    CountCompiledFunction(key);
  }
  return true;
}

// The caller owns the pipeline, and does not own the reflection.
SimPipeline* NewPipeline(SimDevice* device, MTLComputePipelineDescriptor* descriptor, MTLPipelineOption options,
                         MTLComputePipelineReflection** reflection, NSError** error) {
  auto* function = static_cast<SimFunction*>(descriptor.computeFunction);
  std::string fault;
  auto program = [function program:&fault];
  if (program != nullptr) fault = FaultOf(device, descriptor, program->ThreadgroupVariables([function kernel].name));
  if (!fault.empty()) {
    SetError(error, kDomain, kFailed, fault);
    return nil;
  }
  if (!FindCode(descriptor, function, options)) {
    SetError(error, MTLBinaryArchiveDomain, MTLBinaryArchiveErrorCompilationFailure,
             "no binary archive has the function '" + [function kernel].name + "'");
    return nil;
  }
  constexpr MTLPipelineOption kReflection = MTLPipelineOptionBindingInfo | MTLPipelineOptionBufferTypeInfo;
  if (reflection != nullptr && (options & kReflection) != 0) {
    auto* made = [[MTLComputePipelineReflection alloc] initWithKernel:[function kernel] options:options];
    *reflection = [made autorelease];
  }
  return [[SimPipeline alloc] initWithFunction:function program:std::move(program) descriptor:descriptor];
}

// One of the framework's threads. There are two, so that pipelines may be done in another order than they were begun.
dispatch_queue_t CompilerQueue() {
  static dispatch_queue_t queues[] = {dispatch_queue_create("compiler 0", DISPATCH_QUEUE_SERIAL),
                                      dispatch_queue_create("compiler 1", DISPATCH_QUEUE_SERIAL)};
  static std::atomic<size_t> next;
  return queues[next++ % std::size(queues)];
}

}  // namespace

@implementation SimPipeline
@synthesize label = label_;
@synthesize maxTotalThreadsPerThreadgroup = maxTotalThreadsPerThreadgroup_;

- (instancetype)initWithFunction:(SimFunction*)function
                         program:(std::shared_ptr<const msl_host::Program>)program
                      descriptor:(MTLComputePipelineDescriptor*)descriptor {
  self = [super init];
  function_ = [function retain];
  program_ = std::move(program);
  label_ = [descriptor.label copy];
  const NSUInteger wanted = descriptor.maxTotalThreadsPerThreadgroup;
  maxTotalThreadsPerThreadgroup_ = wanted == 0 ? TheSettings().pipeline_threads : wanted;
  return self;
}

- (void)dealloc {
  [function_ release];
  [label_ release];
  [super dealloc];
}

- (id<MTLDevice>)device {
  return function_.device;
}

- (NSUInteger)threadExecutionWidth {
  return 32;
}

- (NSUInteger)staticThreadgroupMemoryLength {
  return program_->ThreadgroupVariables([function_ kernel].name);
}

- (const msl_host::Kernel&)kernel {
  return [function_ kernel];
}

- (const msl_host::Program&)program {
  return *program_;
}
@end

@implementation SimDevice (Pipelines)

- (id<MTLComputePipelineState>)newComputePipelineStateWithFunction:(id<MTLFunction>)function error:(NSError**)error {
  if (Refused(_cmd, error, kDomain, kFailed) || Misused(function == nil, _cmd, "expected a function")) return nil;
  MTLComputePipelineDescriptor* descriptor = [[MTLComputePipelineDescriptor alloc] init];
  descriptor.computeFunction = function;
  SimPipeline* pipeline = NewPipeline(self, descriptor, MTLPipelineOptionNone, nullptr, error);
  [descriptor release];
  return pipeline;
}

- (id<MTLComputePipelineState>)newComputePipelineStateWithDescriptor:(MTLComputePipelineDescriptor*)descriptor
                                                             options:(MTLPipelineOption)options
                                                          reflection:(MTLComputePipelineReflection**)reflection
                                                               error:(NSError**)error {
  if (reflection != nullptr) *reflection = nil;
  if (Refused(_cmd, error, kDomain, kFailed)) return nil;
  if (Misused(descriptor.computeFunction == nil, _cmd, "expected a descriptor with a function")) return nil;
  return NewPipeline(self, descriptor, options, reflection, error);
}

- (void)newComputePipelineStateWithDescriptor:(MTLComputePipelineDescriptor*)descriptor
                                      options:(MTLPipelineOption)options
                            completionHandler:(MTLNewComputePipelineStateWithReflectionCompletionHandler)handler {
  if (Misused(descriptor.computeFunction == nil || handler == nil, _cmd, "expected a function and a handler")) return;
  NSError* refused = nil;
  const bool refuse = Refused(_cmd, &refused, kDomain, kFailed);
  MTLComputePipelineDescriptor* copy = [[descriptor copy] autorelease];
  NotePipeline();
  dispatch_async(CompilerQueue(), ^{
    AwaitPipelines();
    @autoreleasepool {
      NSError* error = refused;
      MTLComputePipelineReflection* reflection = nil;
      SimPipeline* pipeline = refuse ? nil : NewPipeline(self, copy, options, &reflection, &error);
      handler(pipeline, reflection, error);
      [pipeline release];
    }
  });
}
@end
