// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes argument buffers in the way of the device's tier.
#include <algorithm>
#include <cstring>
#include <string>

#include "framework/library/sim_library.h"
#include "framework/pipeline/argument_layout.h"
#include "framework/pipeline/reflection.h"
#include "framework/refusal.h"

using namespace halyard;
using namespace halyard::metal_sim;

@interface SimArgumentEncoder : SimObject <MTLArgumentEncoder> {
 @private
  id<MTLDevice> device_;
  NSString* label_;
  msl_host::Argument layout_;
  id<MTLBuffer> target_;
  NSUInteger offset_;  // in target_
}
@end

namespace {

const msl_host::Member* FindMember(const msl_host::Argument& layout, NSUInteger id, bool pointer) {
  for (const msl_host::Member& member : layout.members) {
    if (member.id == id && member.pointer == pointer) return &member;
  }
  return nullptr;
}

}  // namespace

@implementation SimArgumentEncoder
@synthesize device = device_;
@synthesize label = label_;

- (instancetype)initWithDevice:(id<MTLDevice>)device layout:(const msl_host::Argument&)layout {
  self = [super init];
  device_ = [device retain];
  layout_ = layout;
  return self;
}

- (void)dealloc {
  [device_ release];
  [label_ release];
  [target_ release];
  [super dealloc];
}

- (NSUInteger)encodedLength {
  return EncodedLength(layout_);
}

- (NSUInteger)alignment {
  return std::max(layout_.alignment, EncodedHeader());
}

- (void)setArgumentBuffer:(id<MTLBuffer>)buffer offset:(NSUInteger)offset {
  CallFails(_cmd);
  if (Misused(buffer != nil && buffer.contents == nullptr, _cmd, "the host cannot write this buffer")) return;
  if (Misused(offset % self.alignment != 0, _cmd, "the offset is not aligned")) return;
  const bool beyond = offset > buffer.length || buffer.length - offset < self.encodedLength;
  if (Misused(buffer != nil && beyond, _cmd, "the arguments end beyond the buffer")) return;
  [buffer retain];
  [target_ release];
  target_ = buffer;
  offset_ = offset;
}

// Where a member lies in the argument buffer. Null, and reported, if that is nowhere.
- (void*)addressOf:(NSUInteger)index pointer:(bool)pointer call:(SEL)call {
  if (Misused(target_ == nil, call, "set an argument buffer before")) return nullptr;
  const msl_host::Member* member = FindMember(layout_, index, pointer);
  if (Misused(member == nullptr, call, "no such member has the id " + std::to_string(index))) return nullptr;
  std::byte* encoded = static_cast<std::byte*>(target_.contents) + offset_;
  WriteEncodedHeader(layout_, encoded);
  return encoded + EncodedHeader() + member->offset;
}

- (void)setBuffer:(id<MTLBuffer>)buffer offset:(NSUInteger)offset atIndex:(NSUInteger)index {
  if (Misused(buffer != nil && offset > buffer.length, _cmd, "the offset is beyond the buffer")) return;
  void* place = [self addressOf:index pointer:true call:_cmd];
  const uint64_t address = buffer == nil ? 0 : AddressOf(buffer) + offset;
  if (place != nullptr) std::memcpy(place, &address, sizeof(address));
}

- (void*)constantDataAtIndex:(NSUInteger)index {
  return [self addressOf:index pointer:false call:_cmd];
}
@end

@implementation SimDevice (ArgumentEncoders)

- (id<MTLArgumentEncoder>)newArgumentEncoderWithBufferBinding:(id<MTLBufferBinding>)binding {
  if (CallFails(_cmd)) return nil;
  const bool known = [(id)binding isKindOfClass:[SimBufferBinding class]];
  if (Misused(!known, _cmd, "expected a binding of a pipeline's reflection")) return nil;
  const msl_host::Argument& layout = [(SimBufferBinding*)binding layout];
  if (Misused(!IsArgumentBuffer(layout), _cmd, "the binding is no argument buffer")) return nil;
  return [[SimArgumentEncoder alloc] initWithDevice:self layout:layout];
}
@end

@implementation SimFunction (ArgumentEncoders)

- (id<MTLArgumentEncoder>)newArgumentEncoderWithBufferIndex:(NSUInteger)index {
  if (CallFails(_cmd)) return nil;
  for (const msl_host::Argument& argument : self.kernel.arguments) {
    if (argument.index != index || !IsArgumentBuffer(argument)) continue;
    return [[SimArgumentEncoder alloc] initWithDevice:self.device layout:argument];
  }
  Misused(true, _cmd, "the function has no argument buffer at the index " + std::to_string(index));
  return nil;
}
@end
