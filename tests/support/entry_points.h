// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HALYARD_TESTS_SUPPORT_ENTRY_POINTS_H_
#define HALYARD_TESTS_SUPPORT_ENTRY_POINTS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "image/halx/container_contents.h"

namespace halyard::testing {

/// The entry points of a variant that has all exports, by their symbols.
inline HostVector<ContainerEntryPoint> EntryPointsOf(const std::vector<std::string_view>& symbols) {
  HostVector<ContainerEntryPoint> entry_points(symbols.size());
  for (uint32_t i = 0; i < symbols.size(); ++i) {
    entry_points[i].ordinal = i;
    entry_points[i].symbol = symbols[i];
  }
  return entry_points;
}

}  // namespace halyard::testing

#endif  // HALYARD_TESTS_SUPPORT_ENTRY_POINTS_H_
