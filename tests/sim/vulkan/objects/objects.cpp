// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vulkan/objects/objects.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "vulkan/queue/records.h"
#include "vulkan/rules/everlasting.h"

namespace halyard::vulkan_sim {
namespace {

std::string CountsText(const std::map<std::string_view, unsigned>& counts) {
  std::string text;
  for (const auto& [kind, count] : counts) {
    if (!text.empty()) text += ", ";
    text += std::to_string(count) + ' ' + std::string(kind);
  }
  return text;
}

}  // namespace

std::string Text(const Handle& handle) {
  char value[24];
  std::snprintf(value, sizeof value, " 0x%llx", static_cast<unsigned long long>(handle.value));
  return std::string(handle.kind) + value;
}

Objects& Objects::The() { return Everlasting<Objects>(); }

void Objects::Add(const Handle& object, const Handle& parent) {
  const std::lock_guard lock(mutex_);
  gone_.erase(object);
  Object& added = objects_[object];
  added.parent = parent;
  ++added.count;
}

void Objects::Erase(const Handle& object) {
  const auto found = objects_.find(object);
  if (found == objects_.end() || --found->second.count != 0) return;
  objects_.erase(found);
  gone_.insert(object);
}

void Objects::Remove(const Handle& object) {
  const std::lock_guard lock(mutex_);
  Erase(object);
}

std::string Objects::RemoveChildren(const Handle& parent) {
  const std::lock_guard lock(mutex_);
  std::map<std::string_view, unsigned> counts;
  std::vector<Handle> parents = {parent};
  while (!parents.empty()) {
    const Handle current = parents.back();
    parents.pop_back();
    std::erase_if(objects_, [&](const auto& entry) {
      if (entry.second.parent != current) return false;
      counts[entry.first.kind] += entry.second.count;
      parents.push_back(entry.first);
      gone_.insert(entry.first);
      return true;
    });
  }
  return CountsText(counts);
}

bool Objects::IsGone(const Handle& object) const {
  const std::lock_guard lock(mutex_);
  return gone_.contains(object);
}

Handle Objects::ParentOf(const Handle& object) const {
  const std::lock_guard lock(mutex_);
  const auto found = objects_.find(object);
  return found == objects_.end() ? Handle() : found->second.parent;
}

uint64_t Objects::Count() const {
  const std::lock_guard lock(mutex_);
  uint64_t count = 0;
  for (const auto& [handle, object] : objects_) count += object.count;
  return count;
}

bool Objects::HasOnly(std::string_view kind) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::all_of(objects_, [&](const auto& entry) { return entry.first.kind == kind; });
}

std::string Objects::Text() const {
  const std::lock_guard lock(mutex_);
  std::map<std::string_view, unsigned> counts;
  for (const auto& [handle, object] : objects_) counts[handle.kind] += object.count;
  return CountsText(counts);
}

bool MayUse(const char* call, const Handle& object) {
  if (object.value == 0 || !Objects::The().IsGone(object)) return true;
  Report("invalid-handle", std::string(call) + " with " + Text(object) + ", which was destroyed");
  return false;
}

}  // namespace halyard::vulkan_sim
