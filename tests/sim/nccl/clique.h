// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The communicators that have one id, and the operations that they have come to.
#ifndef HALYARD_TESTS_SIM_NCCL_CLIQUE_H_
#define HALYARD_TESTS_SIM_NCCL_CLIQUE_H_

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "nccl/arithmetic.h"
#include "stream/native/nccl_abi.h"

namespace halyard::sim::nccl {

enum class Kind { kAllReduce, kReduce, kReduceScatter, kBroadcast, kAllGather, kSend, kReceive };

// What one rank asks for.
struct Operation {
  Kind kind{};
  const std::byte* source = nullptr;
  std::byte* target = nullptr;
  size_t count = 0;
  Reduction how;
  double scale = 1;     // of a pre-multiplied sum
  bool scales = false;  // whether it is one
  int root = 0;
  int peer = 0;

  size_t bytes() const { return count * SizeOf(how.type); }
  bool AgreesWith(const Operation& other) const;
};

class Clique;

// One rank's communicator. Its words are what its streams wait for: each operation takes the next one in turn.
struct Communicator {
  std::shared_ptr<Clique> clique;
  int rank = 0;
  void* device = nullptr;
  int ordinal = 0;
  uint64_t* words = nullptr;
  uint64_t issued = 0;
  std::set<void*> streams;
  std::vector<double> scales;  // of reductions that it has made; a number that is none: destroyed
  int async_error = 0;         // with the clique's mutex
};

// A rank that has come to an operation in its stream.
struct Arrival {
  std::shared_ptr<Clique> clique;
  int rank = 0;
  Operation operation;
  uint64_t* word = nullptr;
  uint64_t value = 0;
};

class Clique {
 public:
  static constexpr uint64_t kWords = 4096;

  explicit Clique(int rank_count) : members_(static_cast<size_t>(rank_count)) {}

  int rank_count() const { return static_cast<int>(members_.size()); }
  // Adds a rank. False: it is there already, or its device has another rank.
  bool Add(Communicator* communicator);
  // Waits until all ranks have come.
  void AwaitAll();
  // A stream has reached an operation. The last rank carries it out.
  void Arrive(std::unique_ptr<Arrival> arrival);
  // Ends all that waits; nothing is carried out any more. The words say so.
  void Abort();
  void Remove(Communicator* communicator);

  std::mutex mutex;  // protects all of it

 private:
  struct Round {
    std::vector<std::unique_ptr<Arrival>> arrivals;
    size_t count = 0;
  };
  void ArriveCollective(std::unique_ptr<Arrival> arrival);
  void ArrivePair(std::unique_ptr<Arrival> arrival);
  void Disagree();
  static void CarryOut(const std::vector<std::unique_ptr<Arrival>>& arrivals);
  static void End(const Arrival& arrival);

  std::condition_variable came_;
  std::vector<Communicator*> members_;
  size_t here_ = 0;
  bool aborted_ = false;
  bool disagrees_ = false;
  std::deque<Round> rounds_;
  std::vector<uint64_t> next_ = std::vector<uint64_t>(members_.size());  // of each rank
  uint64_t first_ = 0;
  std::map<std::pair<int, int>, std::deque<std::unique_ptr<Arrival>>> pairs_;  // by sender and receiver
};

// Whether operations never end.
void SetStalled(bool stalled);

}  // namespace halyard::sim::nccl

#endif  // HALYARD_TESTS_SIM_NCCL_CLIQUE_H_
