// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a collective operation moves: from which ranks to which, and in which parts.
#ifndef HALYARD_CORE_COLLECTIVE_COLLECTIVE_H_
#define HALYARD_CORE_COLLECTIVE_COLLECTIVE_H_

#include <cstdint>

#include "base/host_memory.h"
#include "halyard/driver_api.h"

namespace halyard {

/// The ranks that have one side of an operation.
enum class RankRole : uint8_t {
  kNone,
  kAll,
  kRoot,
  kChosen,  ///< as `send_to` and `receive_from` say
};

/// One side of a kind of operation: which ranks have it, and of how many pieces.
struct CollectiveSide {
  RankRole role;
  bool piece_per_rank;  ///< a piece for each rank; otherwise one
};

/// What is known of a kind.
struct CollectiveKind {
  hal_collective_kind_t kind;
  const char* name;
  bool reduces;
  CollectiveSide source;
  CollectiveSide target;

  bool has_root() const { return source.role == RankRole::kRoot || target.role == RankRole::kRoot; }
  /// Whether two ranks take part rather than all.
  bool is_between_two() const { return kind == HAL_COLLECTIVE_SEND || kind == HAL_COLLECTIVE_RECEIVE; }
};
/// NULL for a number that is no kind.
const CollectiveKind* FindCollectiveKind(hal_collective_kind_t kind);
/// NULL for a number that is no reduction.
const char* ReductionName(hal_reduction_t reduction);

/// What all ranks of an operation agree on.
struct Collective {
  const CollectiveKind* kind = nullptr;
  hal_reduction_t reduction{};  ///< 0 unless the kind reduces
  hal_element_type_t element_type = HAL_ELEMENT_TYPE_NONE;
  uint32_t root = 0;  ///< 0 unless the kind has one
  uint64_t count = 0;
  uint64_t length = 0;  ///< bytes of a piece

  /// For messages: "reduce (sum) of 4 x f32 to rank 0".
  HostString Text() const;
  /// A SEND and a RECEIVE agree as well.
  bool AgreesWith(const Collective& other) const;
};

/// The part of one rank, checked. Ranges name allocations; they are empty where the rank has no use for them.
struct CollectiveRequest {
  Collective what;
  uint32_t send_to = HAL_RANK_NONE;
  uint32_t receive_from = HAL_RANK_NONE;
  double scale = 1;
  hal_buffer_ref_t source{};
  hal_buffer_ref_t target{};
};

/// One end of a transfer: the source or the target of a part of the operation, and where in it, in bytes.
struct TransferEnd {
  uint32_t part;
  uint64_t offset;
};

/// Pieces that are moved together, because each may be written only once all that lie in its place were read. Of an
/// operation the transfers are independent.
///
/// A reduction combines all inputs for every output. Otherwise either the one input goes to all outputs, or each input
/// goes to the output of the same index.
struct Transfer {
  HostVector<TransferEnd> inputs;
  HostVector<TransferEnd> outputs;

  bool is_exchange() const { return inputs.size() > 1; }  ///< unless the operation reduces
};

/// How many transfers an operation of so many ranks consists of.
uint64_t CountTransfers(const Collective& what, uint32_t rank_count);

/// Makes the transfer of a number below that. Part `i` is that of rank `i`; of an operation between two ranks the
/// sender has part 0. `request(part)` is what that one asked for. Allocates only if a list has no room.
template <class Request>
void MakeTransfer(const Collective& what, uint32_t rank_count, uint64_t number, const Request& request, Transfer* out);

// --- the template ----------------------------------------------------------------------------------------------------

/// The two ranks whose pieces an all-to-all exchanges in the transfer of a number: the pairs (0,0) (1,0) (1,1) (2,0) …
struct RankPair {
  uint32_t high;
  uint32_t low;
};
RankPair PairOf(uint64_t number);

template <class Request>
void MakeTransfer(const Collective& what, uint32_t rank_count, uint64_t number, const Request& request, Transfer* out) {
  const auto index = static_cast<uint32_t>(number);
  const uint64_t own = number * what.length;
  const auto all = [rank_count](HostVector<TransferEnd>& ends, uint64_t offset) {
    for (uint32_t part = 0; part < rank_count; ++part) ends.push_back({part, offset});
  };
  out->inputs.clear();
  out->outputs.clear();
  switch (what.kind->kind) {
    case HAL_COLLECTIVE_ALL_REDUCE:
      all(out->inputs, 0);
      all(out->outputs, 0);
      break;
    case HAL_COLLECTIVE_REDUCE:
      all(out->inputs, 0);
      out->outputs.push_back({what.root, 0});
      break;
    case HAL_COLLECTIVE_REDUCE_SCATTER:
      all(out->inputs, own);
      out->outputs.push_back({index, 0});
      break;
    case HAL_COLLECTIVE_BROADCAST:
      out->inputs.push_back({what.root, 0});
      for (uint32_t part = 0; part < rank_count; ++part) {
        if (request(part).target.buffer) out->outputs.push_back({part, 0});  // the root may have none
      }
      break;
    case HAL_COLLECTIVE_ALL_GATHER:
      out->inputs.push_back({index, 0});
      all(out->outputs, own);
      break;
    case HAL_COLLECTIVE_GATHER:
      out->inputs.push_back({index, 0});
      out->outputs.push_back({what.root, own});
      break;
    case HAL_COLLECTIVE_SCATTER:
      out->inputs.push_back({what.root, own});
      out->outputs.push_back({index, 0});
      break;
    case HAL_COLLECTIVE_ALL_TO_ALL: {
      const RankPair pair = PairOf(number);
      out->inputs.push_back({pair.high, pair.low * what.length});
      out->outputs.push_back({pair.low, pair.high * what.length});
      if (pair.high == pair.low) break;
      out->inputs.push_back({pair.low, pair.high * what.length});
      out->outputs.push_back({pair.high, pair.low * what.length});
      break;
    }
    case HAL_COLLECTIVE_PERMUTE:
      for (uint32_t part = 0; part < rank_count; ++part) {
        if (request(part).send_to == HAL_RANK_NONE) continue;
        out->inputs.push_back({part, 0});
        out->outputs.push_back({request(part).send_to, 0});
      }
      break;
    default:  // SEND and RECEIVE
      out->inputs.push_back({0, 0});
      out->outputs.push_back({1, 0});
      break;
  }
}

}  // namespace halyard

#endif  // HALYARD_CORE_COLLECTIVE_COLLECTIVE_H_
