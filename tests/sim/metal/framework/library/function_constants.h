// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Function constants: what a library declares, and the values that a caller gives.
#ifndef HALYARD_SIM_METAL_FRAMEWORK_FUNCTION_CONSTANTS_H_
#define HALYARD_SIM_METAL_FRAMEWORK_FUNCTION_CONSTANTS_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "framework/base.h"
#include "msl/msl_host.h"

namespace halyard::metal_sim {

struct GivenConstant {
  MTLDataType type = MTLDataTypeNone;
  std::vector<std::byte> bytes;
};

// What a caller set, by index or by name. A constant that has both takes the one by index.
struct GivenConstants {
  std::map<NSUInteger, GivenConstant> by_index;
  std::map<std::string, GivenConstant, std::less<>> by_name;

  const GivenConstant* Find(const msl_host::FunctionConstant& constant) const;
};

MTLDataType DataTypeOf(msl_host::ConstantType type);
// As the shading language writes it: "uint".
const char* DataTypeName(MTLDataType type);
// Bytes of a value; 0 if constants have no such type.
size_t ConstantSize(MTLDataType type);

}  // namespace halyard::metal_sim

@interface MTLFunctionConstant (Simulated)
- (instancetype)initWithConstant:(const halyard::msl_host::FunctionConstant&)constant required:(BOOL)required;
@end

@interface MTLFunctionConstantValues (Simulated)
- (const halyard::metal_sim::GivenConstants&)given;
@end

#endif  // HALYARD_SIM_METAL_FRAMEWORK_FUNCTION_CONSTANTS_H_
