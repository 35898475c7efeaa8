// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What streams and graphs carry out.
#ifndef HALYARD_TESTS_SIM_ENGINE_WORK_H_
#define HALYARD_TESTS_SIM_ENGINE_WORK_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "engine/completion.h"
#include "engine/device.h"
#include "engine/error.h"

namespace halyard::sim {

struct Launch;

// One operation. It may run several times, and in several graphs at once.
struct Work {
  // Carries it out; may release the lock. An error loses the context. Empty: nothing to do.
  std::function<Error(Lock& lock, Context& context)> run;
  std::vector<uintptr_t> addresses;            // in the memory that it needs
  std::vector<std::shared_ptr<Needed>> needs;  // what else it needs until it is done
  std::shared_ptr<const Launch> launch;        // of a graph's kernel: what it launches
  std::function<Work()> instantiated;          // what an executable graph has in its place; empty: the same
};

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_ENGINE_WORK_H_
