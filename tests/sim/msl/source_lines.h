// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a place of a preprocessed text was in the original one.
#ifndef HALYARD_SIM_MSL_SOURCE_LINES_H_
#define HALYARD_SIM_MSL_SOURCE_LINES_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace halyard::msl_host {

// "file:line:column" of a place, by the lines '# 12 "file"' in front of it.
std::string WherePresumed(std::string_view text, size_t place);

}  // namespace halyard::msl_host

#endif  // HALYARD_SIM_MSL_SOURCE_LINES_H_
