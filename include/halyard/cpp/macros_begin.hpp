// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts macros aside that other headers define with names that ours declare: X11's of <X11/Xlib.h> and <X11/X.h>. Each
// header for C++ includes this first, and macros_end.hpp last, which puts them back. No guard: it may come many times.
//
// A program in which such a macro is defined names hal::Status by its other name, hal::CallStatus.
#pragma push_macro("Status")
#undef Status
