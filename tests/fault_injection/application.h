// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUDA as an application uses it beside the library: streams and events of its own, in the device's context.
#ifndef HALYARD_TESTS_FAULT_INJECTION_APPLICATION_H_
#define HALYARD_TESTS_FAULT_INJECTION_APPLICATION_H_

#include <cstdint>
#include <vector>

#include "cuda/abi/cuda_abi.h"
#include "fault_injection/scenario.h"
#include "halyard/cuda_interop.h"

namespace halyard::fault_injection {

/// Its calls of CUDA are counted and may be made to fail. They then throw, with a message as the checks expect it.
/// Objects are destroyed after their work has ended, as far as that is known.
class Application {
 public:
  /// Asks the device for its interface and its context.
  explicit Application(const cts::Device& device);
  ~Application();
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;

  const hal_cuda_interop_interface_t& interop() const { return *interop_; }

  cuda::CUstream MakeStream();
  cuda::CUevent MakeEvent();
  /// Fills `count` words of the device's memory.
  void Fill(cuda::CUstream stream, uint64_t address, uint32_t word, size_t count);
  void Record(cuda::CUevent event, cuda::CUstream stream);
  void Wait(cuda::CUstream stream, cuda::CUevent event);
  /// Waits on the host.
  void Synchronize(cuda::CUstream stream);

 private:
  template <class Call>
  void InContext(const char* name, const Call& call);

  const cts::Device device_;
  const hal_cuda_interop_interface_t* interop_ = nullptr;
  cuda::CUcontext context_ = nullptr;
  std::vector<cuda::CUstream> streams_;
  std::vector<cuda::CUstream> filled_;  // a queue's among them, which knows nothing of what came from here
  std::vector<cuda::CUevent> events_;
};

}  // namespace halyard::fault_injection

#endif  // HALYARD_TESTS_FAULT_INJECTION_APPLICATION_H_
