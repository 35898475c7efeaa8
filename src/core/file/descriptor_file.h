// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files of the system, by path or by an open POSIX descriptor.
#ifndef HALYARD_CORE_FILE_DESCRIPTOR_FILE_H_
#define HALYARD_CORE_FILE_DESCRIPTOR_FILE_H_

#include <string_view>

#include "base/status.h"
#include "halyard/file.h"

namespace halyard {

/// Opens a regular file and owns its descriptor.
Status OpenFile(std::string_view path, hal_file_access_t access, hal_file_t** out_file);

/// Makes a file of a descriptor that stays the caller's.
Status MakeDescriptorFile(int descriptor, hal_file_access_t access, hal_file_t** out_file);

}  // namespace halyard

#endif  // HALYARD_CORE_FILE_DESCRIPTOR_FILE_H_
