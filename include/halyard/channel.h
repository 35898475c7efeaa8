// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Channels: groups of devices, each with a rank, that combine and exchange memory in collective operations. See
/// docs/collectives.md.
///
/// hal_device_queue_collective() submits the part of one rank. The operation runs once all ranks have submitted theirs
/// and the waits of all are reached. No thread waits meanwhile.
///
/// **Order.** All ranks submit the collective operations of a channel in the same order. Sends and receives are matched
/// for each pair of ranks, in their order. An operation may be made to wait for those that its rank submitted to the
/// channel before. So none of its waits may depend on a later one.
///
/// **Failure.** A channel fails as a whole, on all ranks. Ranks that disagree fail it, and so does the failure of a
/// wait or a device, a rank that was released or does not come in time, and hal_channel_abort(). The signals of all its
/// operations that have not ended fail with the first failure. Further operations are refused with it. The devices stay
/// usable, and a new channel can be made.
///
/// Since 0.1, all of it.
#ifndef HALYARD_CHANNEL_H_
#define HALYARD_CHANNEL_H_

#include "halyard/base.h"
#include "halyard/buffer.h"
#include "halyard/buffer_view.h"
#include "halyard/status.h"

HAL_EXTERN_C_BEGIN

/// No rank.
#define HAL_RANK_NONE 0xFFFFFFFFu
/// The most ranks of a channel.
#define HAL_CHANNEL_MAX_RANKS 4096u
/// How long operations wait for ranks if a channel's parameters do not say, in nanoseconds: ten minutes.
#define HAL_CHANNEL_DEFAULT_TIMEOUT 600000000000
/// The colour of a rank that takes part in a split and gets no channel of its own.
#define HAL_CHANNEL_NO_COLOR 0xFFFFFFFFu

/// Names a channel that its ranks are about to make: bytes that one rank gives to the others. A frozen struct.
typedef struct hal_channel_id_t {
  /// Opaque.
  uint8_t bytes[128];
} hal_channel_id_t;

/// What a rank says of the channel it makes.
typedef struct hal_channel_params_t {
  size_t struct_size;   ///< sizeof(hal_channel_params_t)
  uint32_t rank;        ///< of this device, below `rank_count`
  uint32_t rank_count;  ///< devices of the channel, at least 1; all ranks say the same
  /// How long an operation that a rank is ready for waits for the others and runs, in nanoseconds. 0 stands for
  /// HAL_CHANNEL_DEFAULT_TIMEOUT. The shortest of all ranks counts.
  uint64_t timeout_ns;
  hal_channel_id_t id;  ///< from hal_channel_create_id(), the same for all ranks
} hal_channel_params_t;

/// What a channel is.
typedef struct hal_channel_info_t {
  size_t struct_size;   ///< sizeof(hal_channel_info_t)
  uint32_t rank;        ///< this one's; HAL_RANK_NONE while a split has not ended
  uint32_t rank_count;  ///< 0 while a split has not ended
  uint32_t ranks_here;  ///< ranks that have made their channel so far
  uint32_t reserved;    ///< 0
  /// What moves the bytes: "host", or a library with its version, such as "NCCL 2.28.9". Valid as long as the channel.
  /// Final once hal_channel_wait() has returned OK.
  hal_string_view_t engine;
} hal_channel_info_t;

/// What a collective operation does. A *piece* is `count` elements; `n` is the number of ranks.
typedef enum hal_collective_kind_t {
  HAL_COLLECTIVE_ALL_REDUCE = 1,      ///< each target becomes the reduction of all sources; one piece each
  HAL_COLLECTIVE_REDUCE = 2,          ///< the root's target becomes the reduction of all sources
  HAL_COLLECTIVE_REDUCE_SCATTER = 3,  ///< of `n` pieces a source: target `i` becomes the reduction of all pieces `i`
  HAL_COLLECTIVE_BROADCAST = 4,       ///< each target becomes the root's source
  HAL_COLLECTIVE_ALL_GATHER = 5,      ///< piece `i` of each target, which has `n`, becomes source `i`
  HAL_COLLECTIVE_GATHER = 6,          ///< piece `i` of the root's target becomes source `i`
  HAL_COLLECTIVE_SCATTER = 7,         ///< target `i` becomes piece `i` of the root's source
  HAL_COLLECTIVE_ALL_TO_ALL = 8,      ///< piece `j` of target `i` becomes piece `i` of source `j`; `n` pieces each
  HAL_COLLECTIVE_PERMUTE = 9,         ///< each source goes to the target of rank `send_to`
  HAL_COLLECTIVE_SEND = 10,           ///< the source goes to rank `send_to`, which submits RECEIVE
  HAL_COLLECTIVE_RECEIVE = 11,        ///< the target becomes what rank `receive_from` sends
  HAL_COLLECTIVE_FORCE_32 = HAL_ENUM_FORCE_32
} hal_collective_kind_t;

/// How elements of several ranks become one. The order in which ranks are combined is the same for all elements.
///
/// Integers without a sign (`i32`) are ordered and divided as signed ones. Sums and products of integers wrap. `f16`,
/// `bf16` and 8-bit floats are combined as `f32` and rounded once, to nearest, ties to even. The minimum or maximum of
/// a NaN and anything is NaN.
typedef enum hal_reduction_t {
  HAL_REDUCTION_SUM = 1,         ///< integers, floats, complex numbers
  HAL_REDUCTION_PRODUCT = 2,     ///< integers, floats
  HAL_REDUCTION_MIN = 3,         ///< integers, floats
  HAL_REDUCTION_MAX = 4,         ///< integers, floats
  HAL_REDUCTION_AVERAGE = 5,     ///< the sum over the number of ranks; of integers towards 0, and the sum does not wrap
  HAL_REDUCTION_SCALED_SUM = 6,  ///< each rank's elements times its `scale` first; floats, complex numbers
  HAL_REDUCTION_FORCE_32 = HAL_ENUM_FORCE_32
} hal_reduction_t;

/// The part of one rank in a collective operation. The call that takes it copies it.
///
/// Ranges that the rank has no use for may be empty (NULL buffer) and are left alone. Such is the target of a reduce on
/// ranks that are not the root. The root of a broadcast needs no target. A range may be longer than needed, and an
/// offset is a multiple of the element's size.
///
/// Source and target may be the same range. Of all-gather and gather, the source may be the rank's own piece of the
/// target; of reduce-scatter and scatter, the target may be the rank's own piece of the source. Otherwise they must not
/// overlap. What one rank writes must not overlap what another uses.
typedef struct hal_collective_params_t {
  size_t struct_size;          ///< sizeof(hal_collective_params_t)
  hal_collective_kind_t kind;  ///< what it does; ranks agree
  /// How; ranks agree. Only of kinds that reduce.
  hal_reduction_t reduction;
  /// What the elements are; ranks agree. Reductions take integers of 8, 16, 32 and 64 bits, `index`, `f16`, `bf16`,
  /// `f32`, `f64`, 8-bit floats except `f8E8M0FNU`, and complex numbers of floats. What is moved may be any type.
  hal_element_type_t element_type;
  uint32_t root;            ///< of REDUCE, BROADCAST, GATHER and SCATTER; ranks agree
  uint32_t send_to;         ///< of SEND and PERMUTE; HAL_RANK_NONE: nowhere
  uint32_t receive_from;    ///< of RECEIVE and PERMUTE; HAL_RANK_NONE: from nowhere, and the target stays as it is
  uint64_t count;           ///< elements of a piece; 0 moves nothing; ranks agree
  double scale;             ///< of SCALED_SUM
  hal_buffer_ref_t source;  ///< what the rank gives, with usage TRANSFER_SOURCE
  hal_buffer_ref_t target;  ///< what the rank gets, with usage TRANSFER_TARGET
} hal_collective_params_t;
#define HAL_COLLECTIVE_PARAMS_INIT                                                                     \
  HAL_INIT_STRUCT(hal_collective_params_t, sizeof(hal_collective_params_t), HAL_COLLECTIVE_ALL_REDUCE, \
                  HAL_REDUCTION_SUM, HAL_ELEMENT_TYPE_NONE, 0, HAL_RANK_NONE, HAL_RANK_NONE, 0, 1,     \
                  {NULL, 0, 0, 0, HAL_WHOLE_SIZE}, {NULL, 0, 0, 0, HAL_WHOLE_SIZE})
/// HAL_COLLECTIVE_PARAMS_INIT as a function: see HAL_INIT_STRUCT. Thread-compatible.
HAL_API void hal_collective_params_initialize(hal_collective_params_t* out, size_t struct_size);

/// Makes an id for one channel. One rank calls it and hands the bytes to the others. Thread-safe.
HAL_API hal_status_t hal_channel_create_id(hal_channel_id_t* out_id);

/// Makes the channel of one rank. Does not wait for the others: operations can be submitted at once.
///
/// The ranks of a channel are in one process and may be devices of any drivers, also one device several times. The
/// channel keeps its device alive.
/// @return INVALID_ARGUMENT (`id`, `rank_count`, or another count than an earlier rank's), OUT_OF_RANGE (`rank`),
///         ALREADY_EXISTS (a channel of that rank), UNIMPLEMENTED (an id of another process), the failure of the
///         channel if it has failed already.
/// Thread-safe.
HAL_API hal_status_t hal_channel_create(hal_device_t* device, const hal_channel_params_t* params,
                                        hal_channel_t** out_channel);

/// Makes one channel of several devices of the process: device `i` gets rank `i` and `out_channels[i]`.
/// @param timeout_ns  as hal_channel_params_t::timeout_ns
/// @return INVALID_ARGUMENT (no device, or one that is NULL), OUT_OF_RANGE (above HAL_CHANNEL_MAX_RANKS). Thread-safe.
HAL_API hal_status_t hal_channel_create_all(size_t device_count, hal_device_t* const* devices, uint64_t timeout_ns,
                                            hal_channel_t** out_channels);

/// Makes channels of the ranks of a channel that give the same colour. Ranks of the new one follow `key`, and the rank
/// of `channel` where keys are equal.
///
/// All ranks call it, in the same order as further splits; the call does not wait for them. Until all have called, the
/// new channel has no rank and takes no operation: hal_channel_wait() tells the end. Operations of `channel` may be
/// under way.
/// @param color  any number; with HAL_CHANNEL_NO_COLOR `*out_channel` is NULL
/// @return FAILED_PRECONDITION (`channel` comes from a split that has not ended), the failure of `channel`.
/// Thread-safe.
HAL_API hal_status_t hal_channel_split(hal_channel_t* channel, uint32_t color, int32_t key,
                                       hal_channel_t** out_channel);

/// Keeps a channel alive. Thread-safe.
HAL_API void hal_channel_retain(hal_channel_t* channel);
/// Releases a reference. With the last one the rank leaves: operations that it has submitted run on, those that it has
/// not fail the channel. Thread-safe.
HAL_API void hal_channel_release(hal_channel_t* channel);

/// What the channel is now, also of one that has failed. Thread-safe.
HAL_API hal_status_t hal_channel_query(hal_channel_t* channel, hal_channel_info_t* out_info);

/// Blocks until all ranks have made their channel, and its engine is open. No call needs it, except for a channel of
/// hal_channel_split(). Operations that come before go through the host.
/// @param timeout_ns  nanoseconds from now; 0 only checks, HAL_TIMEOUT_INFINITE never expires
/// @return DEADLINE_EXCEEDED, the failure of the channel. Thread-safe.
HAL_API hal_status_t hal_channel_wait(hal_channel_t* channel, uint64_t timeout_ns);

/// Fails the channel on all ranks. Does nothing if it has failed already. Pieces of an operation that are on their way
/// end first, then its signals fail.
/// @param status  any but OK
/// @return INVALID_ARGUMENT (`status`). Thread-safe, from callbacks as well.
HAL_API hal_status_t hal_channel_abort(hal_channel_t* channel, hal_status_t status, hal_string_view_t message);

HAL_EXTERN_C_END

#endif  // HALYARD_CHANNEL_H_
