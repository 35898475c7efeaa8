// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/element.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "base/text/small_float.h"
#include "function/value_type.h"
#include "support/failure.h"
#include "support/program/check.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

[[noreturn]] void FailValue(hal_element_type_t type, std::string_view text, std::string_view why) {
  Fail(ExitCode::kUsage, "'", text, "' ", why, " ", ElementTypeText(type));
}

// The low bytes of a number as the host has them in memory, in as many as `bits` bits take.
std::vector<std::byte> IntegerBytes(uint64_t value, uint32_t bits) {
  const auto from = [](auto number) {
    std::vector<std::byte> bytes(sizeof(number));
    std::memcpy(bytes.data(), &number, sizeof(number));
    return bytes;
  };
  if (bits <= 8) return from(static_cast<uint8_t>(value));
  if (bits <= 16) return from(static_cast<uint16_t>(value));
  return bits <= 32 ? from(static_cast<uint32_t>(value)) : from(value);
}

// Numbers that a file may hold, but no text and no `long double` of every host.
bool IsTooWide(hal_element_type_t type) {
  return ElementKind(type) != HAL_NUMERIC_KIND_OPAQUE && ElementBits(type) > 64;
}

// Signless integers take what either reading of their bits can hold.
std::vector<std::byte> ParseInteger(hal_element_type_t type, std::string_view text) {
  const uint32_t bits = ElementBits(type);
  const bool negative = text.starts_with("-");
  const std::optional<uint64_t> magnitude = ParseUint(negative ? text.substr(1) : text);
  if (!magnitude) FailValue(type, text, "is no value for");
  const uint64_t largest = UINT64_MAX >> (64 - bits);
  const uint64_t half = uint64_t{1} << (bits - 1);
  const bool is_signed = ElementKind(type) == HAL_NUMERIC_KIND_SIGNED;
  const bool is_unsigned = ElementKind(type) == HAL_NUMERIC_KIND_UNSIGNED;
  const uint64_t most = negative ? (is_unsigned ? 0 : half) : is_signed ? half - 1 : largest;
  if (*magnitude > most) FailValue(type, text, "is out of range for");
  return IntegerBytes((negative ? uint64_t{0} - *magnitude : *magnitude) & largest, bits);
}

std::vector<std::byte> ParseBoolean(hal_element_type_t type, std::string_view text) {
  if (text == "true" || text == "1") return {std::byte{1}};
  if (text == "false" || text == "0") return {std::byte{0}};
  FailValue(type, text, "is no value (true or false) for");
}

double ParseReal(hal_element_type_t type, std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  errno = 0;
  const double value = std::strtod(copy.c_str(), &end);
  const bool complete = !copy.empty() && end == copy.c_str() + copy.size();
  if (!complete || std::isspace(static_cast<unsigned char>(copy.front()))) FailValue(type, text, "is no value for");
  return value;
}

std::vector<std::byte> RealBytes(hal_element_type_t type, double value) {
  const uint32_t bits = ElementBits(type);
  const auto single = static_cast<float>(value);
  if (type == HAL_ELEMENT_TYPE_BF16) return IntegerBytes(FloatToBfloat(single), 16);
  if (bits == 16) return IntegerBytes(FloatToHalf(single), 16);
  return bits == 32 ? IntegerBytes(std::bit_cast<uint32_t>(single), 32)
                    : IntegerBytes(std::bit_cast<uint64_t>(value), 64);
}

std::vector<std::byte> ParseFloat(hal_element_type_t type, std::string_view text) {
  const double value = ParseReal(type, text);
  std::vector<std::byte> bytes = RealBytes(type, value);
  const bool overflows = std::isinf(ReaderFor(type).read(bytes.data())) != 0;
  const bool meant = text.find("inf") != std::string_view::npos;
  if (overflows && !meant) FailValue(type, text, "is out of range for");
  return bytes;
}

// The nearest float of 8 bits or less, ties to even. There are so few that all are tried.
std::vector<std::byte> ParseSmallFloat(hal_element_type_t type, std::string_view text) {
  const double value = ParseReal(type, text);
  uint32_t nearest = 0;
  double distance = INFINITY;
  double lowest = INFINITY;
  double highest = -INFINITY;
  for (uint32_t bits = 0; bits < 1u << ElementBits(type); ++bits) {
    const double number = SmallFloatToFloat(ElementKind(type), static_cast<uint8_t>(bits));
    if (number == value || (std::isnan(number) && std::isnan(value))) return IntegerBytes(bits, 8);
    if (!std::isfinite(number)) continue;
    lowest = std::min(lowest, number);
    highest = std::max(highest, number);
    const double away = std::abs(number - value);
    if (away < distance || (away == distance && bits % 2 == 0)) nearest = bits;
    distance = std::min(away, distance);
  }
  if (!(value >= lowest && value <= highest)) FailValue(type, text, "is out of range for");
  return IntegerBytes(nearest, 8);
}

// Where the imaginary part of "1.5e-3-2i" begins, with its sign; 0 in "-2i".
size_t ImaginaryBegin(std::string_view text) {
  for (size_t at = text.size(); at-- > 1;) {
    const bool is_sign = text[at] == '+' || text[at] == '-';
    const bool is_exponent = std::tolower(static_cast<unsigned char>(text[at - 1])) == 'e';
    if (is_sign && !is_exponent) return at;
  }
  return 0;
}

// "1.5", "-2i" or "1.5-2i", each number as the type of the parts has it.
std::vector<std::byte> ParseComplex(hal_element_type_t type, std::string_view text) {
  std::string_view real = text;
  std::string_view imaginary = "0";
  if (text.ends_with('i')) {
    const size_t begin = ImaginaryBegin(text);
    real = begin > 0 ? text.substr(0, begin) : "0";
    imaginary = text.substr(begin, text.size() - begin - 1);
    if (imaginary.starts_with('+')) imaginary.remove_prefix(1);
  }
  std::vector<std::byte> bytes = ParseElement(PartOf(type), real);
  const std::vector<std::byte> second = ParseElement(PartOf(type), imaginary);
  bytes.insert(bytes.end(), second.begin(), second.end());
  return bytes;
}

template <class T>
T Load(const std::byte* memory) {
  T value;
  std::memcpy(&value, memory, sizeof(T));
  return value;
}

template <class T>
long double ReadAs(const std::byte* memory) {
  return static_cast<long double>(Load<T>(memory));
}

long double ReadHalf(const std::byte* memory) { return HalfToFloat(Load<uint16_t>(memory)); }
long double ReadBfloat(const std::byte* memory) { return BfloatToFloat(Load<uint16_t>(memory)); }

// The types of the widths that have one; of narrower ones the unused bits are read as well.
template <class Int8, class Int16, class Int32, class Int64>
NumberReader IntegerReader(uint32_t bits) {
  if (bits <= 8) return {1, 1, ReadAs<Int8>};
  if (bits <= 16) return {2, 1, ReadAs<Int16>};
  return bits <= 32 ? NumberReader{4, 1, ReadAs<Int32>} : NumberReader{8, 1, ReadAs<Int64>};
}

template <hal_numeric_kind_t kKind>
long double ReadSmallFloat(const std::byte* memory) {
  return SmallFloatToFloat(kKind, Load<uint8_t>(memory));
}

constexpr int kFirstSmallFloat = HAL_NUMERIC_KIND_F8E5M2;
constexpr int kSmallFloats = HAL_NUMERIC_KIND_F4E2M1FN - kFirstSmallFloat + 1;

template <int... kOffsets>
NumberReader SmallFloatReader(hal_numeric_kind_t kind, std::integer_sequence<int, kOffsets...> /*offsets*/) {
  constexpr std::array kReaders = {ReadSmallFloat<static_cast<hal_numeric_kind_t>(kFirstSmallFloat + kOffsets)>...};
  return {1, 1, kReaders[static_cast<size_t>(kind - kFirstSmallFloat)]};
}

NumberReader FloatReader(uint32_t bits) {
  if (bits == 16) return {2, 1, ReadHalf};
  return bits == 32 ? NumberReader{4, 1, ReadAs<float>} : NumberReader{8, 1, ReadAs<double>};
}

}  // namespace

hal_element_type_t ParseElementType(std::string_view text) {
  const bool is_short = text.size() > 1 && text[0] == 'u' && std::isdigit(static_cast<unsigned char>(text[1]));
  const std::string name = is_short ? "ui" + std::string(text.substr(1)) : std::string(text);
  hal_element_type_t type = HAL_ELEMENT_TYPE_NONE;
  if (hal_element_type_parse(View(name), &type) == HAL_STATUS_OK) return type;
  Fail(ExitCode::kUsage, LastError());
}

std::string ElementTypeText(hal_element_type_t type) {
  std::array<char, 32> text = {};
  const bool known = hal_element_type_format(type, text.data(), text.size()) == HAL_STATUS_OK;
  return known ? text.data() : "?";
}

std::vector<std::byte> ParseElement(hal_element_type_t type, std::string_view text) {
  if (IsTooWide(type)) FailValue(type, text, "cannot be written as text for");
  if (IsComplex(type)) return ParseComplex(type, text);
  if (IsSmallFloat(type)) return ParseSmallFloat(type, text);
  switch (ElementKind(type)) {
    case HAL_NUMERIC_KIND_BOOLEAN:
      return ParseBoolean(type, text);
    case HAL_NUMERIC_KIND_FLOAT:
    case HAL_NUMERIC_KIND_BFLOAT:
      return ParseFloat(type, text);
    case HAL_NUMERIC_KIND_OPAQUE:
      FailValue(type, text, "is no value for");
    default:
      return ParseInteger(type, text);
  }
}

NumberReader ReaderFor(hal_element_type_t type) {
  const uint32_t bits = ElementBits(type);
  const bool odd = IsInteger(PartOf(type)) && bits > 8 && !std::has_single_bit(bits);
  if (IsTooWide(type) || odd) Fail(ExitCode::kUsage, "elements of type ", ElementTypeText(type), " are not compared");
  if (IsComplex(type)) {
    NumberReader reader = ReaderFor(PartOf(type));
    reader.components = 2;
    return reader;
  }
  const hal_numeric_kind_t kind = ElementKind(type);
  if (IsSmallFloat(type)) return SmallFloatReader(kind, std::make_integer_sequence<int, kSmallFloats>());
  switch (kind) {
    case HAL_NUMERIC_KIND_BOOLEAN:
    case HAL_NUMERIC_KIND_UNSIGNED:
      return IntegerReader<uint8_t, uint16_t, uint32_t, uint64_t>(bits);
    case HAL_NUMERIC_KIND_INTEGER:
    case HAL_NUMERIC_KIND_SIGNED:
    case HAL_NUMERIC_KIND_INDEX:
      return IntegerReader<int8_t, int16_t, int32_t, int64_t>(bits);
    case HAL_NUMERIC_KIND_FLOAT:
      return FloatReader(bits);
    case HAL_NUMERIC_KIND_BFLOAT:
      return {2, 1, ReadBfloat};
    default:
      Fail(ExitCode::kUsage, "elements of type ", ElementTypeText(type), " have no numbers to compare");
  }
}

}  // namespace halyard::tools
