// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writing executable files (.halx). See docs/executables.md.
#ifndef HALYARD_IMAGE_HALX_CONTAINER_WRITER_H_
#define HALYARD_IMAGE_HALX_CONTAINER_WRITER_H_

#include <cstddef>

#include "base/host_memory.h"
#include "base/status.h"
#include "image/halx/container_contents.h"

namespace halyard {

/// Makes the bytes of a file. The same contents always give the same bytes, and equal images are stored once.
/// INVALID_ARGUMENT for contents that a reader would refuse, with the field. Throws std::bad_alloc.
Status SerializeContainer(const ContainerContents& contents, HostVector<std::byte>* out);

/// Writes those bytes to a file, which appears complete or not at all: a temporary file beside it is renamed to `path`.
/// Also NOT_FOUND or PERMISSION_DENIED (its directory), RESOURCE_EXHAUSTED (no space left).
Status WriteContainer(const ContainerContents& contents, const char* path);

}  // namespace halyard

#endif  // HALYARD_IMAGE_HALX_CONTAINER_WRITER_H_
