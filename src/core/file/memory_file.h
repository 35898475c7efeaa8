// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files that are memory of the application.
#ifndef HALYARD_CORE_FILE_MEMORY_FILE_H_
#define HALYARD_CORE_FILE_MEMORY_FILE_H_

#include "halyard/file.h"

namespace halyard {

/// Makes a file of memory. `release` may be NULL; it is called when the file is destroyed. Throws std::bad_alloc.
hal_file_t* MakeMemoryFile(void* data, uint64_t length, hal_file_access_t access, hal_file_release_fn_t release,
                           void* user_data);

}  // namespace halyard

#endif  // HALYARD_CORE_FILE_MEMORY_FILE_H_
