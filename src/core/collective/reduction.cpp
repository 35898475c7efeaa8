// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/collective/reduction.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/floating_point.h"
#include "base/host_memory.h"
#include "base/process_wide.h"
#include "base/streaming_copy.h"
#include "base/text/small_float.h"

namespace halyard {
namespace {

// --- element formats: what lies in memory, and the values that are combined -----------------------------------------

/// Numbers that C++ has, combined as `Value`, which is as wide or wider.
template <class T, class V = T>
struct Number {
  using Element = T;
  using Value = V;
  explicit Number(hal_numeric_kind_t /*kind*/) {}
  Value Load(Element element) const { return static_cast<Value>(element); }
  Element Store(Value value) const { return static_cast<Element>(value); }
};

struct Half {
  using Element = uint16_t;
  using Value = float;
  explicit Half(hal_numeric_kind_t /*kind*/) {}
  Value Load(Element element) const { return HalfToFloat(element); }
  Element Store(Value value) const { return FloatToHalf(value); }
};

struct Bfloat {
  using Element = uint16_t;
  using Value = float;
  explicit Bfloat(hal_numeric_kind_t /*kind*/) {}
  Value Load(Element element) const { return BfloatToFloat(element); }
  Element Store(Value value) const { return FloatToBfloat(value); }
};

/// A signed format of 8 bits, by the values of its codes.
class ByteFloatTable {
 public:
  explicit ByteFloatTable(hal_numeric_kind_t kind) {
    for (size_t code = 0; code < values_.size(); ++code) {
      values_[code] = SmallFloatToFloat(kind, static_cast<uint8_t>(code));
    }
    // Without the sign, values grow with their codes up to the last finite one.
    const auto positive = values_.begin() + 128;
    const auto last = std::find_if_not(values_.begin(), positive, [](float value) { return std::isfinite(value); });
    largest_ = last - values_.begin() - 1;
    nan_ = std::isnan(values_[127]) ? 127 : kNanOfMinusZero;
    overflow_ = last != positive && std::isinf(*last) ? static_cast<uint8_t>(largest_ + 1) : nan_;
  }

  float Load(uint8_t code) const { return values_[code]; }
  /// The nearest value, ties to even codes. What is beyond the largest becomes infinite, or NaN without infinities.
  uint8_t Store(float value) const {
    if (std::isnan(value)) return nan_;
    const unsigned sign = std::signbit(value) ? 0x80 : 0;
    const float magnitude = std::fabs(value);
    const auto end = values_.begin() + largest_ + 1;
    const auto above = std::lower_bound(values_.begin(), end, magnitude);
    const auto code = static_cast<unsigned>(above - values_.begin());
    if (code == 0) return WithSign(0, sign);
    const float low = values_[code - 1];
    const float high = above != end ? *above : 2 * low - values_[code - 2];  // as if the format went on
    const float middle = low + (high - low) / 2;
    const bool rounds_down = magnitude < middle || (magnitude == middle && code % 2 != 0);
    if (rounds_down) return WithSign(code - 1, sign);
    return WithSign(above == end ? overflow_ : code, sign);
  }

 private:
  /// Where -0 would be NaN there is none, and the NaN has no sign.
  uint8_t WithSign(unsigned code, unsigned sign) const {
    const bool has_none = nan_ == kNanOfMinusZero && (code == 0 || code == nan_);
    return static_cast<uint8_t>(has_none ? code : code | sign);
  }

  static constexpr uint8_t kNanOfMinusZero = 0x80;

  std::array<float, 256> values_;
  ptrdiff_t largest_ = 0;
  uint8_t nan_;
  uint8_t overflow_;
};

struct ByteFloat {
  using Element = uint8_t;
  using Value = float;
  static constexpr hal_numeric_kind_t kFirst = HAL_NUMERIC_KIND_F8E5M2;
  static constexpr hal_numeric_kind_t kLast = HAL_NUMERIC_KIND_F8E4M3B11FNUZ;

  explicit ByteFloat(hal_numeric_kind_t kind) : table(&ProcessWide<Tables>::Find()->tables[kind - kFirst]) {}
  Value Load(Element element) const { return table->Load(element); }
  Element Store(Value value) const { return table->Store(value); }

  /// One for each kind. FindReduction() makes them.
  struct Tables : HostObject {
    Tables() {
      for (int kind = kFirst; kind <= kLast; ++kind) tables.emplace_back(static_cast<hal_numeric_kind_t>(kind));
    }
    HostVector<ByteFloatTable> tables;
  };

  const ByteFloatTable* table;
};

// --- reductions ------------------------------------------------------------------------------------------------------

/// Signed integers as unsigned ones of at least the width of int, which wrap.
template <class V>
constexpr auto Wrapping(V value) {
  if constexpr (std::is_integral_v<V>) {
    return static_cast<std::common_type_t<std::make_unsigned_t<V>, unsigned>>(value);
  } else {
    return value;
  }
}

/// How two values become one. `Begin` and `End` are what happens to the first and to the result.
template <class V>
struct Sum {
  explicit Sum(size_t /*ranks*/) {}
  V Begin(V value, V /*scale*/) const { return value; }
  V Combine(V a, V b, V /*scale*/) const { return static_cast<V>(Wrapping(a) + Wrapping(b)); }
  V End(V value) const { return value; }
};

template <class V>
struct Product : Sum<V> {
  using Sum<V>::Sum;
  V Combine(V a, V b, V /*scale*/) const { return static_cast<V>(Wrapping(a) * Wrapping(b)); }
};

template <class V>
bool IsNan(V value) {
  if constexpr (std::is_floating_point_v<V>) return std::isnan(value);
  return false;
}

template <class V>
struct Min : Sum<V> {
  using Sum<V>::Sum;
  V Combine(V a, V b, V /*scale*/) const { return a < b || IsNan(a) ? a : b; }
};

template <class V>
struct Max : Sum<V> {
  using Sum<V>::Sum;
  V Combine(V a, V b, V /*scale*/) const { return a > b || IsNan(a) ? a : b; }
};

template <class V>
struct Average : Sum<V> {
  explicit Average(size_t ranks) : Sum<V>(ranks), divisor(static_cast<V>(ranks)) {}
  V End(V value) const { return value / divisor; }
  V divisor;
};

template <class V>
struct ScaledSum : Sum<V> {
  using Sum<V>::Sum;
  V Begin(V value, V scale) const { return scale * value; }
  V Combine(V a, V b, V scale) const { return a + scale * b; }
};

// --- the loop --------------------------------------------------------------------------------------------------------

template <class T>
T ReadElement(const std::byte* memory, size_t index) {
  T element;  // sources need not be aligned
  std::memcpy(&element, memory + index * sizeof(T), sizeof(T));
  return element;
}

/// Combines blocks that the first cache keeps, each over all ranks. So every byte of memory is touched once.
template <class Format, template <class> class Reduction>
void Reduce(const ReductionJob& job) {
  using Element = typename Format::Element;
  using Value = typename Format::Value;
  constexpr size_t kBlock = size_t{8192} / sizeof(Value);
  const DefaultFloatingPoint floating_point;
  const Format format(job.element_kind);
  const Reduction<Value> reduction(job.inputs.size());
  const auto scale = [&](size_t rank) { return job.scales.empty() ? Value{1} : static_cast<Value>(job.scales[rank]); };
  std::array<Value, kBlock> values;
  std::array<Element, kBlock> elements;
  for (size_t begin = 0; begin < job.length; begin += kBlock * sizeof(Element)) {
    const size_t bytes = std::min(job.length - begin, kBlock * sizeof(Element));
    const size_t count = bytes / sizeof(Element);
    const Value first_scale = scale(0);
    const std::byte* const first = job.inputs[0] + begin;
    for (size_t i = 0; i < count; ++i) {
      values[i] = reduction.Begin(format.Load(ReadElement<Element>(first, i)), first_scale);
    }
    for (size_t rank = 1; rank < job.inputs.size(); ++rank) {
      const Value rank_scale = scale(rank);
      const std::byte* const input = job.inputs[rank] + begin;
      for (size_t i = 0; i < count; ++i) {
        values[i] = reduction.Combine(values[i], format.Load(ReadElement<Element>(input, i)), rank_scale);
      }
    }
    for (size_t i = 0; i < count; ++i) elements[i] = format.Store(reduction.End(values[i]));
    for (std::byte* const output : job.outputs) {
      if (job.streams) {
        StreamingCopy(output + begin, elements.data(), bytes);
      } else {
        std::memcpy(output + begin, elements.data(), bytes);
      }
    }
  }
}

// --- which one -------------------------------------------------------------------------------------------------------

template <class Format>
ReductionFunction FindOfAnyNumbers(hal_reduction_t reduction) {
  switch (reduction) {
    case HAL_REDUCTION_SUM:
      return Reduce<Format, Sum>;
    case HAL_REDUCTION_PRODUCT:
      return Reduce<Format, Product>;
    case HAL_REDUCTION_MIN:
      return Reduce<Format, Min>;
    case HAL_REDUCTION_MAX:
      return Reduce<Format, Max>;
    default:
      return nullptr;
  }
}

/// @tparam Wide  holds a sum of any number of ranks
template <class T, class Wide>
ReductionFunction FindOfIntegers(hal_reduction_t reduction) {
  if (reduction == HAL_REDUCTION_AVERAGE) return Reduce<Number<T, Wide>, Average>;
  return FindOfAnyNumbers<Number<T>>(reduction);
}

template <class Format>
ReductionFunction FindOfFloats(hal_reduction_t reduction) {
  if (reduction == HAL_REDUCTION_AVERAGE) return Reduce<Format, Average>;
  if (reduction == HAL_REDUCTION_SCALED_SUM) return Reduce<Format, ScaledSum>;
  return FindOfAnyNumbers<Format>(reduction);
}

__extension__ using Wide128 = __int128;

ReductionFunction FindOfSigned(uint32_t bits, hal_reduction_t reduction) {
  switch (bits) {
    case 8:
      return FindOfIntegers<int8_t, int64_t>(reduction);
    case 16:
      return FindOfIntegers<int16_t, int64_t>(reduction);
    case 32:
      return FindOfIntegers<int32_t, int64_t>(reduction);
    case 64:
      return FindOfIntegers<int64_t, Wide128>(reduction);
    default:
      return nullptr;
  }
}

ReductionFunction FindOfUnsigned(uint32_t bits, hal_reduction_t reduction) {
  switch (bits) {
    case 8:
      return FindOfIntegers<uint8_t, int64_t>(reduction);
    case 16:
      return FindOfIntegers<uint16_t, int64_t>(reduction);
    case 32:
      return FindOfIntegers<uint32_t, int64_t>(reduction);
    case 64:
      return FindOfIntegers<uint64_t, Wide128>(reduction);
    default:
      return nullptr;
  }
}

ReductionFunction FindOfFloatBits(uint32_t bits, hal_reduction_t reduction) {
  switch (bits) {
    case 16:
      return FindOfFloats<Half>(reduction);
    case 32:
      return FindOfFloats<Number<float>>(reduction);
    case 64:
      return FindOfFloats<Number<double>>(reduction);
    default:
      return nullptr;
  }
}

}  // namespace

ReductionFunction FindReduction(hal_element_type_t type, hal_reduction_t reduction) {
  constexpr uint32_t kComplex = HAL_ELEMENT_TYPE_COMPLEX(0);
  if ((type & kComplex) != 0) {
    const bool by_parts =
        reduction == HAL_REDUCTION_SUM || reduction == HAL_REDUCTION_AVERAGE || reduction == HAL_REDUCTION_SCALED_SUM;
    const auto kind = static_cast<hal_numeric_kind_t>(type >> 8 & 0x7F);
    const bool of_floats = kind == HAL_NUMERIC_KIND_FLOAT || kind == HAL_NUMERIC_KIND_BFLOAT;
    return by_parts && of_floats ? FindReduction(type & ~kComplex, reduction) : nullptr;
  }
  const auto kind = static_cast<hal_numeric_kind_t>(type >> 8 & 0x7F);
  const uint32_t bits = type & 0xFF;
  switch (kind) {
    case HAL_NUMERIC_KIND_INTEGER:
    case HAL_NUMERIC_KIND_SIGNED:
    case HAL_NUMERIC_KIND_INDEX:
      return FindOfSigned(bits, reduction);
    case HAL_NUMERIC_KIND_UNSIGNED:
      return FindOfUnsigned(bits, reduction);
    case HAL_NUMERIC_KIND_FLOAT:
      return FindOfFloatBits(bits, reduction);
    case HAL_NUMERIC_KIND_BFLOAT:
      return bits == 16 ? FindOfFloats<Bfloat>(reduction) : nullptr;
    default:
      if (kind < ByteFloat::kFirst || kind > ByteFloat::kLast || bits != 8) return nullptr;
      ProcessWide<ByteFloat::Tables>::Get();
      return FindOfFloats<ByteFloat>(reduction);
  }
}

}  // namespace halyard
