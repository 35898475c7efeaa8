// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compare.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

#include "support/element.h"
#include "support/failure.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

// How far apart two numbers are. 0 for two NaNs; infinite for a NaN and a number.
long double Distance(long double got, long double expected) {
  if (got == expected || (std::isnan(got) && std::isnan(expected))) return 0;
  const long double distance = std::fabs(got - expected);
  return std::isnan(distance) ? std::numeric_limits<long double>::infinity() : distance;
}

bool IsAllowed(const Difference& difference, const Tolerance& tolerance) {
  if (difference.distance == 0) return true;
  if (std::isinf(difference.distance)) return false;
  return difference.distance <= tolerance.absolute + tolerance.relative * std::fabs(difference.expected);
}

// The component of an element that is furthest off.
Difference CompareElement(uint64_t element, const NumberReader& got, const std::byte* got_memory,
                          const NumberReader& expected, const std::byte* expected_memory, const Tolerance& tolerance,
                          bool* out_allowed) {
  Difference worst;
  *out_allowed = true;
  for (size_t component = 0; component < got.components; ++component) {
    Difference difference;
    difference.element = element;
    difference.got = got.read(got_memory + component * got.size);
    difference.expected = expected.read(expected_memory + component * expected.size);
    difference.distance = Distance(difference.got, difference.expected);
    if (!IsAllowed(difference, tolerance)) *out_allowed = false;
    if (component == 0 || difference.distance > worst.distance) worst = difference;
  }
  return worst;
}

std::string NumberText(long double value) {
  std::array<char, 64> text;
  std::snprintf(text.data(), text.size(), "%.9Lg", value);
  return text.data();
}

}  // namespace

Comparison Compare(const NpyArray& got, const NpyArray& expected, const Tolerance& tolerance) {
  if (got.shape != expected.shape) {
    Comparison different;
    different.shapes =
        ArraySpecText(got.type, got.shape) + ", expected " + ArraySpecText(expected.type, expected.shape);
    return different;
  }
  const NumberReader got_reader = ReaderFor(got.type);
  const NumberReader expected_reader = ReaderFor(expected.type);
  const size_t got_size = got_reader.size * got_reader.components;
  const size_t expected_size = expected_reader.size * expected_reader.components;
  Comparison comparison;
  comparison.elements = got.bytes.size() / got_size;
  for (uint64_t i = 0; i < comparison.elements; ++i) {
    bool allowed = true;
    const Difference difference = CompareElement(i, got_reader, got.bytes.data() + i * got_size, expected_reader,
                                                 expected.bytes.data() + i * expected_size, tolerance, &allowed);
    if (i == 0 || difference.distance > comparison.largest.distance) comparison.largest = difference;
    if (allowed) continue;
    if (comparison.mismatches++ == 0) comparison.first = difference;
  }
  return comparison;
}

std::string IndexText(uint64_t element, const std::vector<int64_t>& shape) {
  std::vector<std::string> indices(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    const auto size = static_cast<uint64_t>(shape[i]);
    indices[i] = std::to_string(element % size);
    element /= size;
  }
  return "[" + JoinText(indices) + "]";
}

std::string ComparisonText(const Comparison& comparison, const std::vector<int64_t>& shape) {
  if (!comparison.shapes.empty()) return "different: it is " + comparison.shapes;
  if (comparison.elements == 0) return "as expected: both are empty";
  const auto describe = [&](const Difference& difference) {
    return Concat(IndexText(difference.element, shape), " is ", NumberText(difference.got), ", expected ",
                  NumberText(difference.expected));
  };
  const std::string largest = Concat("; the largest difference is ", NumberText(comparison.largest.distance), ": ",
                                     describe(comparison.largest));
  if (!comparison.IsEqual()) {
    const bool is_first = comparison.largest.element == comparison.first.element;
    return Concat("different: ", comparison.mismatches, " of ", comparison.elements,
                  " elements; the first: ", describe(comparison.first), is_first ? "" : largest);
  }
  if (comparison.largest.distance == 0) return Concat("as expected: all ", comparison.elements, " elements are equal");
  return Concat("as expected: all ", comparison.elements, " elements are within the tolerance", largest);
}

}  // namespace halyard::tools
