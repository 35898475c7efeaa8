// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results against what was expected.
#ifndef HALYARD_TOOLS_RUN_COMPARE_H_
#define HALYARD_TOOLS_RUN_COMPARE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "arguments.h"
#include "support/npy/npy.h"

namespace halyard::tools {

/// One element and what it should have been.
struct Difference {
  uint64_t element = 0;  ///< number of the element, the last dimension fastest
  long double got = 0;   ///< of complex elements, the part that differs more
  long double expected = 0;
  long double distance = 0;
};

struct Comparison {
  std::string shapes;  ///< how the shapes differ, as "f32[3], expected f32[4]"; then no element was compared
  uint64_t elements = 0;
  uint64_t mismatches = 0;  ///< elements that are further off than the tolerance allows
  Difference first;         ///< the first of them
  Difference largest;       ///< the one that is furthest off, whether or not that is allowed
  bool IsEqual() const { return mismatches == 0 && shapes.empty(); }
};

/// Compares arrays; their types may differ if both are real or both complex. An element is right if
/// |got - expected| <= absolute + relative * |expected|, if both are NaN, or both the same infinity.
Comparison Compare(const NpyArray& got, const NpyArray& expected, const Tolerance& tolerance);

/// "[1, 2]": the place of an element in an array of that shape.
std::string IndexText(uint64_t element, const std::vector<int64_t>& shape);

/// "3 of 16 elements differ; the first: [0, 1] is 5, expected 6".
std::string ComparisonText(const Comparison& comparison, const std::vector<int64_t>& shape);

}  // namespace halyard::tools

#endif  // HALYARD_TOOLS_RUN_COMPARE_H_
