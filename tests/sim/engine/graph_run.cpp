// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/graph_run.h"

#include <utility>

#include "engine/runtime.h"
#include "engine/vendor_thread.h"

namespace halyard::sim {

bool HasCycle(const std::vector<GraphExec::Step>& steps) {
  std::vector<size_t> left;
  std::vector<size_t> ready;
  for (size_t i = 0; i < steps.size(); ++i) {
    left.push_back(steps[i].dependencies);
    if (steps[i].dependencies == 0) ready.push_back(i);
  }
  size_t reached = 0;
  for (; !ready.empty(); ++reached) {
    const size_t place = ready.back();
    ready.pop_back();
    for (const size_t next : steps[place].next) {
      if (--left[next] == 0) ready.push_back(next);
    }
  }
  return reached != steps.size();
}

// A kernel, as the device has it now.
static Error TakeUpdatable(const GraphExec::Step& step, Lock& lock, Context& context) {
  if (!step.device->enabled) return Error::kSuccess;
  Launch launch = *step.work->launch;
  launch.grid = step.device->grid;
  return LaunchWork(std::move(launch)).run(lock, context);
}

GraphRun::GraphRun(std::vector<GraphExec::Step> steps, uint64_t seed)
    : steps_(std::move(steps)), unfinished_(steps_.size()), chance_(seed, 0) {
  for (size_t i = 0; i < steps_.size(); ++i) {
    if (steps_[i].dependencies == 0) ready_.push_back(i);
    forks_ = forks_ || steps_[i].next.size() > 1;
  }
  forks_ = forks_ || ready_.size() > 1;
}

GraphRun::~GraphRun() {
  for (const GraphExec::Step& step : steps_) {
    if (step.recorded != nullptr && !step.recorded->done()) step.recorded->Finish(Error::kLaunchFailed);
  }
}

Error GraphRun::Run(Lock& lock, Context& context) {
  for (helpers_ = 0; forks_ && helpers_ < kHelpers; ++helpers_) {
    StartVendorThread([run = shared_from_this(), &context] {
      Lock own(Runtime::Get().mutex);
      run->TakeSteps(own, context);
      --run->helpers_;
      run->changed_.notify_all();
    });
  }
  TakeSteps(lock, context);
  changed_.wait(lock, [this] { return helpers_ == 0; });  // `context` and the lock outlive them
  return error_;
}

void GraphRun::TakeSteps(Lock& lock, Context& context) {
  while (true) {
    changed_.wait(lock, [this] { return unfinished_ == 0 || !ready_.empty(); });
    if (unfinished_ == 0) return;
    // Any step that is ready may be next.
    std::swap(ready_[chance_.Below(ready_.size())], ready_.back());
    const size_t place = ready_.back();
    ready_.pop_back();
    Take(place, lock, context);
    Finish(place, context);
  }
}

void GraphRun::Take(size_t place, Lock& lock, Context& context) {
  const GraphExec::Step& step = steps_[place];
  if (!step.enabled || error_ != Error::kSuccess || context.lost != Error::kSuccess) return;
  Runtime::Get().Pause(lock, chance_);
  if (step.kind == NodeKind::kWaitForEvent) {
    // The mark may be replaced meanwhile; what was recorded when the step began counts.
    if (const auto recorded = step.event->recorded) recorded->Wait(lock);
  } else if (step.device != nullptr) {
    const Error error = TakeUpdatable(step, lock, context);
    if (error_ == Error::kSuccess) error_ = error;
  } else if (step.work->run) {
    const Error error = step.work->run(lock, context);
    if (error_ == Error::kSuccess) error_ = error;
  }
}

void GraphRun::Finish(size_t place, const Context& context) {
  GraphExec::Step& step = steps_[place];
  if (step.recorded != nullptr) step.recorded->Finish(error_ == Error::kSuccess ? context.lost : error_);
  for (const size_t next : step.next) {
    if (--steps_[next].dependencies == 0) ready_.push_back(next);
  }
  --unfinished_;
  changed_.notify_all();
}

}  // namespace halyard::sim
