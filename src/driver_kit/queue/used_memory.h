// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory that the commands of a recording use, in pieces: all bytes of a piece were used by the same nodes.
#ifndef HALYARD_DRIVER_KIT_QUEUE_USED_MEMORY_H_
#define HALYARD_DRIVER_KIT_QUEUE_USED_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "base/arena.h"
#include "base/host_memory.h"

namespace halyard {

/// Finds pieces by their bytes. Most ranges of a recording are used again exactly as they are, so that a hash of where
/// they begin finds them; the order of all pieces is looked at for the others.
class UsedMemory {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  /// A byte of memory: the address space, a buffer or a slot, and where in it.
  struct Place {
    uint64_t space = 0;
    uint64_t first = 0;
    bool operator==(const Place& other) const = default;
    bool operator<(const Place& other) const { return std::pair(space, first) < std::pair(other.space, other.first); }
  };
  struct Piece {
    Place place;
    uint64_t end = 0;          // as place.first; 0 once other pieces have taken its place
    uint32_t writer = kNone;   // the node that wrote it last
    uint32_t readers = kNone;  // a list of the nodes that read it since then
  };

  /// Calls `visit(piece)` with the pieces that make up a range. Those that it lacks are made.
  template <class Visit>
  void ForEachPiece(const Place& place, uint64_t end, const Visit& visit) {
    if (Piece* const piece = FindWhole(place, end)) return visit(*piece);
    Split({place.space, end});
    auto next = Split(place);
    for (uint64_t at = place.first; at < end; ++next) {
      if (!IsBefore(next, place.space, at + 1))
        next = Insert(next, {place.space, at}, EndOfGap(next, place.space, end));
      Piece& piece = pieces_[next->second];
      at = piece.end;
      visit(piece);
    }
  }

  /// Makes one piece of a range, and calls `visit(piece)` with those that it consisted of before, if any.
  template <class Visit>
  Piece& Merge(const Place& place, uint64_t end, const Visit& visit) {
    if (Piece* const piece = FindWhole(place, end)) {
      visit(*piece);
      return *piece;
    }
    Split({place.space, end});
    auto next = Split(place);
    while (IsBefore(next, place.space, end)) {
      Piece& piece = pieces_[next->second];
      visit(piece);
      piece.end = 0;
      next = order_.erase(next);
    }
    return pieces_[Insert(next, place, end)->second];
  }

  void Clear();

 private:
  using Order = std::map<Place, uint32_t, std::less<>, ArenaAllocator<std::pair<const Place, uint32_t>>>;

  /// The piece that is a range; one that is made, if no piece has any byte of it; NULL if pieces have some.
  Piece* FindWhole(const Place& place, uint64_t end);
  /// Makes a place a border between pieces. Returns the first piece behind it.
  Order::iterator Split(const Place& at);
  Order::iterator Insert(Order::iterator behind, const Place& place, uint64_t end);
  bool IsBefore(Order::iterator piece, uint64_t space, uint64_t end) const {
    return piece != order_.end() && piece->first.space == space && piece->first.first < end;
  }
  uint64_t EndOfGap(Order::iterator behind, uint64_t space, uint64_t end) const {
    return IsBefore(behind, space, end) ? behind->first.first : end;
  }
  uint32_t& IndexOf(const Place& place);
  void GrowIndex();

  HostVector<Piece> pieces_;
  Arena arena_;
  Order order_{ArenaAllocator<std::pair<const Place, uint32_t>>(arena_)};  // numbers of pieces
  HostVector<uint32_t> index_;  // numbers of pieces, each at or behind the hash of its place; at most half is taken
};

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_QUEUE_USED_MEMORY_H_
