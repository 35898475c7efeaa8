// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a dispatch gives a function: its bindings as memrefs and pointers.
#ifndef HALYARD_FUNCTION_BINDINGS_H_
#define HALYARD_FUNCTION_BINDINGS_H_

#include <cstddef>
#include <cstdint>

#include "base/status.h"
#include "function/signature.h"
#include "function/value_type.h"
#include "halyard/command_buffer.h"

namespace halyard {

/// Memory that is bound. Before it is known where it lies, any address that is aligned well will do.
struct BoundMemory {
  char* data;
  uint64_t length;  ///< bytes
};

/// Dimensions of the memref that a binding becomes; what a shape has, or an element of a type with static sizes. What
/// a pointer points to has one without a shape.
uint32_t BindingRank(const hal_value_type_t& type, const hal_shape_t* shape);

/// Makes a binding the memref that a function takes, and checks it: type, layout, and that every element lies inside.
/// Without a shape the type must be static, or have one dimension, whose size is then what the binding has room for, or
/// be a pointer.
///
/// @param shape  may be NULL
/// @param words  Descriptor::WordCount(BindingRank(type, shape)) words
/// @return INVALID_ARGUMENT, INCOMPATIBLE, OUT_OF_RANGE; the message names neither function nor position
Status DescribeBinding(const hal_value_type_t& type, const hal_shape_t* shape, const BoundMemory& memory,
                       int64_t* words, Descriptor* out);

/// Bytes from the lowest element to the end of the highest; UINT64_MAX if they cannot be counted.
/// @param out_below  bytes of them before the first element, which is not the lowest with negative strides
uint64_t ByteExtent(const Descriptor& descriptor, uint64_t* out_below);

/// Puts "'matmul': argument 1 (binding 0): " before a failure.
Status AnnotateBinding(Status status, std::string_view function, const char* list, size_t index, size_t binding);

/// Checks the shapes of a dispatch against the signature of its export, before anything is known of addresses.
/// Bindings of unknown length are only compared with their types.
Status CheckFunctionDispatch(std::string_view name, const hal_function_signature_t& signature,
                             const hal_dispatch_params_t& params);

/// Refuses a grid for functions that would not know their place in it, and a C function's without an id in a dimension
/// of several workgroups.
Status CheckFunctionGrid(std::string_view name, const hal_function_signature_t& signature, const hal_dim3_t& count);

}  // namespace halyard

#endif  // HALYARD_FUNCTION_BINDINGS_H_
