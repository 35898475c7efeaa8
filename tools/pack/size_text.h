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
inline Json SizeJson(const hal_dim3_t& size) { return {size.x, size.y, size.z}; }

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_PACK_SIZE_TEXT_H_
