// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a caller wants the compiler's log.
#ifndef HALYARD_TESTS_SIM_CUDA_JIT_LOG_H_
#define HALYARD_TESTS_SIM_CUDA_JIT_LOG_H_

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>

#include "cuda/abi/cuda_abi.h"

namespace halyard::cuda::abi {

// The options of a load that are answered here: where the compiler's complaints go.
class JitLog {
 public:
  JitLog(unsigned int count, const CUjit_option* options, void** values) {
    for (unsigned int i = 0; i < count; ++i) {
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER) text_ = static_cast<char*>(values[i]);
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) size_ = &values[i];
    }
    if (text_ != nullptr && Capacity() != 0) text_[0] = '\0';
  }

  // The vendor writes back how much of the buffer was filled.
  void Write(const std::string& message) const {
    if (text_ == nullptr || Capacity() == 0) return;
    const int written = std::snprintf(text_, Capacity(), "halyard sim: %s", message.c_str());
    const size_t filled = std::min(static_cast<size_t>(written) + 1, Capacity());
    *size_ = reinterpret_cast<void*>(filled);
  }

 private:
  size_t Capacity() const { return size_ == nullptr ? 0 : reinterpret_cast<uintptr_t>(*size_); }

  char* text_ = nullptr;
  void** size_ = nullptr;
};

}  // namespace halyard::cuda::abi

#endif  // HALYARD_TESTS_SIM_CUDA_JIT_LOG_H_
