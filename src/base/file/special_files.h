// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HALYARD_BASE_FILE_SPECIAL_FILES_H_
#define HALYARD_BASE_FILE_SPECIAL_FILES_H_

namespace halyard {

/// What to do with a path that leads to a pipe or a device. Reading one may wait, and may never end.
enum class SpecialFiles { kRefuse, kUse };

}  // namespace halyard

#endif  // HALYARD_BASE_FILE_SPECIAL_FILES_H_
