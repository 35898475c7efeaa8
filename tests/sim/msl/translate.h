// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rewrites a preprocessed text of Metal's language into C++, which host/metal_host.h completes.
#ifndef HALYARD_SIM_MSL_TRANSLATE_H_
#define HALYARD_SIM_MSL_TRANSLATE_H_

#include <string>
#include <string_view>

namespace halyard::msl_host {

struct Translation {
  std::string text;
  std::string errors;  // as a compiler's, with the lines of the original text; empty if there are none
};

Translation Translate(std::string_view preprocessed);

}  // namespace halyard::msl_host

#endif  // HALYARD_SIM_MSL_TRANSLATE_H_
