// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HALYARD_TESTS_UNIT_SUPPORT_PARTIAL_CONTENTS_H_
#define HALYARD_TESTS_UNIT_SUPPORT_PARTIAL_CONTENTS_H_

#include <string_view>

#include "image/halx/container_contents.h"

namespace halyard::testing {

inline constexpr std::string_view kHostImage = "an image for the host";
inline constexpr std::string_view kDeviceImage = "an image for any device";

/// A file of version 3: "add" and "softmax" with names and types of their parameters and with one of each kind; images
/// that have one or both, two of them for one target with different versions of its instruction set, and launch facts.
ContainerContents PartialContents();

}  // namespace halyard::testing

#endif  // HALYARD_TESTS_UNIT_SUPPORT_PARTIAL_CONTENTS_H_
