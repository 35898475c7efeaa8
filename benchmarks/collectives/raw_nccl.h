// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All-reduce by NCCL itself, with the CUDA driver API below it: what a program without Halyard does.
#ifndef HALYARD_BENCHMARKS_COLLECTIVES_RAW_NCCL_H_
#define HALYARD_BENCHMARKS_COLLECTIVES_RAW_NCCL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace halyard::benchmarks {

/// One thread drives all ranks, whose calls are one group. Throws std::runtime_error.
class RawNccl {
 public:
  RawNccl(const std::vector<int>& ordinals, size_t bytes);
  ~RawNccl();
  RawNccl(const RawNccl&) = delete;
  RawNccl& operator=(const RawNccl&) = delete;

  int version() const;
  /// An all-reduce of f32, in place.
  void Submit(uint64_t bytes);
  void Wait();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace halyard::benchmarks

#endif  // HALYARD_BENCHMARKS_COLLECTIVES_RAW_NCCL_H_
