// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an argument buffer lies in memory. Tier 2 has the kernel's struct as it is. Tier 1 has a header before it, so
// that only an argument encoder writes it rightly, as on the devices that Apple means.
#ifndef HALYARD_SIM_METAL_FRAMEWORK_ARGUMENT_LAYOUT_H_
#define HALYARD_SIM_METAL_FRAMEWORK_ARGUMENT_LAYOUT_H_

#include <cstddef>

#include "msl/msl_host.h"

namespace halyard::metal_sim {

// Whether the struct that an argument points to has pointers: then it is an argument buffer.
bool IsArgumentBuffer(const msl_host::Argument& argument);

// Bytes of an argument buffer, and of what it has before the struct; that is 0 in tier 2.
size_t EncodedLength(const msl_host::Argument& argument);
size_t EncodedHeader();
// Marks memory as an argument buffer.
void WriteEncodedHeader(const msl_host::Argument& argument, void* encoded);
// Copies the struct of an argument buffer, data_size bytes, for the kernel. False if no encoder wrote it in tier 1.
bool DecodeArguments(const msl_host::Argument& argument, const void* encoded, void* plain);

}  // namespace halyard::metal_sim

#endif  // HALYARD_SIM_METAL_FRAMEWORK_ARGUMENT_LAYOUT_H_
