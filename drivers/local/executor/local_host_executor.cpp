// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "local/executor/local_host_executor.h"

#include "base/application_call.h"
#include "driver_kit/object/vtable.h"

namespace halyard::local {
namespace {

/// What a function of the application answers, with a message that names it.
template <class Call>
Status Ask(const char* function, const Call& call) {
  const LastMessageScope scope(kOk);  // a failure without a message must not seem to say what an earlier one said
  const Status status = Guard([&] { return FromC(call()); });
  if (status == kOk) return kOk;
  if (status.message().empty()) {
    const Failure silent(status);
    return Fail(silent.code(), "the application's executor: %s failed", function);
  }
  return Annotate(status, "the application's executor: ", function, ": ");
}

}  // namespace

HostExecutor::~HostExecutor() {
  if (!kept_ || !functions_.release) return;
  CallApplicationUntold("an executor's release", [this] { functions_.release(functions_.user_data); });
}

// Deferred, as the application may run it at once: inside a call of the library, or inside another action. Then it
// comes after all that the thread submits.
Status HostExecutor::Enqueue(Runnable* item) {
  const auto run = [](void* task) { DrainScope::DeferLong(static_cast<Runnable*>(task)); };
  return Ask("submit", [&] { return functions_.submit(functions_.user_data, run, item); });
}

Status HostExecutor::ParallelFor(uint64_t count, RangeBody body) {
  if (!parallel() || count == 1) {
    body(0, count);
    return kOk;
  }
  return Ask("parallel_for",
             [&] { return functions_.parallel_for(functions_.user_data, count, body.call, body.context); });
}

}  // namespace halyard::local
