// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cts/collectives/team.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <utility>

#include "cts/cts.h"
#include "cts/elements.h"
#include "cts/options.h"
#include "halyard/cpp/submit.hpp"

namespace halyard::cts {
namespace {

using Bytes = std::vector<uint8_t>;

bool Reduces(hal_collective_kind_t kind) { return kind <= HAL_COLLECTIVE_REDUCE_SCATTER; }

/// Random values of which results stay exact as integers, and in range as floats.
Bytes RandomElements(const CollectiveCase& given, uint64_t count, SeededRandom& random) {
  const ElementModel& element = given.element;
  if (!Reduces(given.kind)) return MixedBytes(count * element.size(), static_cast<uint32_t>(random.Below(1u << 31)));
  Bytes bytes(count * element.size());
  for (uint64_t i = 0; i < count; ++i) {
    uint8_t* const at = bytes.data() + i * element.size();
    if (!element.is_float()) {
      const bool product = given.reduction == HAL_REDUCTION_PRODUCT;
      const int64_t low = element.is_signed ? (product ? -3 : -100) : 0;
      const int64_t value = low + static_cast<int64_t>(random.Below(product ? 7 : 201));
      std::memcpy(at, &value, element.size());  // the low bytes
      continue;
    }
    const double least = given.reduction == HAL_REDUCTION_PRODUCT ? 0.5 : 0.0625;
    const double most = given.reduction == HAL_REDUCTION_PRODUCT ? 1.75 : 4;
    double value = 0;
    do {  // bits of the type itself, so that the model needs no rounding; the exponents are near those of 1
      const uint64_t one = ((uint64_t{1} << (element.exponent_bits - 1)) - 1) << element.fraction_bits;
      const uint64_t spread = uint64_t{8} << element.fraction_bits;
      const uint64_t sign = random.OneIn(2) ? uint64_t{1} << (element.bits - 1) : 0;
      const uint64_t pattern = (one - spread / 2 + random.Below(spread)) | sign;
      std::memcpy(at, &pattern, element.size());
      value = std::fabs(element.Decode(at));
    } while (value < least || value > most);
  }
  return bytes;
}

double Combine(hal_reduction_t reduction, double a, double b) {
  switch (reduction) {
    case HAL_REDUCTION_PRODUCT:
      return a * b;
    case HAL_REDUCTION_MIN:
      return std::min(a, b);
    case HAL_REDUCTION_MAX:
      return std::max(a, b);
    default:
      return a + b;
  }
}

/// A piece of a target: where it is, and what it comes from.
struct Expectation {
  uint32_t rank;
  uint64_t target_piece;
  std::vector<std::pair<uint32_t, uint64_t>> sources;  ///< rank and piece; several are reduced
};

std::vector<Expectation> ExpectationsOf(const CollectiveCase& given, uint32_t n) {
  std::vector<Expectation> all;
  const auto from_all = [n](uint64_t piece) {
    std::vector<std::pair<uint32_t, uint64_t>> sources;
    for (uint32_t rank = 0; rank < n; ++rank) sources.emplace_back(rank, piece);
    return sources;
  };
  for (uint32_t i = 0; i < n; ++i) {
    switch (given.kind) {
      case HAL_COLLECTIVE_ALL_REDUCE:
        all.push_back({i, 0, from_all(0)});
        break;
      case HAL_COLLECTIVE_REDUCE:
        if (i == given.root) all.push_back({i, 0, from_all(0)});
        break;
      case HAL_COLLECTIVE_REDUCE_SCATTER:
        all.push_back({i, 0, from_all(i)});
        break;
      case HAL_COLLECTIVE_BROADCAST:
        all.push_back({i, 0, {{given.root, 0}}});
        break;
      case HAL_COLLECTIVE_ALL_GATHER:
        for (uint32_t j = 0; j < n; ++j) all.push_back({i, j, {{j, 0}}});
        break;
      case HAL_COLLECTIVE_GATHER:
        all.push_back({given.root, i, {{i, 0}}});
        break;
      case HAL_COLLECTIVE_SCATTER:
        all.push_back({i, 0, {{given.root, i}}});
        break;
      case HAL_COLLECTIVE_ALL_TO_ALL:
        for (uint32_t j = 0; j < n; ++j) all.push_back({i, j, {{j, i}}});
        break;
      default:
        if (given.send_to[i] != HAL_RANK_NONE) all.push_back({given.send_to[i], 0, {{i, 0}}});
        break;
    }
  }
  return all;
}

bool HasManySources(hal_collective_kind_t kind) {
  return kind == HAL_COLLECTIVE_REDUCE_SCATTER || kind == HAL_COLLECTIVE_SCATTER || kind == HAL_COLLECTIVE_ALL_TO_ALL;
}
bool HasManyTargets(hal_collective_kind_t kind) {
  return kind == HAL_COLLECTIVE_ALL_GATHER || kind == HAL_COLLECTIVE_GATHER || kind == HAL_COLLECTIVE_ALL_TO_ALL;
}

}  // namespace

double ElementModel::Decode(const uint8_t* bytes) const {
  uint64_t pattern = 0;
  std::memcpy(&pattern, bytes, size());
  if (!is_float()) {
    const uint64_t sign = uint64_t{1} << (bits - 1);
    if (is_signed && (pattern & sign) != 0) return -static_cast<double>((~pattern & (sign - 1)) + 1);
    return static_cast<double>(pattern);
  }
  const auto fraction = static_cast<double>(pattern & ((uint64_t{1} << fraction_bits) - 1));
  const auto exponent = static_cast<int>(pattern >> fraction_bits & ((uint64_t{1} << exponent_bits) - 1));
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const double one = std::ldexp(1, fraction_bits);
  const double value =
      std::ldexp(exponent == 0 ? fraction : fraction + one, std::max(exponent, 1) - bias - fraction_bits);
  return pattern >> (bits - 1) & 1 ? -value : value;
}

double ElementModel::Wrapped(double value) const {
  const auto pattern = static_cast<int64_t>(value);
  uint8_t bytes[8];
  std::memcpy(bytes, &pattern, sizeof(bytes));
  return Decode(bytes);
}

double ElementModel::Bound(double result, double magnitude, uint32_t steps) const {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const double rounded = std::max(steps > 1 ? magnitude : std::fabs(result), std::ldexp(1, 1 - bias));
  const double rounding = steps * rounded * std::ldexp(1, -fraction_bits - 1);
  return rounding + 8 * magnitude * std::ldexp(1, fraction_bits > 23 ? -53 : -24);
}

const std::vector<ElementModel>& ElementModels() {
  static const std::vector<ElementModel> models = {
      {"f32", HAL_ELEMENT_TYPE_F32, 32, 8, 23, true},     {"f16", HAL_ELEMENT_TYPE_F16, 16, 5, 10, true},
      {"bf16", HAL_ELEMENT_TYPE_BF16, 16, 8, 7, true},    {"f64", HAL_ELEMENT_TYPE_F64, 64, 11, 52, true},
      {"f8E5M2", HAL_ELEMENT_TYPE_F8E5M2, 8, 5, 2, true}, {"f8E4M3FN", HAL_ELEMENT_TYPE_F8E4M3FN, 8, 4, 3, true},
      {"i8", HAL_ELEMENT_TYPE_I8, 8, 0, 0, true},         {"ui8", HAL_ELEMENT_TYPE_UI8, 8, 0, 0, false},
      {"si16", HAL_ELEMENT_TYPE_SI16, 16, 0, 0, true},    {"ui16", HAL_ELEMENT_TYPE_UI16, 16, 0, 0, false},
      {"i32", HAL_ELEMENT_TYPE_I32, 32, 0, 0, true},      {"ui32", HAL_ELEMENT_TYPE_UI32, 32, 0, 0, false},
      {"si64", HAL_ELEMENT_TYPE_SI64, 64, 0, 0, true},    {"ui64", HAL_ELEMENT_TYPE_UI64, 64, 0, 0, false},
      {"index", HAL_ELEMENT_TYPE_INDEX, 64, 0, 0, true},
  };
  return models;
}

std::string CollectiveCase::Text() const {
  return "kind " + std::to_string(kind) + " reduction " + std::to_string(reduction) + " of " + std::to_string(count) +
         " " + element.name + " root " + std::to_string(root) + (in_place ? " in place" : "");
}

Team::Team(std::vector<Device> devices, uint64_t timeout_ns) : devices_(std::move(devices)) {
  std::vector<hal_device_t*> raw(devices_.begin(), devices_.end());
  std::vector<hal_channel_t*> made(raw.size());
  Check(hal_channel_create_all(raw.size(), raw.data(), timeout_ns, made.data()), "hal_channel_create_all");
  for (hal_channel_t* channel : made) channels_.emplace_back(channel);
  Check(hal_channel_wait(made[0], kForever), "hal_channel_wait");  // so that its engine has the operations
}

hal_status_t Team::Submit(size_t rank, const Points& waits, const Points& signals,
                          const hal_collective_params_t& params) const {
  return hal_device_queue_collective(devices_[rank], hal::SubmitParams(waits, signals), channels_[rank], &params);
}

hal_status_t Team::Meet(size_t rank, const Points& waits, const Points& signals) const {
  hal_collective_params_t params = HAL_COLLECTIVE_PARAMS_INIT;
  params.element_type = HAL_ELEMENT_TYPE_F32;
  return Submit(rank, waits, signals, params);
}

void Team::ExpectRuns(const CollectiveCase& given, SeededRandom& random) const {
  const uint32_t n = size();
  const ElementModel& element = given.element;
  const uint64_t piece = given.count * element.size();
  const uint64_t offset = given.offset * element.size();
  const uint64_t source_pieces = HasManySources(given.kind) ? n : 1;
  const uint64_t target_pieces = HasManyTargets(given.kind) ? n : 1;
  const uint64_t pieces = std::max(source_pieces, target_pieces);
  constexpr uint64_t kBehind = 16;  // bytes that must stay as they are

  std::vector<Bytes> source_data(n);
  std::vector<Bytes> target_data(n);
  std::vector<Buffer> sources(n);
  std::vector<Buffer> targets(n);
  std::vector<hal_collective_params_t> params(n);
  std::vector<uint64_t> source_offsets(n, offset);
  std::vector<uint64_t> target_offsets(n, offset);
  for (uint32_t rank = 0; rank < n; ++rank) {
    if (given.in_place && source_pieces < target_pieces) source_offsets[rank] += rank * piece;
    if (given.in_place && source_pieces > target_pieces) target_offsets[rank] += rank * piece;
    source_data[rank] = MixedBytes(offset + pieces * piece + kBehind, rank);
    const Bytes elements = RandomElements(given, pieces * given.count, random);
    std::copy(elements.begin(), elements.end(), source_data[rank].begin() + static_cast<ptrdiff_t>(offset));
    target_data[rank] = given.in_place ? source_data[rank] : MixedBytes(offset + pieces * piece + kBehind, rank + 100);
    sources[rank] = devices_[rank].CreateBufferOf(source_data[rank]);
    targets[rank] = given.in_place ? sources[rank] : devices_[rank].CreateBufferOf(target_data[rank]);
    params[rank] = HAL_COLLECTIVE_PARAMS_INIT;
    params[rank].kind = given.kind;
    params[rank].reduction = given.reduction;
    params[rank].element_type = element.type;
    params[rank].count = given.count;
    params[rank].root = given.root;
    params[rank].scale = 0.5 * (rank + 1);
    params[rank].source = Ref(sources[rank], source_offsets[rank], source_pieces * piece);
    params[rank].target = Ref(targets[rank], target_offsets[rank], target_pieces * piece);
  }
  for (uint32_t rank = 0; rank < given.send_to.size(); ++rank) {
    params[rank].send_to = given.send_to[rank];
    if (given.send_to[rank] != HAL_RANK_NONE) params[given.send_to[rank]].receive_from = rank;
  }

  std::vector<uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random.engine());
  std::vector<Semaphore> done;
  for (uint32_t rank = 0; rank < n; ++rank) done.push_back(devices_[rank].CreateSemaphore());
  for (const uint32_t rank : order) {
    ASSERT_OK(Submit(rank, kNoWaits, {{done[rank], 1}}, params[rank])) << given.Text() << ", rank " << rank;
  }
  for (uint32_t rank = 0; rank < n; ++rank) ASSERT_OK(done[rank].Wait(1)) << given.Text() << ", rank " << rank;

  // An engine rounds after each step, and an average before the first.
  hal_channel_info_t info = HAL_INIT(hal_channel_info_t);
  ASSERT_OK(hal_channel_query(channels_[0], &info));
  const bool on_host = std::string_view(info.engine.data, info.engine.size) == "host";
  const uint32_t steps = on_host ? 1 : 2 * n;

  std::vector<Bytes> actual(n);
  std::vector<Bytes> expected = target_data;
  for (uint32_t rank = 0; rank < n; ++rank) actual[rank] = devices_[rank].Download<uint8_t>(targets[rank]);
  for (const Expectation& each : ExpectationsOf(given, n)) {
    const uint64_t target_at = target_offsets[each.rank] + each.target_piece * piece;
    if (!Reduces(given.kind)) {
      const auto& [rank, number] = each.sources[0];
      std::memcpy(expected[each.rank].data() + target_at,
                  source_data[rank].data() + source_offsets[rank] + number * piece, piece);
      continue;
    }
    for (uint64_t i = 0; i < given.count; ++i) {
      const auto source_at = [&](const std::pair<uint32_t, uint64_t>& source) {
        return source_data[source.first].data() + source_offsets[source.first] + source.second * piece +
               i * element.size();
      };
      uint8_t* const want = expected[each.rank].data() + target_at + i * element.size();
      const uint8_t* const got = actual[each.rank].data() + target_at + i * element.size();
      double result = 0;
      double magnitude = 0;
      for (size_t k = 0; k < each.sources.size(); ++k) {
        const double scale = given.reduction == HAL_REDUCTION_SCALED_SUM ? params[each.sources[k].first].scale : 1;
        const double value = scale * element.Decode(source_at(each.sources[k]));
        result = k == 0 ? value : Combine(given.reduction, result, value);
        magnitude += std::fabs(value);
      }
      if (given.reduction == HAL_REDUCTION_PRODUCT) magnitude = std::fabs(result);
      if (given.reduction == HAL_REDUCTION_AVERAGE) result /= n;
      const double value = element.Decode(got);
      if (element.is_float()) {
        EXPECT_NEAR(value, result, element.Bound(result, magnitude, steps)) << given.Text() << ", element " << i;
      } else {
        EXPECT_EQ(value, element.Wrapped(result)) << given.Text() << ", element " << i << " of rank " << each.rank;
      }
      std::memcpy(want, got, element.size());
      if (testing::Test::HasFailure()) return;
    }
  }
  for (uint32_t rank = 0; rank < n; ++rank) {
    ASSERT_TRUE(actual[rank] == expected[rank]) << given.Text() << ", rank " << rank << " of " << n;
  }
}

std::vector<Device> MixedDevices(const Device& first, const Device& second, size_t count) {
  std::vector<Device> all = {first, second};
  const auto& more = options().more_devices;
  for (size_t i = 0; i < more.size() && all.size() < count && first != second; ++i) all.push_back(OpenDevice(more[i]));
  std::vector<Device> devices;
  for (size_t i = 0; i < count; ++i) devices.push_back(all[i % all.size()]);
  return devices;
}

}  // namespace halyard::cts
