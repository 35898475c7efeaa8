// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the mangled name of a function of C++ tells of its parameters. Machine code for NVIDIA's GPUs has the size of a
// parameter and not whether it is an address, but the names of kernels say that.
//
// It is our own reader, as abi::__cxa_demangle() and LLVM's take memory of malloc(), may end the program on bad input,
// and give a text instead of types.
#ifndef HALYARD_IMAGE_REFLECTION_MANGLED_PARAMETERS_H_
#define HALYARD_IMAGE_REFLECTION_MANGLED_PARAMETERS_H_

#include <cstdint>
#include <string_view>

#include "base/host_memory.h"
#include "halyard/buffer_view.h"

namespace halyard {

enum class MangledKind : uint8_t {
  kPointer,  ///< the address of data; references, too
  kNumber,   ///< a built-in type
  kValue,    ///< anything else: a class, an enumeration, a vector, the address of code
};

struct MangledParameter {
  MangledKind kind = MangledKind::kValue;
  hal_element_type_t element_type = HAL_ELEMENT_TYPE_NONE;  ///< of a number or the numbers in a value, or of what a
                                                            ///< pointer points to
  uint32_t size = 0;                                        ///< of a number: bytes; 0 if the platform decides
};

/// Reads a name as the Itanium C++ ABI makes it: "_Z6kernelIfEvPT_m". A name that is made otherwise or that this reader
/// does not understand whole (expressions of templates, operators, variable arguments) tells nothing.
///
/// An array of Numba is several parameters: "5ArrayIfLi2E1C7mutable7alignedE" is a class in C++, and nine numbers and
/// addresses in a kernel.
///
/// It takes time linear in the name, and its depth is limited.
/// @return whether the name tells; `out_parameters` is then one for each parameter. May throw std::bad_alloc.
bool ReadMangledParameters(std::string_view name, HostVector<MangledParameter>* out_parameters);

}  // namespace halyard

#endif  // HALYARD_IMAGE_REFLECTION_MANGLED_PARAMETERS_H_
