// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nccl/clique.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace halyard::sim::nccl {
namespace {

std::atomic<bool> g_stalled{false};

}  // namespace

void SetStalled(bool stalled) { g_stalled.store(stalled); }

bool Operation::AgreesWith(const Operation& other) const {
  return kind == other.kind && count == other.count && how.type == other.how.type &&
         how.reduction == other.how.reduction && root == other.root && scales == other.scales;
}

bool Clique::Add(Communicator* communicator) {
  const std::lock_guard lock(mutex);
  Communicator*& own = members_[static_cast<size_t>(communicator->rank)];
  const auto same = [&](const Communicator* each) { return each && each->ordinal == communicator->ordinal; };
  if (own || std::ranges::any_of(members_, same)) return false;
  own = communicator;
  ++here_;
  came_.notify_all();
  return true;
}

void Clique::AwaitAll() {
  std::unique_lock lock(mutex);
  came_.wait(lock, [this] { return here_ == members_.size(); });
}

void Clique::Remove(Communicator* communicator) {
  const std::lock_guard lock(mutex);
  members_[static_cast<size_t>(communicator->rank)] = nullptr;
}

void Clique::Abort() {
  const std::lock_guard lock(mutex);
  aborted_ = true;
  for (const Communicator* member : members_) {
    if (!member) continue;
    for (uint64_t i = 0; i < kWords; ++i) std::atomic_ref(member->words[i]).store(INT64_MAX);
  }
  rounds_.clear();
  pairs_.clear();
}

void Clique::Arrive(std::unique_ptr<Arrival> arrival) {
  const std::lock_guard lock(mutex);
  if (aborted_ || disagrees_ || g_stalled.load()) return;  // an aborted one's words are set; the others wait
  const bool is_pair = arrival->operation.kind == Kind::kSend || arrival->operation.kind == Kind::kReceive;
  if (is_pair) {
    ArrivePair(std::move(arrival));
  } else {
    ArriveCollective(std::move(arrival));
  }
}

void Clique::ArriveCollective(std::unique_ptr<Arrival> arrival) {
  const auto rank = static_cast<size_t>(arrival->rank);
  const uint64_t index = next_[rank]++ - first_;
  if (index == rounds_.size()) {
    rounds_.emplace_back();
    rounds_.back().arrivals.resize(members_.size());
  }
  Round& round = rounds_[index];
  round.arrivals[rank] = std::move(arrival);
  if (++round.count < members_.size()) return;
  for (const auto& each : round.arrivals) {
    if (!each->operation.AgreesWith(round.arrivals[0]->operation)) return Disagree();
  }
  CarryOut(round.arrivals);
  for (const auto& each : round.arrivals) End(*each);
  rounds_.pop_front();  // the streams of a rank are one, so rounds end in order
  ++first_;
}

void Clique::ArrivePair(std::unique_ptr<Arrival> arrival) {
  const bool sends = arrival->operation.kind == Kind::kSend;
  const std::pair<int, int> ranks =
      sends ? std::pair(arrival->rank, arrival->operation.peer) : std::pair(arrival->operation.peer, arrival->rank);
  auto& waiting = pairs_[ranks];
  if (waiting.empty() || waiting.front()->operation.kind == arrival->operation.kind) {
    waiting.push_back(std::move(arrival));
    return;
  }
  const std::unique_ptr<Arrival> other = std::move(waiting.front());
  waiting.pop_front();
  const Operation& send = sends ? arrival->operation : other->operation;
  const Operation& receive = sends ? other->operation : arrival->operation;
  if (send.bytes() != receive.bytes()) return Disagree();
  std::memcpy(receive.target, send.source, send.bytes());
  End(*arrival);
  End(*other);
}

// The vendor's kernels hang, or write where they should not. Here they hang, and the library says so.
void Clique::Disagree() {
  disagrees_ = true;
  for (Communicator* member : members_) {
    if (member) member->async_error = stream::nccl::ncclInvalidUsage;
  }
}

void Clique::End(const Arrival& arrival) { std::atomic_ref(*arrival.word).store(arrival.value); }

void Clique::CarryOut(const std::vector<std::unique_ptr<Arrival>>& arrivals) {
  const Operation& first = arrivals[0]->operation;
  const size_t bytes = first.bytes();
  const auto root = static_cast<size_t>(first.root);
  if (first.kind == Kind::kBroadcast) {
    const std::vector<std::byte> sent(arrivals[root]->operation.source, arrivals[root]->operation.source + bytes);
    for (const auto& each : arrivals) std::memcpy(each->operation.target, sent.data(), bytes);
    return;
  }
  std::vector<std::vector<std::byte>> sources;  // read before anything is written: some are in place
  const size_t pieces = first.kind == Kind::kReduceScatter ? arrivals.size() : 1;
  for (const auto& each : arrivals) {
    sources.emplace_back(each->operation.source, each->operation.source + bytes * pieces);
  }
  if (first.kind == Kind::kAllGather) {
    for (const auto& each : arrivals) {
      for (size_t i = 0; i < sources.size(); ++i) {
        std::memcpy(each->operation.target + i * bytes, sources[i].data(), bytes);
      }
    }
    return;
  }
  const size_t count = first.count * pieces;
  const bool averages = first.how.reduction == stream::nccl::ncclAvg;
  for (size_t i = 0; i < sources.size(); ++i) {
    const double scale = averages ? 1.0 / static_cast<double>(sources.size()) : arrivals[i]->operation.scale;
    if (averages || first.scales) Scale(first.how, sources[i].data(), scale, count);
    if (i > 0) Combine(first.how, sources[0].data(), sources[i].data(), count);
  }
  for (size_t i = 0; i < arrivals.size(); ++i) {
    if (first.kind == Kind::kReduce && i != root) continue;
    const size_t piece = first.kind == Kind::kReduceScatter ? i : 0;
    std::memcpy(arrivals[i]->operation.target, sources[0].data() + piece * bytes, bytes);
  }
}

}  // namespace halyard::sim::nccl
