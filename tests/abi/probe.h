// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the generated probe is written in; the same in C and in C++.
#ifndef HALYARD_TESTS_ABI_PROBE_H_
#define HALYARD_TESTS_ABI_PROBE_H_

#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif
/// Print every public declaration, one a line, as each language sees it.
void HalyardPrintAbiInC(FILE* file);
void HalyardPrintAbiInCpp(FILE* file);
#ifdef __cplusplus
}
#endif

static void PrintNumber(FILE* file, const char* name, unsigned long long value) {
  fprintf(file, "constant %s = 0x%llx\n", name, value);
}

static void PrintText(FILE* file, const char* name, const char* value) {
  fprintf(file, "constant %s = \"%s\"\n", name, value);
}

// A struct that begins with its size must say so in its initialiser, and the function of the initialiser make the same.
static void CheckInitialiser(FILE* file, const char* name, const void* value, const void* made, size_t size) {
  size_t struct_size;
  memcpy(&struct_size, value, sizeof(struct_size));
  fprintf(file, "initialiser %s%s%s\n", name, struct_size == size ? "" : " SETS A WRONG struct_size",
          memcmp(value, made, size) == 0 ? "" : " HAS A WRONG FUNCTION");
}

#define HEADER(name) fprintf(file, "\n# %s\n", name)
#define STRUCT(type) fprintf(file, "struct %s: size %zu, alignment %zu\n", #type, sizeof(type), alignof(type))
#define MEMBER(type, path, text) \
  fprintf(file, "  at %zu, size %zu: %s\n", offsetof(type, path), sizeof(((type*)NULL)->path), text)
#define ENUM(type) fprintf(file, "enum %s: size %zu\n", #type, sizeof(type))
#define ENUMERATOR(name) fprintf(file, "  %s = %lld\n", #name, (long long)(name))
#define TYPE(type, text) fprintf(file, "%s: size %zu\n", text, sizeof(type))
#define FUNCTION(text) fprintf(file, "function %s\n", text)
#ifdef __cplusplus
template <class T>
void PrintConstant(FILE* file, const char* name, T value) {
  PrintNumber(file, name, value);
}
inline void PrintConstant(FILE* file, const char* name, const char* value) { PrintText(file, name, value); }
#define CONSTANT(name) PrintConstant(file, #name, name)
#else
#define CONSTANT(name) _Generic((name), char* : PrintText, default : PrintNumber)(file, #name, name)
#endif
// Static, so that the bytes between members are 0.
#define INITIALISER(type, name, function)                        \
  do {                                                           \
    static const type value = name;                              \
    type made;                                                   \
    function(&made, sizeof(made));                               \
    CheckInitialiser(file, #name, &value, &made, sizeof(value)); \
  } while (0)

#endif  // HALYARD_TESTS_ABI_PROBE_H_
