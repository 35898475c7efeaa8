// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The values of --input, --output, --expect and --constant, taken apart.
#ifndef HALYARD_TOOLS_RUN_ARGUMENTS_H_
#define HALYARD_TOOLS_RUN_ARGUMENTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "array_spec.h"

namespace halyard::tools {

/// `[N=]FILE` or `[N=]TYPE[SHAPE]=VALUE`.
struct InputArgument {
  std::optional<uint32_t> binding;  ///< N, if given
  std::string path;                 ///< empty if it is a value
  ArraySpec spec;                   ///< of the value
  std::string value;                ///< what every element is
  bool checks_type = false;         ///< the array has to be of the parameter's type
};
InputArgument ParseInputArgument(std::string_view text);

/// `[N=]FILE[:TYPE[SHAPE]]`. The file "-" is the terminal, "" none.
struct OutputArgument {
  std::optional<uint32_t> binding;
  std::string path;
  std::optional<ArraySpec> spec;
};
OutputArgument ParseOutputArgument(std::string_view text);

/// `[N=]FILE`.
struct ExpectArgument {
  std::optional<uint32_t> binding;
  std::string path;
};
ExpectArgument ParseExpectArgument(std::string_view text);

/// `TYPE:VALUE` or `hex:BYTES`.
struct ConstantArgument {
  std::string text;
  hal_element_type_t type = HAL_ELEMENT_TYPE_NONE;  ///< NONE for mere bytes
  std::vector<std::byte> bytes;
  size_t alignment = 1;
};
ConstantArgument ParseConstantArgument(std::string_view text);

/// An argument by the name of the kernel's parameter: `NAME=VALUE`, `NAME=TYPE:VALUE`, `NAME=FILE` or
/// `NAME=TYPE[SHAPE]=VALUE`; or `NAME:FILE[:TYPE[SHAPE]]`.
struct NamedArgument {
  std::string name;
  std::string text;        ///< what follows the sign
  bool is_output = false;  ///< the sign is a colon
};
NamedArgument ParseNamedArgument(std::string_view text);

/// `ABSOLUTE[,RELATIVE]`, as numpy.allclose() has them.
struct Tolerance {
  double absolute = 0;
  double relative = 0;
};
Tolerance ParseTolerance(std::string_view text);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_RUN_ARGUMENTS_H_
