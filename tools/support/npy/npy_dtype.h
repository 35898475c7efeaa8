// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NumPy's element types ("<f4") and those of the library.
#ifndef HALYARD_TOOLS_SUPPORT_NPY_DTYPE_H_
#define HALYARD_TOOLS_SUPPORT_NPY_DTYPE_H_

#include <cstddef>
#include <string_view>

#include "halyard/buffer_view.h"

namespace halyard::tools {

/// An element type as a .npy file has it.
struct NpyDtype {
  hal_element_type_t type = HAL_ELEMENT_TYPE_NONE;
  size_t size = 0;            ///< bytes of an element
  size_t component_size = 0;  ///< bytes of the numbers that it is made of: half of `size` for complex ones
  bool swapped = false;       ///< their bytes are in the other order than the host's
};

/// Reads the text of `descr`. Throws Failure (kInput) with what the dtype is and which are supported.
NpyDtype ParseNpyDtype(std::string_view descr);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_SUPPORT_NPY_DTYPE_H_
