// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the parameters of a collective operation to a request that engines may trust.
#ifndef HALYARD_CORE_COLLECTIVE_COLLECTIVE_VALIDATION_H_
#define HALYARD_CORE_COLLECTIVE_COLLECTIVE_VALIDATION_H_

#include "base/status.h"
#include "core/collective/collective.h"
#include "core/validation/command_validation.h"

namespace halyard {

/// A rank among others.
struct RankPlace {
  uint32_t rank;
  uint32_t rank_count;
};

/// Checks what one rank alone can be wrong about, and fills `*out`.
Status ReadCollective(CommandContext& context, const RankPlace& place, const hal_collective_params_t* params,
                      CollectiveRequest* out);

}  // namespace halyard

#endif  // HALYARD_CORE_COLLECTIVE_COLLECTIVE_VALIDATION_H_
