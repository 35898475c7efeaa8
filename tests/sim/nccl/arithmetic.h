// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the simulated NCCL makes of elements. As with the vendor's library, each step is rounded to the elements' type.
#ifndef HALYARD_TESTS_SIM_NCCL_ARITHMETIC_H_
#define HALYARD_TESTS_SIM_NCCL_ARITHMETIC_H_

#include <cstddef>

#include "stream/native/nccl_abi.h"

namespace halyard::sim::nccl {

// Bytes; 0 for a number that is no type.
size_t SizeOf(stream::nccl::ncclDataType_t type);

// How a collective combines.
struct Reduction {
  stream::nccl::ncclDataType_t type = stream::nccl::ncclInt8;
  stream::nccl::ncclRedOp_t reduction = stream::nccl::ncclSum;
  int rank_count = 1;  // for the average
};

// `target` = `target` and `source`, element by element.
void Combine(const Reduction& how, void* target, const void* source, size_t count);
// Multiplies each element.
void Scale(const Reduction& how, void* target, double scale, size_t count);

}  // namespace halyard::sim::nccl

#endif  // HALYARD_TESTS_SIM_NCCL_ARITHMETIC_H_
