// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Combines elements on the host.
#ifndef HALYARD_CORE_COLLECTIVE_REDUCTION_H_
#define HALYARD_CORE_COLLECTIVE_REDUCTION_H_

#include <cstddef>
#include <span>

#include "halyard/channel.h"

namespace halyard {

/// What is combined. An output may be one of the inputs; otherwise none overlap.
struct ReductionJob {
  std::span<const std::byte* const> inputs;  ///< one of each rank, in their order
  std::span<const double> scales;            ///< of each rank, for SCALED_SUM
  std::span<std::byte* const> outputs;       ///< all get the result
  size_t length;                             ///< bytes of each
  hal_numeric_kind_t element_kind;           ///< of the type, or of the parts of a complex one
  bool streams;                              ///< the outputs are more than the caches keep
};

/// Runs a job on this thread, whatever its floating-point state is.
using ReductionFunction = void (*)(const ReductionJob& job);

/// The function for a type and a reduction; NULL if elements of that type cannot be combined so. May throw.
ReductionFunction FindReduction(hal_element_type_t type, hal_reduction_t reduction);

}  // namespace halyard

#endif  // HALYARD_CORE_COLLECTIVE_REDUCTION_H_
