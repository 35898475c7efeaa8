// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which variants of an executable file a device gets.
#ifndef HALYARD_IMAGE_HALX_VARIANT_CHOICE_H_
#define HALYARD_IMAGE_HALX_VARIANT_CHOICE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/host_memory.h"
#include "base/status.h"
#include "image/halx/container_contents.h"

namespace halyard {

/// What a device says about an image before it sees it.
class VariantRanker {
 public:
  virtual ~VariantRanker() = default;
  /// How well the device runs images of a format that were made for a target (empty: for any) and a version of its
  /// instruction set (0: unknown). 0 is best. INCOMPATIBLE, with what the device takes, if it does not.
  virtual Status Rank(std::string_view format, std::string_view target, uint32_t isa_version,
                      uint32_t* out_rank) const = 0;
};

/// Picks for each of some exports the variant with the lowest rank among those that have it; among equals, the first in
/// the file. INCOMPATIBLE if none of them will do for an export, with what was said about each.
Status ChooseVariants(const ContainerContents& contents, const VariantRanker& ranker,
                      std::span<const uint32_t> ordinals, HostVector<size_t>* out_variants);

}  // namespace halyard

#endif  // HALYARD_IMAGE_HALX_VARIANT_CHOICE_H_
