// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random timing that a seed reproduces, as far as the host's own scheduling allows.
#ifndef HALYARD_TESTS_SIM_ENGINE_CHANCE_H_
#define HALYARD_TESTS_SIM_ENGINE_CHANCE_H_

#include <cstdint>
#include <random>

namespace halyard::sim {

// One source of random numbers; every stream has its own, so that the draws of one do not depend on another's.
// Thread-compatible.
class Chance {
 public:
  Chance(uint64_t seed, uint64_t stream) : engine_(seed * 0x9E3779B97F4A7C15U + stream) {}

  // A number below `bound`, which is not 0.
  uint64_t Below(uint64_t bound) { return engine_() % bound; }
  // How long the next operation is held up: mostly not at all, sometimes up to `longest` microseconds.
  uint64_t DelayMicroseconds(uint64_t longest);

 private:
  std::mt19937_64 engine_;
};

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_ENGINE_CHANCE_H_
