// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies and fills.
#ifndef HALYARD_TESTS_SIM_ENGINE_TRANSFER_H_
#define HALYARD_TESTS_SIM_ENGINE_TRANSFER_H_

#include <cstddef>
#include <cstdint>

#include "engine/work.h"

namespace halyard::sim {

// Bytes from one place to another. Either may be unregistered host memory where that is allowed.
struct Copy {
  uintptr_t target = 0;
  uintptr_t source = 0;
  size_t size = 0;  // bytes
  bool host_target = false;
  bool host_source = false;
  bool any_device = false;  // by a call that names both devices; others need access to memory of another one
};

// kInvalidValue, with a report, if the ranges are no good already.
Error CheckCopy(const Copy& copy);
// The work of a checked copy.
Work CopyWork(const Copy& copy);

// Rows of bytes. A pitch counts bytes, and is ignored where there is no next row or slice.
struct CopyRows {
  Copy row;  // the first one, with a size that is a row's
  size_t height = 1;
  size_t depth = 1;
  size_t target_pitch = 0;
  size_t target_slice = 0;
  size_t source_pitch = 0;
  size_t source_slice = 0;
};

// kInvalidValue too if rows overlap, or are farther apart than the vendors allow.
Error CheckCopy(const CopyRows& copy);
Work CopyWork(const CopyRows& copy);

// `count` elements of 1, 2 or 4 bytes.
struct Fill {
  uintptr_t target = 0;
  uint32_t value = 0;
  uint32_t element_size = 1;  // bytes
  size_t count = 0;
};

Error CheckFill(const Fill& fill);
Work FillWork(const Fill& fill);
// The same for a node of a graph. By the rules an executable graph may keep its pattern where others overwrite it.
Work GraphFillWork(const Fill& fill);

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_ENGINE_TRANSFER_H_
