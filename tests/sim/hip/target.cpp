// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/target.h"

#include <algorithm>
#include <string>

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

// By LLVM's naming: "gfx11-generic" stands for gfx11xx, "gfx10-3-generic" for gfx103x, and "gfx9-generic" for those of
// GCN alone.
bool StandsFor(std::string_view generic, std::string_view processor) {
  if (generic == "gfx9-generic") {
    return processor.starts_with("gfx90") && processor != "gfx908" && processor != "gfx90a";
  }
  if (generic == "gfx9-4-generic") return processor.starts_with("gfx94") || processor.starts_with("gfx95");
  if (!generic.ends_with("-generic")) return false;
  std::string prefix(generic.substr(0, generic.rfind('-')));
  std::erase(prefix, '-');
  return processor.starts_with(prefix);
}

}  // namespace

bool Runs(std::string_view architecture, std::string_view target) {
  const std::string_view processor = Take(&architecture);
  const std::string_view wanted = Take(&target);
  if (wanted != processor && !StandsFor(wanted, processor)) return false;
  while (!target.empty()) {
    if (!Has(architecture, Take(&target))) return false;
  }
  return true;
}

}  // namespace halyard::hip::abi
