// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the system's answers on files mean. For the files of this folder.
#ifndef HALYARD_PLATFORM_WINDOWS_FILE_FACTS_H_
#define HALYARD_PLATFORM_WINDOWS_FILE_FACTS_H_

#include <cstdint>

#include "platform/file_descriptor.h"
#include "platform/windows/system_headers.h"

namespace halyard {

/// Nanoseconds since 1970.
inline int64_t NanosecondsOf(const FILETIME& time) {
  constexpr int64_t kUnits1601To1970 = 116'444'736'000'000'000;  // of 100 nanoseconds
  const auto units = static_cast<int64_t>(uint64_t{time.dwHighDateTime} << 32 | time.dwLowDateTime);
  return (units - kUnits1601To1970) * 100;
}

/// Users have no numbers here: all files are of user 0, as the process is (CurrentUser()). Access lists are not read.
inline FileFacts FactsOf(DWORD attributes, const FILETIME& changed, uint64_t size) {
  FileFacts facts;
  facts.is_folder = (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
  facts.is_regular = !facts.is_folder && (attributes & FILE_ATTRIBUTE_REPARSE_POINT) == 0;
  facts.permissions = (attributes & FILE_ATTRIBUTE_READONLY) != 0 ? 0444 : 0666;
  facts.size = size;
  facts.changed = NanosecondsOf(changed);
  return facts;
}

}  // namespace halyard

#endif  // HALYARD_PLATFORM_WINDOWS_FILE_FACTS_H_
