// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One operation of every kind that a queue has, each with all that it needs: for tests of what holds for every kind.
#ifndef HALYARD_TESTS_CTS_QUEUE_OPERATIONS_H_
#define HALYARD_TESTS_CTS_QUEUE_OPERATIONS_H_

#include <functional>
#include <ostream>
#include <vector>

#include "cts/device.h"

namespace halyard::cts {

/// An operation that can be submitted once. It keeps what it works on alive.
struct Operation {
  std::function<hal_status_t(hal_queue_mask_t queues, hal_semaphore_list_t waits, hal_semaphore_list_t signals)> submit;
  /// Whether its work is done, as its results show. Empty for an operation that has none to look at.
  std::function<bool()> is_done;
};

struct OperationKind {
  const char* name;  ///< as profiling names it
  Operation (*make)(const Device& device);
};
void PrintTo(const OperationKind& kind, std::ostream* out);

/// All kinds.
const std::vector<OperationKind>& OperationKinds();
/// Those with results to look at.
std::vector<OperationKind> VisibleOperationKinds();

}  // namespace halyard::cts

#endif  // HALYARD_TESTS_CTS_QUEUE_OPERATIONS_H_
