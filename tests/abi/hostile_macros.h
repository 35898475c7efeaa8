// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program may have defined before it includes our headers: the keywords of Qt, and names that the headers of
// Windows and X11 take. Each stands for something that is no name in C or in C++, so that a use of it does not compile.
#ifndef HALYARD_TESTS_ABI_HOSTILE_MACROS_H_
#define HALYARD_TESTS_ABI_HOSTILE_MACROS_H_

// The C library is not ours to harm.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Qt, unless QT_NO_KEYWORDS is defined.
#define signals public:
#define slots public:
#define emit public:
#define foreach public:
#define forever public:

// Windows: words in lower case.
#define small public:
#define near public:
#define far public:
#define hyper public:
#define interface public:
#define pascal public:
#define cdecl public:
#define min(a, b) public:
#define max(a, b) public:

// Windows: words in capitals.
#define ABSOLUTE public:
#define BOOL public:
#define CALLBACK public:
#define CONST public:
#define DELETE public:
#define DOMAIN public:
#define ERROR public:
#define FALSE public:
#define IGNORE public:
#define IN public:
#define INFINITE public:
#define NO_ERROR public:
#define OPAQUE public:
#define OPTIONAL public:
#define OUT public:
#define OVERFLOW public:
#define RELATIVE public:
#define STRICT public:
#define TRANSPARENT public:
#define TRUE public:
#define UNDERFLOW public:
#define VOID public:

// X11.
#define Always public:
#define Bool public:
#define Complex public:
#define False public:
#define None public:
#define Status public:
#define Success public:
#define True public:
#define Unsorted public:

// The C library's own, in programs that ask for them.
#define linux public:
#define unix public:
#define major(device) public:
#define minor(device) public:

#endif  // HALYARD_TESTS_ABI_HOSTILE_MACROS_H_
