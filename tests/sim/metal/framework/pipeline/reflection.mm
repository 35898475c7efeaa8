// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "framework/pipeline/reflection.h"

#include "framework/pipeline/reflection_types.h"

using namespace halyard;
using namespace halyard::metal_sim;

// An argument with [[threadgroup(n)]].
@interface SimThreadgroupBinding : SimBinding <MTLThreadgroupBinding>
@end

@implementation SimBinding

- (instancetype)initWithArgument:(const msl_host::Argument&)argument {
  self = [super init];
  layout_ = argument;
  return self;
}

- (const msl_host::Argument&)layout {
  return layout_;
}

- (NSString*)name {
  return [NSString stringWithUTF8String:layout_.name.c_str()];
}

- (MTLBindingType)type {
  const bool threadgroup = layout_.space == msl_host::AddressSpace::kThreadgroup;
  return threadgroup ? MTLBindingTypeThreadgroupMemory : MTLBindingTypeBuffer;
}

- (MTLBindingAccess)access {
  return AccessOf(layout_.writable);
}

- (NSUInteger)index {
  return layout_.index;
}

// Apple's compiler finds arguments that no statement uses; this one does not look.
- (BOOL)isUsed {
  return YES;
}

- (BOOL)isArgument {
  return YES;
}
@end

@implementation SimBufferBinding

- (instancetype)initWithArgument:(const msl_host::Argument&)argument types:(BOOL)types {
  self = [super initWithArgument:argument];
  if (types) pointer_ = [[MTLPointerType alloc] initWithArgument:argument];
  return self;
}

- (void)dealloc {
  [pointer_ release];
  [super dealloc];
}

- (NSUInteger)bufferAlignment {
  return layout_.alignment;
}

- (NSUInteger)bufferDataSize {
  return layout_.data_size;
}

- (MTLDataType)bufferDataType {
  return pointer_.elementType;
}

- (MTLStructType*)bufferStructType {
  return pointer_.elementStructType;
}

- (MTLPointerType*)bufferPointerType {
  return pointer_;
}
@end

@implementation SimThreadgroupBinding

- (NSUInteger)threadgroupMemoryAlignment {
  return layout_.alignment;
}

- (NSUInteger)threadgroupMemoryDataSize {
  return layout_.data_size;
}
@end

@implementation MTLComputePipelineReflection
@synthesize bindings = bindings_;

- (instancetype)initWithKernel:(const msl_host::Kernel&)kernel options:(MTLPipelineOption)options {
  self = [super init];
  const BOOL types = (options & MTLPipelineOptionBufferTypeInfo) != 0;
  NSMutableArray* list = [[NSMutableArray alloc] init];
  for (const msl_host::Argument& argument : kernel.arguments) {
    const bool threadgroup = argument.space == msl_host::AddressSpace::kThreadgroup;
    SimBinding* binding = threadgroup ? [[SimThreadgroupBinding alloc] initWithArgument:argument]
                                      : [[SimBufferBinding alloc] initWithArgument:argument types:types];
    [list addObject:binding];
    [binding release];
  }
  bindings_ = list;
  return self;
}

- (void)dealloc {
  [bindings_ release];
  [super dealloc];
}
@end
