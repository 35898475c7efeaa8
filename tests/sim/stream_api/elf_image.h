// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images that the vendors' functions take by address, without a size.
#ifndef HALYARD_TESTS_SIM_STREAM_API_ELF_IMAGE_H_
#define HALYARD_TESTS_SIM_STREAM_API_ELF_IMAGE_H_

#include <cstddef>

namespace halyard::sim {

// The size of an ELF file, from its header: the end of everything that it points to. Files of machine code end with one
// of their tables.
size_t ElfSize(const void* image);

// Reads no further than the first byte that differs: an image of another kind may be shorter than the magic.
bool BeginsAs(const void* image, const void* magic, size_t size);

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_STREAM_API_ELF_IMAGE_H_
