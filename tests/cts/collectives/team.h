// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A channel's ranks with their buffers, and a model of what collective operations do: plain loops over doubles.
#ifndef HALYARD_TESTS_CTS_COLLECTIVES_TEAM_H_
#define HALYARD_TESTS_CTS_COLLECTIVES_TEAM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "cts/cts.h"
#include "halyard/channel.h"

namespace halyard::cts {

using Channel = Handle<hal_channel_t, hal_channel_retain, hal_channel_release>;

/// What the model knows of an element type.
struct ElementModel {
  const char* name;
  hal_element_type_t type;
  uint32_t bits;
  int exponent_bits;  ///< of a float; 0 for integers
  int fraction_bits;
  bool is_signed;

  uint64_t size() const { return bits / 8; }
  bool is_float() const { return exponent_bits != 0; }
  double Decode(const uint8_t* bytes) const;
  /// The bits of an integer.
  double Wrapped(double value) const;
  /// How far a result may be off that was rounded to the type `steps` times: half a step each, and what adding
  /// `magnitude` in all as f32 may lose.
  double Bound(double result, double magnitude, uint32_t steps) const;
};
const std::vector<ElementModel>& ElementModels();

/// One operation, as all ranks submit it.
struct CollectiveCase {
  hal_collective_kind_t kind = HAL_COLLECTIVE_ALL_REDUCE;
  hal_reduction_t reduction = HAL_REDUCTION_SUM;
  ElementModel element{};
  uint64_t count = 0;
  uint32_t root = 0;
  bool in_place = false;
  std::vector<uint32_t> send_to;  ///< of a permutation
  uint64_t offset = 0;            ///< of both ranges in their buffers, in elements

  std::string Text() const;
};

/// The ranks of a channel, driven from one thread.
class Team {
 public:
  /// Rank `i` is of device `i`.
  explicit Team(std::vector<Device> devices, uint64_t timeout_ns = 0);
  Team(std::vector<Device> devices, std::vector<Channel> channels)
      : devices_(std::move(devices)), channels_(std::move(channels)) {}

  uint32_t size() const { return static_cast<uint32_t>(devices_.size()); }
  const Device& device(size_t rank) const { return devices_[rank]; }
  const std::vector<Device>& devices() const { return devices_; }
  Channel& channel(size_t rank) { return channels_[rank]; }

  hal_status_t Submit(size_t rank, const Points& waits, const Points& signals,
                      const hal_collective_params_t& params) const;
  /// Submits an all-reduce of nothing, which brings no rank anything but the others' presence.
  hal_status_t Meet(size_t rank, const Points& waits, const Points& signals) const;
  /// Runs an operation on random data, ranks in random order, and looks at every byte.
  void ExpectRuns(const CollectiveCase& given, SeededRandom& random) const;

 private:
  std::vector<Device> devices_;
  std::vector<Channel> channels_;
};

/// `count` devices: the one under test, and every second one another. With further devices, as many different ones as
/// there are.
std::vector<Device> MixedDevices(const Device& first, const Device& second, size_t count);

}  // namespace halyard::cts

#endif  // HALYARD_TESTS_CTS_COLLECTIVES_TEAM_H_
