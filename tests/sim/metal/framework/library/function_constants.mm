// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "framework/library/function_constants.h"

#include <cstring>

#include "framework/refusal.h"

namespace halyard::metal_sim {
namespace {

using msl_host::ConstantType;

struct TypeRow {
  ConstantType constant;
  MTLDataType type;
  size_t size;
  const char* name;
};

constexpr TypeRow kTypes[] = {
    {ConstantType::kBool, MTLDataTypeBool, 1, "bool"},       {ConstantType::kInt, MTLDataTypeInt, 4, "int"},
    {ConstantType::kUint, MTLDataTypeUInt, 4, "uint"},       {ConstantType::kShort, MTLDataTypeShort, 2, "short"},
    {ConstantType::kUshort, MTLDataTypeUShort, 2, "ushort"}, {ConstantType::kChar, MTLDataTypeChar, 1, "char"},
    {ConstantType::kUchar, MTLDataTypeUChar, 1, "uchar"},    {ConstantType::kFloat, MTLDataTypeFloat, 4, "float"},
    {ConstantType::kHalf, MTLDataTypeHalf, 2, "half"},       {ConstantType::kLong, MTLDataTypeLong, 8, "long"},
    {ConstantType::kUlong, MTLDataTypeULong, 8, "ulong"},
};

const TypeRow* FindType(MTLDataType type) {
  for (const TypeRow& row : kTypes) {
    if (row.type == type) return &row;
  }
  return nullptr;
}

GivenConstant Copy(const void* value, MTLDataType type) {
  const auto* bytes = static_cast<const std::byte*>(value);
  return {type, {bytes, bytes + ConstantSize(type)}};
}

bool IsMisused(const void* value, MTLDataType type, SEL call) {
  return Misused(value == nullptr || ConstantSize(type) == 0, call, "expected a value and a type of constants");
}

}  // namespace

const GivenConstant* GivenConstants::Find(const msl_host::FunctionConstant& constant) const {
  if (const auto found = by_index.find(constant.index); found != by_index.end()) return &found->second;
  if (const auto found = by_name.find(constant.name); found != by_name.end()) return &found->second;
  return nullptr;
}

MTLDataType DataTypeOf(ConstantType type) {
  for (const TypeRow& row : kTypes) {
    if (row.constant == type) return row.type;
  }
  return MTLDataTypeNone;
}

const char* DataTypeName(MTLDataType type) {
  const TypeRow* row = FindType(type);
  return row == nullptr ? "unknown" : row->name;
}

size_t ConstantSize(MTLDataType type) {
  const TypeRow* row = FindType(type);
  return row == nullptr ? 0 : row->size;
}

}  // namespace halyard::metal_sim

using namespace halyard::metal_sim;

@implementation MTLFunctionConstant
@synthesize name = name_;
@synthesize type = type_;
@synthesize index = index_;
@synthesize required = required_;

- (instancetype)initWithConstant:(const halyard::msl_host::FunctionConstant&)constant required:(BOOL)required {
  self = [super init];
  name_ = [[NSString alloc] initWithUTF8String:constant.name.c_str()];
  type_ = DataTypeOf(constant.type);
  index_ = constant.index;
  required_ = required;
  return self;
}

- (void)dealloc {
  [name_ release];
  [super dealloc];
}
@end

@implementation MTLFunctionConstantValues

- (instancetype)init {
  self = [super init];
  given_ = new GivenConstants;
  return self;
}

- (void)dealloc {
  delete static_cast<GivenConstants*>(given_);
  [super dealloc];
}

- (id)copyWithZone:(NSZone*)zone {
  MTLFunctionConstantValues* copy = [[MTLFunctionConstantValues allocWithZone:zone] init];
  *static_cast<GivenConstants*>(copy->given_) = self.given;
  return copy;
}

- (const GivenConstants&)given {
  return *static_cast<const GivenConstants*>(given_);
}

- (void)setConstantValue:(const void*)value type:(MTLDataType)type atIndex:(NSUInteger)index {
  if (IsMisused(value, type, _cmd)) return;
  static_cast<GivenConstants*>(given_)->by_index[index] = Copy(value, type);
}

- (void)setConstantValue:(const void*)value type:(MTLDataType)type withName:(NSString*)name {
  if (IsMisused(value, type, _cmd) || Misused(name == nil, _cmd, "expected a name")) return;
  static_cast<GivenConstants*>(given_)->by_name[name.UTF8String] = Copy(value, type);
}

- (void)reset {
  *static_cast<GivenConstants*>(given_) = {};
}
@end
