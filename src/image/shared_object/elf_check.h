// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A look at a shared object before the system's loader gets it.
#ifndef HALYARD_IMAGE_SHARED_OBJECT_ELF_CHECK_H_
#define HALYARD_IMAGE_SHARED_OBJECT_ELF_CHECK_H_

#include "base/status.h"
#include "image/shared_object/bytes.h"
#include "image/shared_object/elf_reader.h"

namespace halyard {

/// Refuses what is not an ELF shared object for this machine, whose headers and segments do not lie inside it, or whose
/// tables lie in no segment: the system's loader would crash on some of those. DATA_LOSS or INCOMPATIBLE, naming the
/// field. May throw std::bad_alloc.
///
/// It does not make untrusted code safe: what is loaded runs with all the rights of the process.
/// It accepts everything where the system has no ELF, or not that of 64 bits in little-endian order.
Status CheckElfImage(Bytes image);

/// The part of it that holds for shared objects of every machine: the segments, and the tables that they hold.
Status CheckElfSegments(Bytes image, const ElfReader& elf);

}  // namespace halyard

#endif  // HALYARD_IMAGE_SHARED_OBJECT_ELF_CHECK_H_
