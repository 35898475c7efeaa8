// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a text declares: its structs, constants, functions and kernels, as places among its tokens.
#ifndef HALYARD_SIM_MSL_OUTLINE_H_
#define HALYARD_SIM_MSL_OUTLINE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "msl/msl_host.h"
#include "msl/tokens.h"

namespace halyard::msl_host {

// [[name(argument)]]
struct Attribute {
  std::string name, argument;
};

struct MemberDeclaration {
  std::string name;
  uint32_t id = 0;
};

struct StructDeclaration {
  std::string name;  // with its namespaces, as "a::b"
  std::vector<MemberDeclaration> members;
};

// "constant T name[dimensions] = value;" outside functions.
struct ConstantDeclaration {
  std::string name, type, dimensions;
  std::string scope;                                     // its namespaces, as "a::"
  size_t begin = 0, name_place = 0, value = 0, end = 0;  // of "constant", the name, "=" (or the end) and ";"
  std::optional<uint32_t> function_constant;
  bool late = false;  // its value depends on function constants
};

struct Parameter {
  std::string name;
  size_t place = 0;
  Attribute attribute;                // without a name if it has none
  std::optional<AddressSpace> space;  // of a pointer or reference
};

// "threadgroup T name[dimensions];" in a kernel.
struct VariableDeclaration {
  std::string name, type;  // with the dimensions
};
struct VariableStatement {
  size_t begin = 0, end = 0;  // of "threadgroup" and ";"
  std::vector<VariableDeclaration> variables;
};

struct FunctionDefinition {
  std::string name;
  std::string scope;                                                              // as above
  size_t parameters_begin = 0, parameters_end = 0, body_begin = 0, body_end = 0;  // of the brackets
  bool is_kernel = false;
  bool has_barriers = false;  // itself, or in what it calls
  std::vector<Parameter> parameters;
  std::vector<VariableStatement> variables;
};

struct Outline {
  std::vector<StructDeclaration> structs;
  std::vector<ConstantDeclaration> constants;
  std::vector<FunctionDefinition> functions;
};

Outline ReadOutline(const Tokens& tokens);

// The place of the "[[" of attributes; and what stands between it and its "]]".
bool BeginsAttributes(const Tokens& tokens, size_t i);
std::vector<Attribute> ReadAttributes(const Tokens& tokens, size_t i);

}  // namespace halyard::msl_host

#endif  // HALYARD_SIM_MSL_OUTLINE_H_
