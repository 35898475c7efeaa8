// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/target.h"

#include <algorithm>

namespace halyard::hip::abi {
namespace {

// The next of "gfx942:sramecc+:xnack-", which it leaves out of the text.
std::string_view Take(std::string_view* text) {
  const std::string_view part = text->substr(0, text->find(':'));
  text->remove_prefix(std::min(part.size() + 1, text->size()));
  return part;
}

// "xnack-" against "sramecc+:xnack-". A feature that the device does not have has no sign.
bool Has(std::string_view features, std::string_view wanted) {
  const std::string_view name = wanted.substr(0, wanted.size() - 1);
  while (!features.empty()) {
    const std::string_view feature = Take(&features);
    if (feature.starts_with(name) && feature.size() == wanted.size()) return feature == wanted;
  }
  return false;
}

}  // namespace

bool Runs(std::string_view architecture, std::string_view target) {
  if (Take(&architecture) != Take(&target)) return false;
  while (!target.empty()) {
    if (!Has(architecture, Take(&target))) return false;
  }
  return true;
}

}  // namespace halyard::hip::abi
