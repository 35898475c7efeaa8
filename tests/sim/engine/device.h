// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Simulated devices, and the contexts that calls are made in.
#ifndef HALYARD_TESTS_SIM_ENGINE_DEVICE_H_
#define HALYARD_TESTS_SIM_ENGINE_DEVICE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "engine/completion.h"
#include "engine/error.h"

namespace halyard::sim {

class Stream;

// What a device can do, as far as the engine has to hold programs to it.
struct Limits {
  std::array<uint32_t, 3> block = {1024, 1024, 64};
  std::array<uint32_t, 3> grid = {2147483647, 65535, 65535};
  uint32_t threads_per_block = 1024;
  uint32_t shared_memory = 49152;         // bytes of a block
  uint32_t shared_memory_opt_in = 49152;  // bytes, for functions that asked for it
  bool stream_memory_operations = true;   // 64-bit writes and waits of streams
  bool pools = true;
  bool managed_memory = true;
};

struct Context;

struct Device {
  int ordinal = 0;
  Limits limits;
  size_t memory_size = 0;  // bytes
  size_t memory_used = 0;  // bytes, what pools keep in reserve included; more than there are while frees are under way

  size_t MemoryFree() const { return memory_size > memory_used ? memory_size - memory_used : 0; }
  unsigned int primary_flags = 0;
  std::shared_ptr<Context> primary;  // while it is retained
  int primary_references = 0;
  uint64_t launches_before_loss = 0;  // the last of so many kernels loses the device; 0 if none does
  Error loss = Error::kIllegalAddress;
};

struct Context {
  explicit Context(Device& owner) : device(owner) {}

  // The error that every call answers from now on; work that was submitted is not carried out any more.
  void Lose(Error error) {
    if (lost == Error::kSuccess) lost = error;
  }

  Device& device;
  Error lost = Error::kSuccess;
  bool destroyed = false;
  bool permanent = false;                  // made by the library itself: never a leak
  std::set<int> peers;                     // ordinals of devices whose memory kernels may touch
  std::shared_ptr<Stream> default_stream;  // made when it is first used
  std::map<std::thread::id, std::shared_ptr<Stream>> thread_streams;  // the same, one for each thread
  std::function<void(Lock&)> before_work;  // a test's, for each operation of a stream; may release the lock
};

// The calling thread's stack of contexts. Needs no lock.
std::vector<std::shared_ptr<Context>>& ContextStack();

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_ENGINE_DEVICE_H_
