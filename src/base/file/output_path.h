// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a file that is to be written really goes.
#ifndef HALYARD_BASE_FILE_OUTPUT_PATH_H_
#define HALYARD_BASE_FILE_OUTPUT_PATH_H_

#include <string_view>

#include "base/host_memory.h"
#include "base/status.h"

namespace halyard {

/// Follows all links on `path`, also the last; what it leads to need not be there. PERMISSION_DENIED if one of them
/// lies in a folder that all users can write to: another user may have put it there to have a file of this one
/// replaced. INVALID_ARGUMENT if they lead in a circle.
Status ResolveOutputPath(std::string_view path, HostString* out);

}  // namespace halyard

#endif  // HALYARD_BASE_FILE_OUTPUT_PATH_H_
