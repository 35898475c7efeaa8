// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "probe.h"

#include "probe.inc"

void HalyardPrintAbiInC(FILE* file) { PrintDeclarations(file); }
