// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes of workgroups and clusters for people and for programs.
#ifndef HALYARD_TOOLS_PACK_SIZE_TEXT_H_
#define HALYARD_TOOLS_PACK_SIZE_TEXT_H_

#include <string>

#include "halyard/base.h"
#include "support/failure.h"
#include "support/json.h"

namespace halyard::tools {

inline std::string SizeText(const hal_dim3_t& size) { return Concat(size.x, " x ", size.y, " x ", size.z); }
/// Of the sides that are not 0: "4 in y, 1 in z".
inline std::string SidesText(const hal_dim3_t& sides) {
  std::string text;
  const uint32_t numbers[] = {sides.x, sides.y, sides.z};
  for (size_t i = 0; i < 3; ++i) {
    if (numbers[i] > 0) text += Concat(text.empty() ? "" : ", ", numbers[i], " in ", "xyz"[i]);
  }
  return text;
}
inline Json SizeJson(const hal_dim3_t& size) { return {size.x, size.y, size.z}; }

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_PACK_SIZE_TEXT_H_
