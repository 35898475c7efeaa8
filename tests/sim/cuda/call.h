// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The way into the simulation: every exported function goes through Call(), which counts it, lets it fail on demand and
// holds the caller to what all functions require.
#ifndef HALYARD_TESTS_SIM_CUDA_CALL_H_
#define HALYARD_TESTS_SIM_CUDA_CALL_H_

#include <memory>
#include <optional>
#include <type_traits>

#include "cuda/abi/cuda_abi.h"
#include "engine/completion.h"
#include "engine/runtime.h"

namespace halyard::cuda::abi {

using sim::Error;
using sim::Lock;
using sim::Runtime;

// What must be there before a function may be called.
enum class Requires {
  kNothing,
  kInit,     // cuInit()
  kContext,  // a current context that is not lost
};

CUresult ToResult(Error error);

// The current context of this thread; null if there is none.
std::shared_ptr<sim::Context> CurrentContext();
// The answer of a call that ends here, if it does.
std::optional<CUresult> Refusal(const char* name, Requires needed);

// Runs the body under the runtime's lock. `name` is the exported one.
template <typename Body>
CUresult Call(const char* name, Requires needed, Body body) {
  if (const std::optional<CUresult> refusal = Refusal(name, needed)) return *refusal;
  Lock lock(Runtime::Get().mutex);
  if constexpr (std::is_invocable_v<Body, Lock&>) {
    return ToResult(body(lock));
  } else {
    return ToResult(body());
  }
}

// The objects behind handles; null with a report if there are none. A null stream is the default one.
// One that is being captured takes no work here: null with a report, too, except for FindAnyStream().
std::shared_ptr<sim::Stream> FindStream(CUstream handle);
std::shared_ptr<sim::Stream> FindAnyStream(CUstream handle);
std::shared_ptr<sim::Event> FindEvent(CUevent handle);
std::shared_ptr<sim::Context> FindContext(CUcontext handle);
// The context that is meant: the current one for a null handle.
std::shared_ptr<sim::Context> ContextOrCurrent(CUcontext handle);
sim::Device* FindDevice(CUdevice ordinal);

template <typename Handle, typename Object>
Handle ToHandle(Object* object) {
  return reinterpret_cast<Handle>(object);
}

}  // namespace halyard::cuda::abi

#endif  // HALYARD_TESTS_SIM_CUDA_CALL_H_
