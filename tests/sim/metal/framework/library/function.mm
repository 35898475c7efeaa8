// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>
#include <string>

#include "framework/library/sim_library.h"
#include "framework/refusal.h"

using namespace halyard;
using namespace halyard::metal_sim;

namespace {

// What is wrong with a constant's value; empty if nothing is.
std::string FaultOf(const msl_host::FunctionConstant& constant, const GivenConstant* given, bool required) {
  if (given == nullptr) {
    return required ? "the function constant '" + constant.name + "' is required but has no value" : "";
  }
  const MTLDataType expected = DataTypeOf(constant.type);
  if (given->type == expected) return "";
  return "the function constant '" + constant.name + "' has the type " + DataTypeName(expected) +
         ", but its value has the type " + DataTypeName(given->type);
}

}  // namespace

@implementation SimFunction
@synthesize device = device_;
@synthesize label = label_;

- (instancetype)initWithDevice:(id<MTLDevice>)device
                          code:(std::shared_ptr<const LibraryCode>)code
                        kernel:(const msl_host::Kernel*)kernel {
  self = [super init];
  device_ = [device retain];
  code_ = std::move(code);
  kernel_ = kernel;
  return self;
}

- (void)dealloc {
  [device_ release];
  [label_ release];
  [super dealloc];
}

- (BOOL)specialise:(const GivenConstants&)given error:(NSError**)error {
  for (const msl_host::FunctionConstant& constant : code_->ConstantsOf(*kernel_)) {
    const GivenConstant* value = given.Find(constant);
    const std::string fault = FaultOf(constant, value, code_->IsRequired(constant));
    if (!fault.empty()) {
      SetError(error, MTLLibraryErrorDomain, MTLLibraryErrorCompileFailure, kernel_->name + ": " + fault);
      return NO;
    }
    if (value != nullptr) values_.push_back({constant.index, value->bytes});
  }
  specialised_ = YES;
  return YES;
}

- (const msl_host::Kernel&)kernel {
  return *kernel_;
}

- (std::shared_ptr<const msl_host::Program>)program:(std::string*)why {
  if (!specialised_ && !code_->ConstantsOf(*kernel_).empty()) {
    *why = "the function '" + kernel_->name + "' has function constants; make it with their values";
    return nullptr;
  }
  return code_->Specialise(values_, why);
}

- (std::string)key {
  std::string key = code_->hash() + '/' + kernel_->name;
  char digits[16];
  for (const msl_host::ConstantValue& value : values_) {
    key += '/' + std::to_string(value.index) + '=';
    for (const std::byte byte : value.bytes) {
      std::snprintf(digits, sizeof(digits), "%02x", static_cast<unsigned>(byte));
      key += digits;
    }
  }
  return key;
}

- (NSString*)name {
  return [NSString stringWithUTF8String:kernel_->name.c_str()];
}

- (MTLFunctionType)functionType {
  return MTLFunctionTypeKernel;
}

- (NSDictionary*)functionConstantsDictionary {
  NSMutableDictionary* constants = [NSMutableDictionary dictionary];
  if (specialised_) return constants;
  for (const msl_host::FunctionConstant& constant : code_->ConstantsOf(*kernel_)) {
    const BOOL required = code_->IsRequired(constant);
    MTLFunctionConstant* description = [[MTLFunctionConstant alloc] initWithConstant:constant required:required];
    [constants setObject:description forKey:description.name];
    [description release];
  }
  return constants;
}
@end
