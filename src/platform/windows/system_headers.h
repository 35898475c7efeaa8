// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The system's headers, without the macros that are in the way. For the files of this folder.
#ifndef HALYARD_PLATFORM_WINDOWS_SYSTEM_HEADERS_H_
#define HALYARD_PLATFORM_WINDOWS_SYSTEM_HEADERS_H_

#if !defined(WIN32_LEAN_AND_MEAN)
#define WIN32_LEAN_AND_MEAN
#endif
#if !defined(NOMINMAX)  // mingw-w64's C++ library defines it
#define NOMINMAX
#endif
#include <windows.h>

#endif  // HALYARD_PLATFORM_WINDOWS_SYSTEM_HEADERS_H_
