// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A lane that works as Vulkan's queues do: batches, a counter, submissions that wait for other queues' counters.
#ifndef HALYARD_TESTS_UNIT_SUBMISSION_BATCH_LANE_H_
#define HALYARD_TESTS_UNIT_SUBMISSION_BATCH_LANE_H_

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "submission/lane.h"

namespace halyard {

class BatchAction;

/// Its device is a thread that works off submissions in their order. No lock is held while the thread works or waits.
class BatchLane final : public Lane {
 public:
  ~BatchLane() override;

  Status Open() override;
  void Drain() noexcept override;
  size_t max_batch() const override { return 16; }
  Status Submit(std::span<SubmissionAction* const> batch, uint64_t epoch, Handed* out_handed) override;
  uint64_t Completed() const noexcept override { return counter_.load(std::memory_order_seq_cst); }
  bool Query(uint64_t epoch) noexcept override { return Completed() >= epoch; }
  bool Sleep(uint64_t epoch) noexcept override;

 private:
  struct Wait {
    BatchLane* lane;
    uint64_t epoch;
  };
  struct Submission {
    uint64_t epoch;
    std::vector<BatchAction*> actions;
    std::vector<Wait> waits;
  };

  void AwaitCompleted(uint64_t epoch);
  void WorkOff();
  void RunSubmission(const Submission& submission);

  std::thread thread_;
  std::atomic<uint64_t> counter_{0};  // written with mutex_, by the thread
  std::mutex mutex_;                  // protects what follows; a leaf
  std::condition_variable changed_;   // submissions_, counter_ or stop_
  std::deque<Submission> submissions_;
  uint64_t newest_ = 0;
  bool stop_ = false;
};

}  // namespace halyard

#endif  // HALYARD_TESTS_UNIT_SUBMISSION_BATCH_LANE_H_
