// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "execution/scheduler.h"

#include <algorithm>

#include "framework/reports.h"
#include "framework/settings.h"

namespace halyard::metal_sim {
namespace {

constexpr size_t kMinThreads = 4;

}  // namespace

Scheduler& Scheduler::The() {
  static Scheduler* const scheduler = new Scheduler;
  return *scheduler;
}

Scheduler::Scheduler() : random_(TheSettings().seed) {
  for (size_t i = 0; i < kMinThreads; ++i) Spawn();
  std::thread([this] { WorkOffHandlers(); }).detach();
}

void Scheduler::Spawn() {
  ++threads_;
  std::thread([this] { WorkOff(); }).detach();
}

void Scheduler::WorkOff() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    ready_changed_.wait(lock, [this] { return !ready_.empty(); });
    --idle_;
    // Any that is ready may be next.
    const auto chosen = ready_.begin() + static_cast<std::ptrdiff_t>(Random(ready_.size()));
    const std::shared_ptr<Node> node = *chosen;
    ready_.erase(chosen);
    lock.unlock();
    std::exchange(node->run, nullptr)();  // queues and fences keep nodes that are done, but not what those held
    lock.lock();
    Finish(node);
  }
}

void Scheduler::WorkOffHandlers() {
  std::unique_lock lock(handler_mutex_);
  while (true) {
    handlers_changed_.wait(lock, [this] { return !handlers_.empty(); });
    const std::function<void()> handler = std::move(handlers_.front());
    handlers_.pop_front();
    lock.unlock();
    handler();
    lock.lock();
  }
}

void Scheduler::Handle(std::function<void()> function) {
  {
    const std::lock_guard lock(handler_mutex_);
    handlers_.push_back(std::move(function));
  }
  handlers_changed_.notify_one();
}

uint64_t Scheduler::Random(uint64_t bound) { return random_() % bound; }

std::shared_ptr<Node> Scheduler::MakeNode(std::function<void()> run) {
  auto node = std::make_shared<Node>();
  node->run = std::move(run);
  return node;
}

void Scheduler::After(const std::shared_ptr<Node>& node, const std::shared_ptr<Node>& earlier) {
  if (!earlier || earlier->done) return;
  earlier->next.push_back(node);
  ++node->missing;
}

void Scheduler::Arm(const std::shared_ptr<Node>& node) { OneLess(node); }

void Scheduler::OneLess(const std::shared_ptr<Node>& node) {
  if (--node->missing > 0) return;
  if (!node->run) return Finish(node);
  ready_.push_back(node);
  ready_changed_.notify_one();
}

// Goes on with what only joins without recursion.
void Scheduler::Finish(const std::shared_ptr<Node>& node) {
  std::vector<std::shared_ptr<Node>> done = {node};
  while (!done.empty()) {
    const std::shared_ptr<Node> one = std::move(done.back());
    done.pop_back();
    one->done = true;
    for (const std::shared_ptr<Node>& next : std::exchange(one->next, {})) {
      if (--next->missing > 0) continue;
      if (next->run) {
        ready_.push_back(next);
        ready_changed_.notify_one();
      } else {
        done.push_back(next);
      }
    }
  }
}

void Scheduler::Commit(const std::shared_ptr<QueueState>& queue, const std::shared_ptr<CommandBufferWork>& work) {
  const std::lock_guard lock(mutex_);
  PlannedFailure& failure = failures_[queue->device];
  if (failure.left > 0 && --failure.left == 0) work->planned_error = failure.error;
  if (queue->failed) Discard(*queue, *work);
  std::vector<std::shared_ptr<Node>> all;
  // The first item comes after the waits of earlier command buffers.
  for (const Item& item : work->items) {
    switch (item.kind) {
      case Item::Kind::kEncoder:
        AddEncoder(queue, work, item, &all);
        break;
      case Item::Kind::kWait:
        AddWait(queue, work, item, &all);
        break;
      case Item::Kind::kSignal:
        AddSignal(queue, work, item, &all);
        break;
    }
  }
  const auto end = MakeNode([this, work] {
    NoteEmpty(*work);
    Handle([work] { std::exchange(work->on_end, nullptr)(work->outcome); });
  });
  for (const std::shared_ptr<Node>& node : all) After(end, node);
  After(end, queue->last_wait);
  Arm(end);
}

void Scheduler::AddEncoder(const std::shared_ptr<QueueState>& queue, const std::shared_ptr<CommandBufferWork>& work,
                           const Item& item, std::vector<std::shared_ptr<Node>>* all) {
  const std::shared_ptr<EncoderWork> encoder = item.encoder;
  const auto node = MakeNode([this, queue, work, encoder] { RunEncoder(*queue, *work, *encoder); });
  After(node, queue->last_wait);
  for (const auto& fence : encoder->waits) After(node, fence->last_update[queue.get()]);
  for (const auto& fence : encoder->updates) fence->last_update[queue.get()] = node;
  queue->since_signal.push_back(node);
  all->push_back(node);
  Arm(node);
}

void Scheduler::AddWait(const std::shared_ptr<QueueState>& queue, const std::shared_ptr<CommandBufferWork>& work,
                        const Item& item, std::vector<std::shared_ptr<Node>>* all) {
  if (item.event->promised < item.value) {
    Report("wait-before-signal", "a command buffer waits for the value " + std::to_string(item.value) +
                                     " of an event, and nothing that is committed signals it");
  }
  const auto node = MakeNode({});
  After(node, queue->last_wait);
  if (!work->failed && item.event->value < item.value) {
    ++node->missing;
    node->awaits_event = true;
    std::erase_if(queue->waits, [](const std::shared_ptr<Node>& wait) { return !wait->awaits_event; });
    queue->waits.push_back(node);
    item.event->waiters.emplace(item.value, [this, node] { Release(node); });
  }
  queue->last_wait = node;
  queue->since_signal.push_back(node);
  all->push_back(node);
  Arm(node);
}

void Scheduler::AddSignal(const std::shared_ptr<QueueState>& queue, const std::shared_ptr<CommandBufferWork>& work,
                          const Item& item, std::vector<std::shared_ptr<Node>>* all) {
  if (item.value <= item.event->promised) {
    Report("event-value", "a command buffer signals the value " + std::to_string(item.value) + ", but " +
                              std::to_string(item.event->promised) + " is signalled before it");
  }
  item.event->promised = std::max(item.event->promised, item.value);
  const std::shared_ptr<EventState> event = item.event;
  const uint64_t value = item.value;
  const auto node = MakeNode([this, queue, work, event, value] {
    const std::lock_guard lock(mutex_);
    CheckTurn(*queue, *work);
    if (!work->failed) SetEventLocked(*event, value);
  });
  for (const std::shared_ptr<Node>& earlier : std::exchange(queue->since_signal, {})) After(node, earlier);
  queue->since_signal.push_back(node);
  all->push_back(node);
  Arm(node);
}

// With the value, or because the queue has failed.
void Scheduler::Release(const std::shared_ptr<Node>& wait) {
  if (std::exchange(wait->awaits_event, false)) OneLess(wait);
}

void Scheduler::SetEventLocked(EventState& event, uint64_t value) {
  event.value = std::max(event.value, value);
  event.promised = std::max(event.promised, value);
  while (!event.waiters.empty() && event.waiters.begin()->first <= event.value) {
    const auto waiter = std::move(event.waiters.begin()->second);
    event.waiters.erase(event.waiters.begin());
    waiter();
  }
}

void Scheduler::SetEvent(EventState& event, uint64_t value) {
  const std::lock_guard lock(mutex_);
  if (value <= event.value) {
    Report("event-value",
           "the host sets the value " + std::to_string(value) + " of an event that has " + std::to_string(event.value));
  }
  SetEventLocked(event, value);
}

uint64_t Scheduler::ValueOf(EventState& event) {
  const std::lock_guard lock(mutex_);
  return event.value;
}

void Scheduler::Notify(EventState& event, uint64_t value, std::function<void()> function) {
  const std::lock_guard lock(mutex_);
  if (event.value >= value) return Handle(std::move(function));
  event.waiters.emplace(value, [this, function = std::move(function)] { Handle(function); });
}

void Scheduler::FailCommandBuffer(unsigned device, uint64_t nth, int error) {
  const std::lock_guard lock(mutex_);
  failures_[device] = {nth, error};
}

void Scheduler::ForgetFailures() {
  const std::lock_guard lock(mutex_);
  failures_.clear();
}

}  // namespace halyard::metal_sim
