// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/memory/peer_access.h"

#include <algorithm>

#include "stream/memory/stream_memory.h"
#include "stream/native/stream_context.h"

namespace halyard::stream {
namespace {

constinit std::atomic<uint64_t> g_last_peer_name{0};

// Within a scope, so that a loss that the call finds is that of `own`, and not of what was current.
Status Describe(StreamContext& own, StreamContext& peer, hal_peer_properties_t* out) {
  Status status = kOk;
  {
    const NativeScope scope(own.api());
    status = scope.entered() ? own.api().DescribePeer(peer.api(), out) : scope.status();
  }
  return own.Checked(status);
}

/// Makes a call of one of the two devices: its loss is that device's. Any other refusal, such as of one device too
/// many, leaves the vendor to copy through the host.
template <class Call>
Status AskOf(StreamContext& context, bool* reaches, Call&& call) {
  Status status = kOk;
  {
    const NativeScope scope(context.api());
    status = scope.entered() ? call() : scope.status();
  }
  if (status == kOk) return kOk;
  if (status.code() == HAL_STATUS_DEVICE_LOST) return context.Checked(status);
  status.Ignore();
  *reaches = false;
  return kOk;
}

/// One direction: the device `from` gets access to the memory of `to`.
Status OpenWay(StreamContext& from, StreamContext& to, bool* reaches) {
  HAL_TRY(AskOf(from, reaches, [&] { return from.api().OpenPeer(to.api()); }));
  return AskOf(to, reaches, [&] { return to.memory().OpenTo(from.api()); });
}

}  // namespace

PeerAccess::PeerAccess() : name_(g_last_peer_name.fetch_add(1, std::memory_order_relaxed) + 1) {}

Status PeerAccess::Open(StreamContext& own, StreamContext& peer) {
  const uint64_t name = peer.memory().peers().name_;
  if (last_open_.load(std::memory_order_acquire) == name) return kOk;
  bool known = false;
  {
    const std::lock_guard lock(mutex_);
    known = FindLocked(name) != nullptr;
  }
  if (!known) {
    bool reaches = false;
    HAL_TRY(OpenNow(own, peer, &reaches));
    const std::lock_guard lock(mutex_);
    ways_.push_back({name, reaches});
  }
  last_open_.store(name, std::memory_order_release);
  return kOk;
}

bool PeerAccess::Reaches(const StreamContext& peer) {
  const std::lock_guard lock(mutex_);
  const Way* const way = FindLocked(peer.memory().peers().name_);
  return way && way->reaches;
}

const PeerAccess::Way* PeerAccess::FindLocked(uint64_t name) const {
  const auto found = std::ranges::find(ways_, name, &Way::name);
  return found == ways_.end() ? nullptr : &*found;
}

Status PeerAccess::OpenNow(StreamContext& own, StreamContext& peer, bool* out_reaches) const {
  *out_reaches = own.api().IsSameDevice(peer.api());
  if (*out_reaches) return kOk;
  hal_peer_properties_t properties = HAL_INIT(hal_peer_properties_t);
  HAL_TRY(Describe(own, peer, &properties));
  if (properties.relation != HAL_PEER_RELATION_ACCESS) return kOk;
  *out_reaches = true;
  HAL_TRY(OpenWay(own, peer, out_reaches));
  return OpenWay(peer, own, out_reaches);
}

}  // namespace halyard::stream
