// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/collective/channel.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstring>
#include <mutex>
#include <random>
#include <utility>

#include "base/process_wide.h"
#include "core/collective/channel_group.h"
#include "core/public_call.h"
#include "core/semaphore.h"
#include "core/validation/checks.h"
#include "driver_kit/timeline/timeline_semaphore.h"

namespace halyard {
namespace {

const hal_object_vtable_t kChannelTable = {sizeof(hal_object_vtable_t), DestroyEntry<Channel, hal_channel_t>};

/// The processors of a device that works on the host's; 0 for others.
uint32_t CountWorkerThreads(hal_device_t* device) {
  hal_device_properties_t properties = HAL_INIT(hal_device_properties_t);
  if (hal_device_query_properties(device, &properties) != HAL_STATUS_OK) return 0;
  return properties.kind == HAL_DEVICE_KIND_CPU ? std::max<uint32_t>(properties.compute_units, 1) : 0;
}

// --- ids -------------------------------------------------------------------------------------------------------------

/// What is in a hal_channel_id_t; the rest is 0.
struct IdContent {
  std::array<char, 8> mark;
  std::array<uint32_t, 4> process;  ///< random
  uint64_t number;                  ///< in that process

  friend bool operator==(const IdContent&, const IdContent&) = default;
};
static_assert(sizeof(IdContent) <= sizeof(hal_channel_id_t));
constexpr std::array<char, 8> kMark = {'h', 'a', 'l', '-', 'c', 'h', 'a', '1'};

/// The channels of this process that were made with an id and still have a rank.
class ChannelIds : public HostObject {
 public:
  ChannelIds() {
    std::random_device random;
    std::ranges::generate(process_, [&] { return static_cast<uint32_t>(random()); });
  }

  void MakeId(hal_channel_id_t* out) {
    const IdContent content = {kMark, process_, next_.fetch_add(1, std::memory_order_relaxed)};
    std::memset(out, 0, sizeof(*out));
    std::memcpy(out->bytes, &content, sizeof(content));
  }

  /// The group of an id, which is made if there is none.
  Status Find(const hal_channel_params_t& params, std::shared_ptr<ChannelGroup>* out) {
    IdContent content;
    std::memcpy(&content, params.id.bytes, sizeof(content));
    if (content.mark != kMark) {
      return FailWith(HAL_STATUS_INVALID_ARGUMENT, "params->id is none of hal_channel_create_id()");
    }
    if (content.process != process_) {
      return FailWith(HAL_STATUS_UNIMPLEMENTED,
                      "params->id is of another process; the ranks of a channel are in one process so far");
    }
    const std::lock_guard lock(mutex_);
    std::erase_if(groups_, [](const auto& entry) { return entry.second.expired(); });
    std::weak_ptr<ChannelGroup>& known = groups_[content.number];
    *out = known.lock();
    if (*out) return CheckSameCount(params, **out);
    HAL_TRY(ChannelGroup::Make(params.rank_count, params.timeout_ns, out));
    known = *out;
    return kOk;
  }

 private:
  static Status CheckSameCount(const hal_channel_params_t& params, ChannelGroup& group) {
    if (params.rank_count == group.rank_count()) return group.ShortenTimeout(params.timeout_ns);
    return Fail(HAL_STATUS_INVALID_ARGUMENT,
                "params->rank_count is %" PRIu32 ", but the ranks that have come said %" PRIu32, params.rank_count,
                group.rank_count());
  }

  std::array<uint32_t, 4> process_;
  std::atomic<uint64_t> next_{0};
  std::mutex mutex_;  // protects what follows; outside of it, those of groups and deadlines
  HostMap<uint64_t, std::weak_ptr<ChannelGroup>> groups_;
};

// --- creation --------------------------------------------------------------------------------------------------------

uint64_t TimeoutOr(uint64_t timeout_ns) { return timeout_ns == 0 ? uint64_t{HAL_CHANNEL_DEFAULT_TIMEOUT} : timeout_ns; }

Status CheckRankCount(const char* argument, size_t count) {
  if (count == 0) return Fail(HAL_STATUS_INVALID_ARGUMENT, "%s is 0", argument);
  if (count <= HAL_CHANNEL_MAX_RANKS) return kOk;
  return Fail(HAL_STATUS_OUT_OF_RANGE, "%s is %zu; a channel has at most %u ranks", argument, count,
              HAL_CHANNEL_MAX_RANKS);
}

Status CreateChannel(hal_device_t* device, const hal_channel_params_t* given, hal_channel_t** out_channel) {
  HAL_TRY(CheckNotNull("device", device));
  hal_channel_params_t params = HAL_INIT(hal_channel_params_t);
  HAL_TRY(ReadStruct("params", given, &params));
  params.timeout_ns = TimeoutOr(params.timeout_ns);
  HAL_TRY(CheckRankCount("params->rank_count", params.rank_count));
  if (params.rank >= params.rank_count) {
    return Fail(HAL_STATUS_OUT_OF_RANGE, "params->rank is %" PRIu32 "; with %" PRIu32 " ranks the last is %" PRIu32,
                params.rank, params.rank_count, params.rank_count - 1);
  }
  std::shared_ptr<ChannelGroup> group;
  HAL_TRY(ProcessWide<ChannelIds>::Get().Find(params, &group));
  Ref<hal_channel_t> channel = Channel::Make(device);
  HAL_TRY(Channel::Of(channel.get()).Place(std::move(group), params.rank));
  *out_channel = channel.release();
  return kOk;
}

Status CreateAll(size_t device_count, hal_device_t* const* devices, uint64_t timeout_ns, hal_channel_t** out_channels) {
  HAL_TRY(CheckNotNull("out_channels", static_cast<void*>(out_channels)));
  HAL_TRY(CheckRankCount("device_count", device_count));
  HAL_TRY(CheckNotNull("devices", static_cast<const void*>(devices)));
  HostVector<Ref<hal_channel_t>> channels;
  for (size_t i = 0; i < device_count; ++i) {
    const ArgumentName name = {"devices", i};
    HAL_TRY(CheckNotNull(name.Text().c_str(), devices[i]));
    channels.push_back(Channel::Make(devices[i]));
  }
  std::shared_ptr<ChannelGroup> group;
  HAL_TRY(ChannelGroup::Make(static_cast<uint32_t>(device_count), TimeoutOr(timeout_ns), &group));
  for (size_t i = 0; i < device_count; ++i) {
    HAL_TRY(Channel::Of(channels[i].get()).Place(group, static_cast<uint32_t>(i)));
  }
  for (size_t i = 0; i < device_count; ++i) out_channels[i] = channels[i].release();
  return kOk;
}

Status SplitChannel(hal_channel_t* channel, uint32_t color, int32_t key, hal_channel_t** out_channel) {
  HAL_TRY(CheckNotNull("channel", channel));
  std::shared_ptr<ChannelGroup> group;
  RankPlace place{};
  HAL_TRY(Channel::Of(channel).FindPlace(&group, &place));
  Ref<hal_channel_t> child;
  if (color != HAL_CHANNEL_NO_COLOR) child = Channel::Make(Channel::Of(channel).device());
  HAL_TRY(group->Split(place.rank, color, key, child));
  *out_channel = child.release();
  return kOk;
}

}  // namespace

Channel::Channel(hal_device_t* device)
    : hal_channel_t{}, device_(Ref<hal_device_t>::Retaining(device)), worker_threads_(CountWorkerThreads(device)) {
  hal_object_initialize(&object, HAL_OBJECT_KIND_CHANNEL, &kChannelTable);
}

Channel::~Channel() {
  if (group_) group_->Detach(rank_, this);
}

Ref<hal_channel_t> Channel::Make(hal_device_t* device) {
  auto made = std::unique_ptr<Channel>(new Channel(device));
  CreateTimelineSemaphore(nullptr, 0, made->formed_.out()).Ignore();  // fails in no way but by throwing
  return Ref<hal_channel_t>::Adopting(made.release());
}

Status Channel::Place(std::shared_ptr<ChannelGroup> group, uint32_t rank) {
  rank_ = rank;
  group_ = std::move(group);
  has_place_.store(true, std::memory_order_release);  // before a thread that waits is told
  return group_->Attach(rank, this);
}

Status Channel::FindPlace(std::shared_ptr<ChannelGroup>* out_group, RankPlace* out_place) {
  if (has_place_.load(std::memory_order_acquire)) {
    *out_group = group_;
    *out_place = {rank_, group_->rank_count()};
    return kOk;
  }
  uint64_t value = 0;
  HAL_TRY(VtableOf(formed_.get())->query(formed_.get(), &value));
  return Fail(HAL_STATUS_FAILED_PRECONDITION,
              "channel%s has no rank yet: not all ranks have come to its split; call hal_channel_wait() first",
              LabelWords(this).c_str());
}

void Channel::TellFormed(const Failure& failure) noexcept {
  hal_semaphore_t* const formed = formed_.get();
  const auto tell = [&]() -> Status {
    if (failure) return FromC(VtableOf(formed)->fail(formed, failure.code(), ToC(failure.message())));
    return FromC(VtableOf(formed)->signal(formed, 1));
  };
  tell().Ignore();
}

void Channel::Query(hal_channel_info_t* out) {
  *out = HAL_INIT(hal_channel_info_t);
  out->rank = HAL_RANK_NONE;
  if (!has_place_.load(std::memory_order_acquire)) return;
  out->rank = rank_;
  out->rank_count = group_->rank_count();
  out->ranks_here = group_->CountHere();
  const hal_channel_engine_t* const engine = group_->engine();
  out->engine = engine ? engine->name : hal_string_view_t{"host", 4};
}

Status Channel::Wait(uint64_t timeout_ns) {
  HAL_TRY(VtableOf(formed_.get())->wait(formed_.get(), 1, timeout_ns));
  return group_->CheckHealth();
}

Status Channel::Abort(Status failure) {
  const Failure kept(failure);
  if (has_place_.load(std::memory_order_acquire)) {
    group_->EndAll(kept);
  } else {
    TellFormed(kept);
  }
  return kOk;
}

}  // namespace halyard

using halyard::Channel;
using halyard::CheckNotNull;
using halyard::PublicAndDrain;

hal_status_t hal_channel_create_id(hal_channel_id_t* out_id) {
  return halyard::Public([&] {
    HAL_TRY(CheckNotNull("out_id", static_cast<const void*>(out_id)));
    halyard::ProcessWide<halyard::ChannelIds>::Get().MakeId(out_id);
    return halyard::kOk;
  });
}

hal_status_t hal_channel_create(hal_device_t* device, const hal_channel_params_t* params, hal_channel_t** out_channel) {
  return halyard::PublicThatGives("out_channel", out_channel,
                                  [&] { return halyard::CreateChannel(device, params, out_channel); });
}

hal_status_t hal_channel_create_all(size_t device_count, hal_device_t* const* devices, uint64_t timeout_ns,
                                    hal_channel_t** out_channels) {
  const hal_status_t status =
      halyard::Public([&] { return halyard::CreateAll(device_count, devices, timeout_ns, out_channels); });
  for (size_t i = 0; halyard::ValidationIsOn() && status == HAL_STATUS_OK && i < device_count; ++i) {
    halyard::HandleTable::Given(&out_channels[i]->object, __func__);
  }
  return status;
}

hal_status_t hal_channel_split(hal_channel_t* channel, uint32_t color, int32_t key, hal_channel_t** out_channel) {
  return halyard::PublicThatGives("out_channel", out_channel,
                                  [&] { return halyard::SplitChannel(channel, color, key, out_channel); });
}

void hal_channel_retain(hal_channel_t* channel) { halyard::RetainHandle(channel); }
void hal_channel_release(hal_channel_t* channel) { halyard::ReleaseHandle(channel); }

hal_status_t hal_channel_query(hal_channel_t* channel, hal_channel_info_t* out_info) {
  return halyard::Public([&] {
    HAL_TRY(CheckNotNull("channel", channel));
    hal_channel_info_t info;
    Channel::Of(channel).Query(&info);
    return halyard::WriteStruct("out_info", info, out_info);
  });
}

hal_status_t hal_channel_wait(hal_channel_t* channel, uint64_t timeout_ns) {
  return halyard::Await([&] { return CheckNotNull("channel", channel); },
                        [&] {
                          const auto kept = halyard::Ref<hal_channel_t>::Retaining(channel);
                          return Channel::Of(channel).Wait(timeout_ns);
                        });
}

hal_status_t hal_channel_abort(hal_channel_t* channel, hal_status_t status, hal_string_view_t message) {
  return PublicAndDrain([&]() -> halyard::Status {
    HAL_TRY(CheckNotNull("channel", channel));
    HAL_TRY(halyard::CheckFailure(status));
    HAL_TRY(halyard::CheckText("message", message));
    return Channel::Of(channel).Abort(halyard::FailWith(status, halyard::View(message)));
  });
}
