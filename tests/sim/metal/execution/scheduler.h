// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs what was committed as early as Metal's rules allow, and in no other order than they ask for.
#ifndef HALYARD_SIM_METAL_EXECUTION_SCHEDULER_H_
#define HALYARD_SIM_METAL_EXECUTION_SCHEDULER_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace halyard::metal_sim {

struct CommandBufferWork;

/// The value of an event, and what waits for it. With the scheduler's mutex.
struct EventState {
  uint64_t value = 0;
  uint64_t promised = 0;                                   // the highest value that is committed or was set
  std::multimap<uint64_t, std::function<void()>> waiters;  // called with the mutex
};

/// A fence: the encoder of each queue that updated it last, in the order of commits. It orders inside a queue alone.
/// A tracked resource is a fence that each encoder waits for and updates. With the scheduler's mutex.
struct Node;
struct QueueState;
struct FenceState {
  std::map<const QueueState*, std::shared_ptr<Node>> last_update;
};

/// A command of an encoder.
struct Step {
  bool barrier = false;              // earlier commands of the encoder come first
  std::function<std::string()> run;  // what went wrong, as a page fault; empty if nothing
};

/// An encoder, in the order in which it was encoded.
struct EncoderWork {
  bool serial = false;
  std::vector<Step> steps;
  std::vector<std::shared_ptr<FenceState>> waits;
  std::vector<std::shared_ptr<FenceState>> updates;
  std::function<void(bool begins)> sample;  // called before the first and after the last command; may be empty
};

/// What a command buffer consists of.
struct Item {
  enum class Kind { kEncoder, kWait, kSignal };
  Kind kind = Kind::kEncoder;
  std::shared_ptr<EncoderWork> encoder;
  std::shared_ptr<EventState> event;
  uint64_t value = 0;
};

/// How a command buffer ended: 0 or a number of MTLCommandBufferError.
struct Outcome {
  int error = 0;
  std::string text;
  double start = 0;  // seconds
  double end = 0;
};

struct CommandBufferWork {
  std::vector<Item> items;
  std::function<void(const Outcome&)> on_end;  // on the framework's thread for handlers
  Outcome outcome;                             // with the scheduler's mutex
  bool failed = false;                         // with the scheduler's mutex
  int planned_error = 0;                       // what a test wants
};

/// Something that runs once what it comes after has.
struct Node {
  std::function<void()> run;  // without the mutex; empty for what only joins, and once it has run
  size_t missing = 1;         // nodes and events that are not done; one while it is made
  bool done = false;
  bool awaits_event = false;  // one of those missing is an event
  std::vector<std::shared_ptr<Node>> next;
};

/// The order of one queue.
struct QueueState {
  unsigned device = 0;                              // its number
  std::shared_ptr<Node> last_wait;                  // later encoders come after it
  std::vector<std::shared_ptr<Node>> since_signal;  // what the next signal comes after
  std::vector<std::shared_ptr<Node>> waits;         // for events
  bool failed = false;                              // a command buffer failed: all behind it fail as well
};

/// One for the process. Its threads outlive main().
class Scheduler {
 public:
  static Scheduler& The();

  /// Takes a command buffer over.
  void Commit(const std::shared_ptr<QueueState>& queue, const std::shared_ptr<CommandBufferWork>& work);
  void SetEvent(EventState& event, uint64_t value);
  uint64_t ValueOf(EventState& event);
  /// Calls `function` on the thread for handlers once the event has reached a value.
  void Notify(EventState& event, uint64_t value, std::function<void()> function);
  /// The n-th command buffer that a device gets from now, counted from 1, ends with `error` when its turn comes.
  /// 0 calls it off.
  void FailCommandBuffer(unsigned device, uint64_t nth, int error);
  void ForgetFailures();
  /// Runs on the framework's thread for handlers.
  void Handle(std::function<void()> function);

 private:
  Scheduler();
  void WorkOff();
  void WorkOffHandlers();
  void Spawn();

  std::shared_ptr<Node> MakeNode(std::function<void()> run);
  static void After(const std::shared_ptr<Node>& node, const std::shared_ptr<Node>& earlier);
  void Arm(const std::shared_ptr<Node>& node);
  void OneLess(const std::shared_ptr<Node>& node);
  void Finish(const std::shared_ptr<Node>& node);

  void AddEncoder(const std::shared_ptr<QueueState>& queue, const std::shared_ptr<CommandBufferWork>& work,
                  const Item& item, std::vector<std::shared_ptr<Node>>* all);
  void AddWait(const std::shared_ptr<QueueState>& queue, const std::shared_ptr<CommandBufferWork>& work,
               const Item& item, std::vector<std::shared_ptr<Node>>* all);
  void AddSignal(const std::shared_ptr<QueueState>& queue, const std::shared_ptr<CommandBufferWork>& work,
                 const Item& item, std::vector<std::shared_ptr<Node>>* all);
  void RunEncoder(QueueState& queue, CommandBufferWork& work, EncoderWork& encoder);
  std::string RunSteps(EncoderWork& encoder);
  std::string RunTogether(std::vector<Step*>& steps);
  void SetEventLocked(EventState& event, uint64_t value);
  void Release(const std::shared_ptr<Node>& wait);
  bool CheckTurn(QueueState& queue, CommandBufferWork& work);
  void Fail(QueueState& queue, CommandBufferWork& work, int error, const std::string& text);
  void Discard(QueueState& queue, CommandBufferWork& work);
  static void NoteEmpty(CommandBufferWork& work);
  uint64_t Random(uint64_t bound);

  std::mutex mutex_;  // protects what follows, and all states
  std::condition_variable ready_changed_;
  std::deque<std::shared_ptr<Node>> ready_;
  size_t idle_ = 0;
  size_t threads_ = 0;
  std::mt19937_64 random_;
  struct PlannedFailure {
    uint64_t left = 0;  // command buffers until one fails, that one included; 0 if none does
    int error = 0;
  };
  std::map<unsigned, PlannedFailure> failures_;  // by device
  std::mutex handler_mutex_;                     // protects what follows; a leaf
  std::condition_variable handlers_changed_;
  std::deque<std::function<void()>> handlers_;
};

}  // namespace halyard::metal_sim

#endif  // HALYARD_SIM_METAL_EXECUTION_SCHEDULER_H_
