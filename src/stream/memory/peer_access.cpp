// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/memory/peer_access.h"

#include <algorithm>

#include "stream/memory/stream_memory.h"
#include "stream/native/stream_context.h"

namespace halyard::stream {
namespace {

constinit std::atomic<uint64_t> g_last_peer_name{0};

/// One direction: the device `from` gets access to the memory of `to`.
Status OpenWay(StreamContext& from, StreamContext& to, const NativeApi& from_api) {
  {
    const NativeScope scope(from.api());
    HAL_TRY(scope.status());
    HAL_TRY(from.api().OpenPeer(to.api()));
  }
  const NativeScope scope(to.api());
  HAL_TRY(scope.status());
  return to.memory().OpenTo(from_api);
}

}  // namespace

PeerAccess::PeerAccess() : name_(g_last_peer_name.fetch_add(1, std::memory_order_relaxed) + 1) {}

Status PeerAccess::Open(StreamContext& own, StreamContext& peer) {
  const uint64_t name = peer.memory().peers().name_;
  if (last_open_.load(std::memory_order_acquire) == name) return kOk;
  if (!IsOpen(name)) {
    HAL_TRY(OpenNow(own, peer));
    const std::lock_guard lock(mutex_);
    open_.push_back(name);
  }
  last_open_.store(name, std::memory_order_release);
  return kOk;
}

bool PeerAccess::IsOpen(uint64_t name) {
  const std::lock_guard lock(mutex_);
  return std::ranges::find(open_, name) != open_.end();
}

Status PeerAccess::OpenNow(StreamContext& own, StreamContext& peer) const {
  if (own.api().IsSameDevice(peer.api())) return kOk;
  hal_peer_properties_t properties = HAL_INIT(hal_peer_properties_t);
  HAL_TRY(own.api().DescribePeer(peer.api(), &properties));
  if (properties.relation != HAL_PEER_RELATION_ACCESS) return kOk;
  HAL_TRY(OpenWay(own, peer, own.api()));
  return OpenWay(peer, own, peer.api());
}

}  // namespace halyard::stream
