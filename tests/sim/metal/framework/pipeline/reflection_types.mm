// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host of the shading language does not say of which type a number is: those types are MTLDataTypeNone.
#include "framework/pipeline/reflection_types.h"

#include "framework/pipeline/argument_layout.h"

using namespace halyard;
using namespace halyard::metal_sim;

@interface MTLStructMember (Simulated)
- (instancetype)initWithMember:(const msl_host::Member&)member;
@end

@interface MTLStructType (Simulated)
- (instancetype)initWithMembers:(const std::vector<msl_host::Member>&)members;
@end

@implementation MTLType
@synthesize dataType = dataType_;
@end

@implementation MTLPointerType
@synthesize elementType = elementType_;
@synthesize access = access_;
@synthesize alignment = alignment_;
@synthesize dataSize = dataSize_;
@synthesize elementIsArgumentBuffer = elementIsArgumentBuffer_;

- (instancetype)initWithArgument:(const msl_host::Argument&)argument {
  self = [super init];
  dataType_ = MTLDataTypePointer;
  access_ = AccessOf(argument.writable);
  alignment_ = argument.alignment;
  dataSize_ = argument.data_size;
  elementIsArgumentBuffer_ = IsArgumentBuffer(argument);
  if (argument.members.empty()) return self;
  elementType_ = MTLDataTypeStruct;
  elementStructType_ = [[MTLStructType alloc] initWithMembers:argument.members];
  return self;
}

// To what the host does not tell.
- (instancetype)initWithPointer:(const msl_host::Member&)member {
  self = [super init];
  dataType_ = MTLDataTypePointer;
  access_ = AccessOf(member.writable);
  return self;
}

- (void)dealloc {
  [elementStructType_ release];
  [super dealloc];
}

- (MTLStructType*)elementStructType {
  return elementStructType_;
}
@end

@implementation MTLStructMember
@synthesize name = name_;
@synthesize offset = offset_;
@synthesize dataType = dataType_;
@synthesize argumentIndex = argumentIndex_;

- (instancetype)initWithMember:(const msl_host::Member&)member {
  self = [super init];
  name_ = [[NSString alloc] initWithUTF8String:member.name.c_str()];
  offset_ = member.offset;
  argumentIndex_ = member.id;
  if (!member.pointer) return self;
  dataType_ = MTLDataTypePointer;
  pointerType_ = [[MTLPointerType alloc] initWithPointer:member];
  return self;
}

- (void)dealloc {
  [name_ release];
  [pointerType_ release];
  [super dealloc];
}

- (MTLStructType*)structType {
  return nil;
}

- (MTLPointerType*)pointerType {
  return pointerType_;
}
@end

@implementation MTLStructType
@synthesize members = members_;

- (instancetype)initWithMembers:(const std::vector<msl_host::Member>&)members {
  self = [super init];
  dataType_ = MTLDataTypeStruct;
  NSMutableArray* list = [[NSMutableArray alloc] init];
  for (const msl_host::Member& member : members) {
    MTLStructMember* description = [[MTLStructMember alloc] initWithMember:member];
    [list addObject:description];
    [description release];
  }
  members_ = list;
  return self;
}

- (void)dealloc {
  [members_ release];
  [super dealloc];
}

- (MTLStructMember*)memberByName:(NSString*)name {
  for (MTLStructMember* member in members_) {
    if ([member.name isEqualToString:name]) return member;
  }
  return nil;
}
@end
