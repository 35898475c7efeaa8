// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/collective/channel_group.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <tuple>

#include "base/log.h"
#include "core/collective/channel.h"
#include "core/collective/channel_deadlines.h"
#include "core/collective/collective_part.h"
#include "core/peer/peer_routes.h"
#include "driver_kit/object/vtable.h"

namespace halyard {
namespace {

/// How often an engine is asked whether it has failed while an operation runs, in nanoseconds.
constexpr uint64_t kEngineQueryInterval = 50'000'000;

}  // namespace

void RoundList::Add(CollectiveRound& round) {
  round.previous_of_group = nullptr;
  round.next_of_group = head_;
  if (head_) head_->previous_of_group = &round;
  head_ = &round;
}

void RoundList::Remove(CollectiveRound& round) {
  (round.previous_of_group ? round.previous_of_group->next_of_group : head_) = round.next_of_group;
  if (round.next_of_group) round.next_of_group->previous_of_group = round.previous_of_group;
}

ChannelGroup::ChannelGroup(uint32_t rank_count, uint64_t timeout_ns) : timeout_ns_(timeout_ns), ranks_(rank_count) {}

ChannelGroup::~ChannelGroup() {
  if (owned_engine_) owned_engine_->destroy(owned_engine_);
}

Status ChannelGroup::Make(uint32_t rank_count, uint64_t timeout_ns, std::shared_ptr<ChannelGroup>* out) {
  *out = std::allocate_shared<ChannelGroup>(HostStdAllocator<ChannelGroup>(), rank_count, timeout_ns);
  return timeout_ns == HAL_TIMEOUT_INFINITE ? kOk : ChannelDeadlines::Watch(*out);
}

// --- ranks -----------------------------------------------------------------------------------------------------------

Status ChannelGroup::Attach(uint32_t rank, Channel* channel) {
  HostVector<Ref<hal_device_t>> devices;
  {
    const std::lock_guard lock(mutex_);
    if (failure_) return failure_.Share();
    Rank& own = ranks_[rank];
    if (own.has_come) {
      return Fail(HAL_STATUS_ALREADY_EXISTS, "the channel has rank %" PRIu32 " already", rank);
    }
    devices.reserve(ranks_.size());  // what may throw comes first
    own.has_come = true;
    own.channel = channel;
    const uint32_t threads = channel->worker_threads();
    own.is_worker.store(threads > 0, std::memory_order_relaxed);
    worker_threads_.store(std::max(worker_threads(), threads), std::memory_order_relaxed);
    if (++here_ < ranks_.size()) return kOk;
    for (const Rank& each : ranks_) {
      if (each.channel) devices.push_back(Ref<hal_device_t>::Retaining(each.channel->device()));
    }
  }
  const Failure none(Guard([&] { return CreateEngine(devices); }));
  if (none) FormAll();
  return kOk;
}

/// Fails if the host is to move the bytes. Without the lock: drivers are called.
Status ChannelGroup::CreateEngine(const HostVector<Ref<hal_device_t>>& devices) {
  const auto is_foreign = [&](const auto& each) { return !SameDriver(each.get(), devices[0].get()); };
  if (devices.size() < 2 || devices.size() != ranks_.size() || std::ranges::any_of(devices, is_foreign)) {
    return FailWith(HAL_STATUS_UNIMPLEMENTED, {});
  }
  HostVector<hal_device_t*> raw;
  for (const auto& each : devices) raw.push_back(each.get());
  auto kept = std::make_unique<std::shared_ptr<ChannelGroup>>(shared_from_this());
  HAL_TRY(VtableOf(raw[0])->create_engine(raw[0], raw.size(), raw.data(), OnOpened, kept.get(), &owned_engine_));
  static_cast<void>(kept.release());  // OnOpened() deletes it
  return kOk;
}

void ChannelGroup::OnOpened(void* group, hal_channel_engine_t* engine, hal_status_t status) noexcept {
  const std::unique_ptr<std::shared_ptr<ChannelGroup>> kept(static_cast<std::shared_ptr<ChannelGroup>*>(group));
  ChannelGroup& self = **kept;
  const DrainScope scope;
  const Failure failure(FromC(status));
  if (failure) {
    std::array<char, 512> text{};
    std::snprintf(text.data(), text.size(), "a channel goes through the host, as its engine does not open: %s",
                  failure.message().data());
    LogLater(HAL_LOG_LEVEL_WARNING, text.data());
  } else {
    self.engine_.store(engine, std::memory_order_release);
    // Otherwise it is watched already.
    if (self.timeout_ns() == HAL_TIMEOUT_INFINITE) Guard([&] { return ChannelDeadlines::Watch(*kept); }).Ignore();
  }
  self.FormAll();
}

/// All ranks have come, and it is clear what moves the bytes.
void ChannelGroup::FormAll() noexcept {
  hal_channel_engine_t* aborted = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (!failure_) return TellForming({});
    aborted = engine();  // that failure was told before the engine was open
  }
  if (aborted) aborted->abort(aborted);
}

/// Tells channels that all ranks have come, or that they never will.
void ChannelGroup::TellForming(const Failure& failure) noexcept {
  for (const Rank& rank : ranks_) {
    if (rank.channel) rank.channel->TellFormed(failure);
  }
}

void ChannelGroup::Detach(uint32_t rank, const Channel* channel) noexcept {
  Failure failure;
  {
    const std::lock_guard lock(mutex_);
    if (ranks_[rank].channel != channel) return;  // which was refused
    ranks_[rank].channel = nullptr;
    ranks_[rank].has_left = true;
    if (here_ != ranks_.size()) {
      failure = Failure(Fail(HAL_STATUS_UNAVAILABLE,
                             "rank %" PRIu32 "'s channel was released when %" PRIu32 " of %zu ranks had come", rank,
                             here_, ranks_.size()));
    } else if (IsAwaited(rank)) {
      failure = Failure(Fail(HAL_STATUS_UNAVAILABLE,
                             "rank %" PRIu32 "'s channel was released before the rank came to an operation or split "
                             "that other ranks have come to",
                             rank));
    }
  }
  if (failure) EndAll(failure);
}

/// Whether others have come to what the rank has not. With the lock.
bool ChannelGroup::IsAwaited(uint32_t rank) const {
  const Rank& own = ranks_[rank];
  if (own.next_operation < first_operation_ + operations_.size()) return true;
  if (own.next_split < first_split_ + splits_.size()) return true;
  return std::ranges::any_of(pairs_, [rank](const auto& entry) {
    const auto& [ranks, pair] = entry;
    return !pair.open.empty() && (pair.open_are_sends ? ranks.second : ranks.first) == rank;
  });
}

uint32_t ChannelGroup::CountHere() {
  const std::lock_guard lock(mutex_);
  return here_;
}

Status ChannelGroup::CheckHealth() {
  if (!failed_.load(std::memory_order_acquire)) return kOk;
  const std::lock_guard lock(mutex_);
  return failure_.Share();
}

Status ChannelGroup::ShortenTimeout(uint64_t timeout_ns) {
  uint64_t now = timeout_ns_.load(std::memory_order_relaxed);
  const bool was_watched = now != HAL_TIMEOUT_INFINITE;
  while (timeout_ns < now && !timeout_ns_.compare_exchange_weak(now, timeout_ns, std::memory_order_relaxed)) {
  }
  return was_watched || timeout_ns == HAL_TIMEOUT_INFINITE ? kOk : ChannelDeadlines::Watch(shared_from_this());
}

// --- parts find their round ------------------------------------------------------------------------------------------

void ChannelGroup::Join(CollectivePart& part) noexcept {
  Failure failure;
  bool has_round = false;
  {
    const std::lock_guard lock(mutex_);
    failure = failure_ ? failure_ : Failure(Guard([&] { return JoinRound(part); }));
    has_round = part.round != nullptr;
  }
  if (!failure) return;
  EndAll(failure);  // which ends the part as well, if a round has it
  if (!has_round) part.End(failure);
}

Status ChannelGroup::JoinRound(CollectivePart& part) {
  return part.request().what.kind->is_between_two() ? JoinPair(part) : JoinAll(part);
}

Status ChannelGroup::JoinAll(CollectivePart& part) {
  const uint64_t number = ranks_[part.rank()].next_operation;
  const size_t index = number - first_operation_;
  if (index == operations_.size()) {
    operations_.push_back(nullptr);
    operations_.back() = TakeRound(ranks_.size());
    CollectiveRound& round = *operations_.back();
    round.match.what = part.request().what;
    round.match.number = number;
    round.match.first = part.rank();
  }
  CollectiveRound& round = *operations_[index];
  ++ranks_[part.rank()].next_operation;
  round.match.parts[part.rank()] = &part;
  ++round.match.joined;
  part.round = &round;
  Retain(static_cast<hal_semaphore_t*>(&part));
  HAL_TRY(CheckAgreement(round, part));
  HAL_TRY(CheckNoneLeft(number));
  return round.match.complete() && part.request().what.kind->kind == HAL_COLLECTIVE_PERMUTE ? CheckPermutation(round)
                                                                                            : kOk;
}

Status ChannelGroup::JoinPair(CollectivePart& part) {
  const CollectiveRequest& request = part.request();
  const bool sends = request.what.kind->kind == HAL_COLLECTIVE_SEND;
  const uint32_t from = sends ? part.rank() : request.receive_from;
  const uint32_t to = sends ? request.send_to : part.rank();
  Pair& pair = pairs_[{from, to}];
  const bool opens = pair.open.empty() || pair.open_are_sends == sends;
  if (opens) {
    pair.open.push_back(nullptr);
    pair.open.back() = TakeRound(2);
    pair.open_are_sends = sends;
    CollectiveRound& round = *pair.open.back();
    round.match.what = request.what;
    round.match.number = pair.count++;
    round.match.first = sends ? 0 : 1;
    round.match.ranks[0] = from;
    round.match.ranks[1] = to;
  }
  CollectiveRound& round = *(opens ? pair.open.back() : pair.open.front());
  if (!opens) pair.open.pop_front();
  round.match.parts[sends ? 0 : 1] = &part;
  ++round.match.joined;
  part.round = &round;
  Retain(static_cast<hal_semaphore_t*>(&part));
  HAL_TRY(CheckAgreement(round, part));
  const uint32_t other = sends ? to : from;
  if (!opens || !ranks_[other].has_left) return kOk;
  return Fail(HAL_STATUS_UNAVAILABLE, "rank %" PRIu32 " has left, and rank %" PRIu32 " submitted %s %s it", other,
              part.rank(), request.what.Text().c_str(), sends ? "to" : "from");
}

Status ChannelGroup::CheckAgreement(const CollectiveRound& round, const CollectivePart& part) const {
  const CollectiveRequest& request = part.request();
  if (round.match.what.AgreesWith(request.what)) return kOk;
  const CollectivePart& first = *round.match.parts[round.match.first];
  return Fail(HAL_STATUS_INVALID_ARGUMENT,
              "the ranks disagree about operation %" PRIu64 " of the channel: rank %" PRIu32
              " submitted %s, rank %" PRIu32 " submitted %s",
              round.match.number, first.rank(), round.match.what.Text().c_str(), part.rank(),
              request.what.Text().c_str());
}

Status ChannelGroup::CheckPermutation(const CollectiveRound& round) const {
  const auto& parts = round.match.parts;
  for (const CollectivePart* part : parts) {
    const CollectiveRequest& request = part->request();
    const uint32_t to = request.send_to;
    const uint32_t from = request.receive_from;
    if (to != HAL_RANK_NONE && parts[to]->request().receive_from != part->rank()) {
      return Fail(HAL_STATUS_INVALID_ARGUMENT,
                  "the ranks disagree about operation %" PRIu64 " of the channel, a permute: rank %" PRIu32
                  " sends to rank %" PRIu32 ", which does not receive from it",
                  round.match.number, part->rank(), to);
    }
    if (from != HAL_RANK_NONE && parts[from]->request().send_to != part->rank()) {
      return Fail(HAL_STATUS_INVALID_ARGUMENT,
                  "the ranks disagree about operation %" PRIu64 " of the channel, a permute: rank %" PRIu32
                  " receives from rank %" PRIu32 ", which does not send to it",
                  round.match.number, part->rank(), from);
    }
  }
  return kOk;
}

Status ChannelGroup::CheckNoneLeft(uint64_t operation) const {
  const auto gone = std::ranges::find_if(
      ranks_, [operation](const Rank& rank) { return rank.has_left && rank.next_operation <= operation; });
  if (gone == ranks_.end()) return kOk;
  return Fail(HAL_STATUS_UNAVAILABLE,
              "rank %td's channel was released before the rank came to operation %" PRIu64 " of the channel",
              gone - ranks_.begin(), operation);
}

CollectiveRound* ChannelGroup::TakeRound(size_t part_count) {
  if (free_rounds_.empty()) {
    free_rounds_.reserve(rounds_.size() + 1);
    rounds_.push_back(std::make_unique<CollectiveRound>());
    free_rounds_.push_back(rounds_.back().get());
  }
  CollectiveRound* const round = free_rounds_.back();
  round->Reset(part_count);
  free_rounds_.pop_back();
  waiting_.Add(*round);
  return round;
}

void ChannelGroup::GiveRound(CollectiveRound& round) noexcept {
  const std::lock_guard lock(mutex_);
  free_rounds_.push_back(&round);
}

// --- rounds run ------------------------------------------------------------------------------------------------------

void ChannelGroup::Ready(CollectivePart& part) noexcept {
  CollectiveRound* starts = nullptr;
  Deadline deadline;
  {
    const std::lock_guard lock(mutex_);
    CollectiveRound* const round = part.round;
    if (!round) return;  // it has failed
    RoundMatch& match = round->match;
    if (match.ready++ == 0) deadline = match.deadline = DeadlineAfter(timeout_ns());
    if (match.ready == match.parts.size()) {
      starts = round;
      waiting_.Remove(*round);
      running_.Add(*round);
      match.is_running = true;
      for (CollectivePart* each : match.parts) each->round = nullptr;
      if (!match.what.kind->is_between_two()) {
        operations_[match.number - first_operation_] = nullptr;
        PopCompleted();
      }
    }
  }
  if (!deadline.infinite()) ChannelDeadlines::WakeBy(deadline);
  if (starts) starts->Start(shared_from_this());
}

void ChannelGroup::WatchEngine() noexcept { ChannelDeadlines::WakeBy(DeadlineAfter(kEngineQueryInterval)); }

void ChannelGroup::PopCompleted() noexcept {
  while (!operations_.empty() && !operations_.front()) {
    operations_.pop_front();
    ++first_operation_;
  }
}

void ChannelGroup::FailFrom(CollectivePart& part, const Failure& failure) noexcept {
  EndAll(Failure(Fail(failure.code(), "rank %" PRIu32 ", before its %s: %.*s", part.rank(),
                      part.request().what.kind->name, HALYARD_SV(failure.message()))));
}

void ChannelGroup::EndRound(CollectiveRound& round, Failure failure) noexcept {
  {
    const std::lock_guard lock(mutex_);
    running_.Remove(round);
    if (!failure) failure = failure_;
  }
  if (failure) EndAll(failure);
  round.EndParts(failure);
  GiveRound(round);
}

// --- failure ---------------------------------------------------------------------------------------------------------

void ChannelGroup::EndAll(const Failure& failure) noexcept {
  RoundList ended;
  HostVector<SplitRound> splits;
  {
    const std::lock_guard lock(mutex_);
    if (failure_) return;
    failure_ = failure;
    failed_.store(true, std::memory_order_release);
    ended = waiting_.TakeAll();
    for (CollectiveRound* round = ended.head(); round; round = round->next_of_group) {
      for (CollectivePart* part : round->match.parts) {
        if (part) part->round = nullptr;
      }
    }
    for (CollectiveRound* round = running_.head(); round; round = round->next_of_group) round->Stop();
    operations_.clear();
    pairs_.clear();
    splits.swap(splits_);
    TellForming(failure);
  }
  const DrainScope scope;
  if (hal_channel_engine_t* const own = engine()) own->abort(own);
  for (SplitRound& split : splits) {
    for (SplitEntry& entry : split.entries) {
      if (entry.child) Channel::Of(entry.child.get()).TellFormed(failure);
    }
  }
  while (CollectiveRound* const round = ended.head()) {
    ended.Remove(*round);
    round->EndParts(failure);
    GiveRound(*round);
  }
}

Deadline ChannelGroup::FailLate() noexcept {
  Deadline next;
  Failure late;
  {
    const std::lock_guard lock(mutex_);
    const uint64_t now = MonotonicNanoseconds();
    if (hal_channel_engine_t* const own = engine(); own && running_.head()) {
      late = Failure(FromC(own->query(own)));
      next.nanoseconds = now + kEngineQueryInterval;
    }
    for (const RoundList* list : {&waiting_, &running_}) {
      for (const CollectiveRound* round = list->head(); round; round = round->next_of_group) {
        const Deadline deadline = round->match.deadline;
        if (deadline.nanoseconds > now) {
          next.nanoseconds = std::min(next.nanoseconds, deadline.nanoseconds);
        } else if (!late && !failure_) {
          late = Failure(FindLate(*round));
        }
      }
    }
  }
  if (late) EndAll(late);
  return next;
}

/// Says which ranks an operation has waited for.
Status ChannelGroup::FindLate(const CollectiveRound& round) const {
  const RoundMatch& match = round.match;
  const double seconds = static_cast<double>(timeout_ns()) / kNanosecondsPerSecond;
  const HostString what = match.what.Text();
  if (match.is_running) {
    return Fail(HAL_STATUS_UNAVAILABLE, "%s did not end within %g s", what.c_str(), seconds);
  }
  for (uint32_t i = 0; i < match.parts.size(); ++i) {
    if (match.parts[i]) continue;
    const uint32_t rank = match.what.kind->is_between_two() ? match.ranks[i] : i;
    return Fail(HAL_STATUS_UNAVAILABLE,
                "rank %" PRIu32 " did not submit its part of operation %" PRIu64
                " of the channel, %s, within %g s of "
                "another rank being ready",
                rank, match.number, what.c_str(), seconds);
  }
  return Fail(HAL_STATUS_UNAVAILABLE,
              "%" PRIu32 " of %zu ranks were ready for operation %" PRIu64 " of the channel, %s, when %g s were over",
              match.ready, match.parts.size(), match.number, what.c_str(), seconds);
}

// --- splits ----------------------------------------------------------------------------------------------------------

Status ChannelGroup::Split(uint32_t rank, uint32_t color, int32_t key, Ref<hal_channel_t> child) {
  SplitRound complete;
  {
    const std::lock_guard lock(mutex_);
    if (failure_) return failure_.Share();
    const uint64_t number = ranks_[rank].next_split;
    const size_t index = number - first_split_;
    if (index == splits_.size()) {
      SplitRound split;
      split.entries.resize(ranks_.size());
      splits_.push_back(std::move(split));
    }
    SplitRound& split = splits_[index];
    ++ranks_[rank].next_split;
    split.entries[rank] = {true, color, key, std::move(child)};
    if (++split.count < ranks_.size()) return kOk;
    complete = std::move(split);  // the first: each rank comes to them in order
    splits_.erase(splits_.begin());
    ++first_split_;
  }
  const Status status = Guard([&] { return Form(complete, timeout_ns()); });
  if (status == kOk) return kOk;
  const Failure failure(status);
  for (const SplitEntry& entry : complete.entries) {
    if (entry.child) Channel::Of(entry.child.get()).TellFormed(failure);
  }
  return failure.Share();
}

/// Makes the groups of a split that all ranks have come to.
Status ChannelGroup::Form(SplitRound& split, uint64_t timeout_ns) {
  HostVector<uint32_t> order;
  for (uint32_t rank = 0; rank < split.entries.size(); ++rank) {
    if (split.entries[rank].child) order.push_back(rank);
  }
  const auto place = [&](uint32_t rank) {
    return std::tuple(split.entries[rank].color, split.entries[rank].key, rank);
  };
  std::ranges::sort(order, {}, place);
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    const uint32_t color = split.entries[order[begin]].color;
    while (end < order.size() && split.entries[order[end]].color == color) ++end;
    std::shared_ptr<ChannelGroup> group;
    HAL_TRY(Make(static_cast<uint32_t>(end - begin), timeout_ns, &group));
    for (size_t i = begin; i < end; ++i) {
      Channel& child = Channel::Of(split.entries[order[i]].child.get());
      HAL_TRY(child.Place(group, static_cast<uint32_t>(i - begin)));
    }
  }
  return kOk;
}

}  // namespace halyard
