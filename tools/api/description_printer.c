// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints the description of the public headers, as this compiler lays them out: `halyard_api_printer OUTPUT`.
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "halyard/base.h"

static void PrintSize(FILE* file, size_t size) { fprintf(file, "%zu", size); }
static void PrintVersion(FILE* file) {
  fprintf(file, "\"%d.%d.%d\"", HAL_VERSION_MAJOR, HAL_VERSION_MINOR, HAL_VERSION_PATCH);
}
static void PrintUnsigned(FILE* file, uint64_t value) { fprintf(file, "%" PRIu64, value); }
static void PrintSigned(FILE* file, int64_t value) { fprintf(file, "%" PRId64, value); }
// No text of the headers needs escapes.
static void PrintText(FILE* file, const char* value) { fprintf(file, "\"%s\"", value); }

#define PRINT_VALUE(file, value) \
  _Generic((value), char* : PrintText, const char* : PrintText, int : PrintSigned, long : PrintSigned,          \
           long long : PrintSigned, default : PrintUnsigned)(file, value)

#include "api_description.inc"

int main(int argc, char** argv) {
  FILE* const file = argc == 2 ? fopen(argv[1], "w") : NULL;
  if (!file) return 1;
  PrintDescription(file);
  return fclose(file) == 0 ? 0 : 1;
}
