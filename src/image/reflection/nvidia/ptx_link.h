// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels of a PTX module use through the functions that they call.
#ifndef HALYARD_IMAGE_REFLECTION_PTX_LINK_H_
#define HALYARD_IMAGE_REFLECTION_PTX_LINK_H_

#include "image/reflection/nvidia/ptx_function.h"
#include "image/reflection/reading_budget.h"

namespace halyard {

/// Adds to a kernel what it and all functions that it reaches tell: workgroup memory, and an obstacle if one of them
/// calls what no module defines. Functions of NVIDIA's own that a driver provides do not count.
///
/// @param symbols  of the whole module
/// @param budget  for what all kernels together call; INCOMPATIBLE if it does not suffice
Status LinkPtxKernel(const HostVector<PtxFunction>& functions, const PtxSymbols& symbols, ReadingBudget* budget,
                     PtxKernel* kernel);

}  // namespace halyard

#endif  // HALYARD_IMAGE_REFLECTION_PTX_LINK_H_
