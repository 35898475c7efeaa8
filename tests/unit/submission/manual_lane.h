// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A lane in memory, whose test says what is completed.
#ifndef HALYARD_TESTS_UNIT_SUBMISSION_MANUAL_LANE_H_
#define HALYARD_TESTS_UNIT_SUBMISSION_MANUAL_LANE_H_

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "submission/lane.h"

namespace halyard {

/// Does no work. The test completes epochs, and may have Submit() fail.
class ManualLane final : public Lane {
 public:
  /// What came in with one submission.
  struct Batch {
    size_t actions;
    uint64_t predecessors;  ///< a bit for each queue
  };

  explicit ManualLane(size_t max_batch = 1) : max_batch_(max_batch) {}

  /// Waits for the test to complete what has come in.
  void Drain() noexcept override;
  size_t max_batch() const override { return max_batch_; }
  Status Submit(std::span<SubmissionAction* const> batch, uint64_t epoch, Handed* out_handed) override;
  uint64_t Completed() const noexcept override { return completed_.load(); }
  bool Query(uint64_t epoch) noexcept override;
  bool IsEnding(uint64_t epoch) noexcept override;
  bool Sleep(uint64_t epoch) noexcept override;

  /// Completes all epochs up to `epoch`.
  void Complete(uint64_t epoch);
  /// The work up to `epoch` ends, and the lane finds out only if it is asked.
  void End(uint64_t epoch) { ended_.store(epoch); }
  /// Whether this thread has called Query() since it last asked this.
  bool WasQueriedHere();
  /// The work up to `epoch` comes to its end, and Complete() is yet to be called.
  void ComeToEnd(uint64_t epoch) { ending_.store(epoch); }
  /// The next submission fails, with this much of it handed over.
  void FailNext(hal_status_t status, Handed handed);
  /// Completes what comes from now on at once.
  void CompleteAll();
  std::vector<Batch> batches();

 private:
  const size_t max_batch_;
  std::atomic<uint64_t> completed_{0};  // written with the mutex
  std::atomic<uint64_t> ended_{0};
  std::atomic<uint64_t> ending_{0};
  std::mutex state_mutex_;  // protects what follows
  uint64_t newest_ = 0;     // the last epoch that came in
  std::condition_variable changed_;
  std::vector<Batch> batches_;
  std::vector<std::thread::id> queried_by_;
  hal_status_t next_status_ = HAL_STATUS_OK;
  Handed next_handed_ = Handed::kInFlight;
  bool completes_all_ = false;
};

}  // namespace halyard

#endif  // HALYARD_TESTS_UNIT_SUBMISSION_MANUAL_LANE_H_
