// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Access of a device to the memory of other devices of its API.
#ifndef HALYARD_STREAM_MEMORY_PEER_ACCESS_H_
#define HALYARD_STREAM_MEMORY_PEER_ACCESS_H_

#include <atomic>
#include <cstdint>
#include <mutex>

#include "base/host_memory.h"
#include "base/status.h"

namespace halyard::stream {

class StreamContext;

/// The devices whose memory a device and which the device's memory is open to. A pair is opened by the first copy
/// between the two, in both directions: the vendor chooses which of them copies. Neither the access of contexts nor
/// that of a pool is enough alone: without the other the vendor copies through the host, and does not say so.
/// Thread-safe.
class PeerAccess {
 public:
  PeerAccess();
  PeerAccess(const PeerAccess&) = delete;
  PeerAccess& operator=(const PeerAccess&) = delete;

  /// Opens the way between `own`, whose part this is, and `peer`, unless it is open. Devices that cannot reach each
  /// other stay as they are. Calls the vendor the first time; without a NativeScope.
  Status Open(StreamContext& own, StreamContext& peer);
  /// Whether each of the two reaches the other's memory by address. False before Open().
  bool Reaches(const StreamContext& peer);

 private:
  /// What came of opening a way.
  struct Way {
    uint64_t name;  // of the other device
    bool reaches;
  };

  Status OpenNow(StreamContext& own, StreamContext& peer, bool* out_reaches) const;
  const Way* FindLocked(uint64_t name) const;

  const uint64_t name_;                 // of this device; never used again in the process
  std::atomic<uint64_t> last_open_{0};  // the last peer that was asked for
  std::mutex mutex_;                    // protects ways_; a leaf
  HostVector<Way> ways_;
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_MEMORY_PEER_ACCESS_H_
