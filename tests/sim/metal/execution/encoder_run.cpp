// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What happens when an encoder's turn comes, and when a command buffer fails.
#include <algorithm>
#include <chrono>
#include <span>

#include "execution/scheduler.h"
#include "framework/reports.h"

namespace halyard::metal_sim {
namespace {

// Numbers of MTLCommandBufferError.
constexpr int kPageFault = 3;
constexpr int kDiscarded = 4;

double Now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

// A command buffer that fails, and all behind it on its queue, do nothing more; their waits are over.
void Scheduler::Fail(QueueState& queue, CommandBufferWork& work, int error, const std::string& text) {
  if (work.failed) return;
  work.failed = true;
  work.outcome.error = error;
  work.outcome.text = text;
  queue.failed = true;
  for (const std::shared_ptr<Node>& wait : std::exchange(queue.waits, {})) Release(wait);
}

void Scheduler::Discard(QueueState& queue, CommandBufferWork& work) {
  Fail(queue, work, kDiscarded, "discarded, because an earlier command buffer of the queue failed");
}

// Without an encoder, a command buffer takes no time.
void Scheduler::NoteEmpty(CommandBufferWork& work) {
  if (work.outcome.end == 0) work.outcome.start = work.outcome.end = Now();
}

// Whether a command buffer may go on.
bool Scheduler::CheckTurn(QueueState& queue, CommandBufferWork& work) {
  if (queue.failed) Discard(queue, work);
  if (work.planned_error != 0) Fail(queue, work, work.planned_error, "a fault that a test asked for");
  return !work.failed;
}

void Scheduler::RunEncoder(QueueState& queue, CommandBufferWork& work, EncoderWork& encoder) {
  {
    const std::lock_guard lock(mutex_);
    if (!CheckTurn(queue, work)) return;
    if (work.outcome.start == 0) work.outcome.start = Now();
  }
  if (encoder.sample) encoder.sample(true);
  const std::string error = RunSteps(encoder);
  if (encoder.sample) encoder.sample(false);
  const std::lock_guard lock(mutex_);
  work.outcome.end = Now();
  if (!error.empty()) Fail(queue, work, kPageFault, error);
}

std::string Scheduler::RunSteps(EncoderWork& encoder) {
  uint64_t delay = TheRecords().longest_delay;
  {
    const std::lock_guard lock(mutex_);
    delay = delay > 0 && Random(4) == 0 ? Random(delay + 1) : 0;
  }
  if (delay > 0) std::this_thread::sleep_for(std::chrono::microseconds(delay));
  std::vector<Step*> together;
  std::string error;
  for (Step& step : encoder.steps) {
    if ((encoder.serial || step.barrier) && !together.empty()) error += RunTogether(together);
    together.push_back(&step);
  }
  return error + RunTogether(together);
}

// In any order, and some beside the others.
std::string Scheduler::RunTogether(std::vector<Step*>& steps) {
  {
    const std::lock_guard lock(mutex_);
    std::shuffle(steps.begin(), steps.end(), random_);
  }
  const size_t half = steps.size() / 2;
  std::string beside;
  std::thread other;
  if (half > 0) {
    other = std::thread([&] {
      for (Step* const step : std::span(steps).first(half)) beside += step->run();
    });
  }
  std::string error;
  for (Step* const step : std::span(steps).subspan(half)) error += step->run();
  if (other.joinable()) other.join();
  steps.clear();
  return error + beside;
}

}  // namespace halyard::metal_sim
