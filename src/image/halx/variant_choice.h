// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which variant of an executable file a device gets.
#ifndef HALYARD_IMAGE_HALX_VARIANT_CHOICE_H_
#define HALYARD_IMAGE_HALX_VARIANT_CHOICE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "image/halx/container_contents.h"

namespace halyard {

/// What a device says about an image before it sees it.
class VariantRanker {
 public:
  virtual ~VariantRanker() = default;
  /// How well the device runs images of a format that were made for a target (empty: for any). 0 is best.
  /// INCOMPATIBLE, with what the device takes, if it does not.
  virtual Status Rank(std::string_view format, std::string_view target, uint32_t* out_rank) const = 0;
};

/// Picks the variant with the lowest rank; among equals, the first in the file.
/// INCOMPATIBLE if none will do, with what was said about each.
Status ChooseVariant(const ContainerContents& contents, const VariantRanker& ranker, size_t* out_variant);

}  // namespace halyard

#endif  // HALYARD_IMAGE_HALX_VARIANT_CHOICE_H_
