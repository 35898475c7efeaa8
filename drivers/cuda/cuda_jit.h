// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the compiler of the CUDA driver says, and what it makes.
#ifndef HALYARD_DRIVERS_CUDA_CUDA_JIT_H_
#define HALYARD_DRIVERS_CUDA_CUDA_JIT_H_

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "base/status.h"
#include "cuda/abi/cuda_abi.h"

namespace halyard::cuda {

/// A compiler's log of errors, and the options that have it written. Must outlive what was given the options.
class JitLog {
 public:
  static constexpr unsigned int kOptions = 2;

  JitLog() : values_{text_.data(), reinterpret_cast<void*>(text_.size() - 1)} {}
  JitLog(const JitLog&) = delete;
  JitLog& operator=(const JitLog&) = delete;

  CUjit_option* options() { return options_.data(); }
  void** values() { return values_.data(); }
  /// Adds the log, if there is any, to the message of a failure.
  Status Explain(Status status) const;

 private:
  std::string_view text() const;  // trimmed of empty lines

  std::array<char, 8192> text_{};
  std::array<CUjit_option, kOptions> options_ = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  std::array<void*, kOptions> values_;
};

/// DATA_LOSS unless the image begins as a cubin does and is as long as it says: CUDA is not told the length, and reads
/// past the end of one that was cut short.
Status CheckCubin(std::span<const std::byte> image);
/// The same for a fatbin.
Status CheckFatbin(std::span<const std::byte> image);

}  // namespace halyard::cuda

#endif  // HALYARD_DRIVERS_CUDA_CUDA_JIT_H_
