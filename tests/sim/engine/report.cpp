// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "engine/report.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

namespace halyard::sim {

const char* RuleText(Rule rule) {
  static constexpr std::array kTexts = {
      "call-in-host-function", "destroy-in-use",    "free-in-use",   "use-after-free", "use-before-allocation",
      "double-free",           "invalid-handle",    "no-context",    "leak",           "exec-concurrency",
      "graph-upload",          "kernel-parameters", "launch-limits", "out-of-bounds",  "peer-access",
      "hidden-wait",           "captured-work",     "graph-width",   "damaged-image",  "call-at-exit",
      "staged-peer-copy",
  };
  return kTexts[static_cast<size_t>(rule)];
}

void Reports::Add(std::string_view rule, const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (!ignored_.contains(rule)) lines_.push_back(std::string(rule) + ": " + text);
}

void Reports::Ignore(std::string_view rules) {
  const std::lock_guard lock(mutex_);
  ignored_.clear();
  while (!rules.empty()) {
    const size_t end = std::min(rules.find(','), rules.size());
    ignored_.emplace(rules.substr(0, end));
    rules.remove_prefix(std::min(end + 1, rules.size()));
  }
}

std::string Reports::Text() const {
  const std::lock_guard lock(mutex_);
  return std::accumulate(lines_.begin(), lines_.end(), std::string(),
                         [](std::string all, const std::string& line) { return std::move(all) + line + "\n"; });
}

size_t Reports::Write(char* text, size_t capacity) const {
  const std::string all = Text();
  if (capacity != 0) {
    const size_t length = std::min(all.size(), capacity - 1);
    std::memcpy(text, all.data(), length);
    text[length] = '\0';
  }
  return all.size() + 1;
}

uint64_t Reports::Count(std::string_view rule) const {
  const std::lock_guard lock(mutex_);
  const std::string begin = std::string(rule) + ":";
  return static_cast<uint64_t>(
      std::ranges::count_if(lines_, [&](const std::string& line) { return rule.empty() || line.starts_with(begin); }));
}

void Reports::Clear() {
  const std::lock_guard lock(mutex_);
  lines_.clear();
}

}  // namespace halyard::sim
