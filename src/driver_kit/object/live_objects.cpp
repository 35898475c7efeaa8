// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver_kit/object/live_objects.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "base/process_wide.h"

namespace halyard {
namespace {

/// The name of a kind, for one object; more of them have an 's'.
struct Name {
  hal_object_kind_t kind;
  const char* text;
};
constexpr std::array<Name, 7> kKindNames = {{{HAL_OBJECT_KIND_DEVICE, "device"},
                                             {HAL_OBJECT_KIND_REGISTRY, "registry object"},
                                             {HAL_OBJECT_KIND_FENCE, "fence"},
                                             {HAL_OBJECT_KIND_FILE, "file"},
                                             {HAL_OBJECT_KIND_DESCRIPTOR_SET_LAYOUT, "descriptor set layout"},
                                             {HAL_OBJECT_KIND_PIPELINE_LAYOUT, "pipeline layout"},
                                             {HAL_OBJECT_KIND_DEVICE_GROUP, "device group"}}};

// By kind. Release and acquire: what a thread did with an object is done for the thread that sees it gone.
constinit std::array<std::atomic<int64_t>, kLastObjectKind + 1> g_counts{};

// A child of fork() has none of the parent's objects.
constinit ProcessWideEntry g_entry([] {}, [] { std::ranges::fill(g_counts, 0); });

}  // namespace

void LiveObjects::Made(hal_object_kind_t kind) noexcept {
  g_entry.Link();
  g_counts[kind].fetch_add(1, std::memory_order_relaxed);
}

void LiveObjects::Remove(hal_object_kind_t kind) noexcept { g_counts[kind].fetch_sub(1, std::memory_order_release); }

int64_t LiveObjects::Count(hal_object_kind_t kind) noexcept { return g_counts[kind].load(std::memory_order_acquire); }

// Executables make layouts of their own, and keep their device: with it there are those that no application has made.
HostString LiveObjects::Describe() {
  const bool has_devices = Count(HAL_OBJECT_KIND_DEVICE) > 0;
  HostString text;
  for (const Name& name : kKindNames) {
    const bool is_layout =
        name.kind == HAL_OBJECT_KIND_PIPELINE_LAYOUT || name.kind == HAL_OBJECT_KIND_DESCRIPTOR_SET_LAYOUT;
    const int64_t count = Count(name.kind);
    if (count <= 0 || (is_layout && has_devices)) continue;
    if (!text.empty()) text += ", ";
    text.append(std::to_string(count)).append(" ").append(name.text);
    if (count > 1) text += 's';
  }
  return text;
}

}  // namespace halyard
