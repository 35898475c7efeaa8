// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the vendors' libraries differ in how they carry work out. CUDA's way is the default.
#ifndef HALYARD_TESTS_SIM_ENGINE_RULES_H_
#define HALYARD_TESTS_SIM_ENGINE_RULES_H_

#include <cstddef>
#include <cstdint>

namespace halyard::sim {

struct Rules {
  // What a fault loses: the context that it happened in, the process, or all devices permanently.
  enum class Loss { kContext, kProcess, kAllDevices };

  Loss loss = Loss::kContext;
  bool graph_launches_overlap = false;    // launches of one executable graph wait for their streams alone
  bool queries_wait_for_waiters = false;  // a query of an event waits while another thread synchronizes it
  bool registrations_replace = false;     // registering memory again takes the place of the earlier registration
  bool frees_wait_for_device = false;     // freeing and unregistering wait for all streams of the device
  bool frees_inside = false;              // any address inside an allocation frees it
  bool host_copies_wait = false;          // a copy from host memory to pinned memory keeps its caller waiting
  bool fills_unaligned = false;           // a fill may begin anywhere
  size_t most_staged = SIZE_MAX;          // bytes; an upload of more pageable memory waits for its stream
  size_t patch_memory = 0;                // bytes of the device that each patch of a kernel node keeps
  uint64_t most_items = UINT64_MAX;       // grid times block in each dimension
  size_t graph_fill_patterns = 0;  // places for patterns that the fills of all executable graphs share; 0: own ones
  size_t hardware_queues = 0;      // that streams share; a launch of a graph of several chains fails where they
                                   // are shared unevenly. 0: any number
  size_t most_graph_streams = SIZE_MAX;  // on which a graph runs; a wider graph is reported
};

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_ENGINE_RULES_H_
